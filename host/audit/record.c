/* record.c - writes and reads the record beside an audit. */
#include "audit/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

const struct cr_audit_record cr_audit_record_none = {.file = 1, .oldest = 1, .first = 1};

void cr_audit_record_show(const struct cr_audit_record *record, char ret[CR_AUDIT_RECORD_BYTES])
{
    char text[CR_AUDIT_RECORD_BYTES + 1], hash[CR_HASH_DIGITS + 1], before[CR_HASH_DIGITS + 1];
    int len;

    cr_hash_show(record->hash, hash);
    cr_hash_show(record->before, before);
    len = snprintf(text, sizeof(text),
                   "{\"count\":%" PRIu64 ",\"hash\":\"%s\",\"file\":%" PRIu64 ",\"bytes\":%" PRIu64
                   ",\"oldest\":%" PRIu64 ",\"first\":%" PRIu64 ",\"before\":\"%s\"}",
                   record->count, hash, record->file, record->bytes, record->oldest, record->first,
                   before);
    memset(ret, ' ', CR_AUDIT_RECORD_BYTES);
    memcpy(ret, text, (size_t)len);
    ret[CR_AUDIT_RECORD_BYTES - 1] = '\n';
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool cr_audit_hash_parse(const char *text, uint8_t ret[CR_HASH_BYTES])
{
    if (strlen(text) != CR_HASH_DIGITS)
        return false;
    for (size_t i = 0; i < CR_HASH_BYTES; i++) {
        int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        ret[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool read_hash(const struct cJSON *root, const char *name, uint8_t ret[CR_HASH_BYTES])
{
    const struct cJSON *value = cr_json_get(root, name);

    return value && cr_json_type(value) == CR_JSON_STRING &&
           cr_audit_hash_parse(cr_json_text(value), ret);
}

static bool read_number(const struct cJSON *root, const char *name, uint64_t *ret)
{
    const struct cJSON *value = cr_json_get(root, name);

    return value && cr_json_number(value, UINT64_MAX, ret) == 0;
}

int cr_audit_record_parse(const char *text, size_t len, struct cr_audit_record *ret)
{
    struct cr_audit_record r;
    struct cr_json_doc doc = {0};
    bool is_good;
    int code = cr_json_parse_within(text, len, 16, &doc, NULL);

    if (code < 0)
        return code == CAPRUN_E_NOMEM ? code : CAPRUN_E_INVAL;
    is_good = read_number(doc.root, "count", &r.count) && read_hash(doc.root, "hash", r.hash) &&
              read_number(doc.root, "file", &r.file) && read_number(doc.root, "bytes", &r.bytes) &&
              read_number(doc.root, "oldest", &r.oldest) &&
              read_number(doc.root, "first", &r.first) && read_hash(doc.root, "before", r.before) &&
              r.oldest <= r.file && r.first <= r.count + 1;
    cr_json_clear(&doc);
    if (is_good)
        *ret = r;
    return is_good ? 0 : CAPRUN_E_INVAL;
}
