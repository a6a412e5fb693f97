/* journal.c - finds and reads the values in the lines of a journal. */
#include "journal/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locate.h"
#include "base/scan.h"
#include "base/unescape.h"
#include "base/utf8.h"
#include "journal/blobs.h"

void cr_journal_clear(struct cr_journal *j)
{
    cr_json_clear(&j->doc);
    cr_buf_clear(&j->text);
    free(j->lines);
    free(j->path);
    *j = (struct cr_journal){0};
}

const char *cr_journal_member(const struct cr_journal_line *line, const char *key, size_t *ret_len)
{
    return cr_locate_member(line->text, line->len, key, ret_len);
}

const char *cr_journal_raw_text(const struct cr_journal_line *line, const char *key,
                                size_t *ret_len)
{
    const char *text = cr_journal_member(line, key, ret_len);

    if (!text || *ret_len < 2)
        return NULL;
    *ret_len -= 2;
    return text + 1;
}

bool cr_journal_take_number(const struct cr_journal_line *line, const char *key, int64_t most,
                            int64_t *ret)
{
    size_t len = 0;
    const char *text = cr_journal_member(line, key, &len);
    int64_t value = 0;

    if (!text || len == 0 || len > 18 || (len > 1 && text[0] == '0'))
        return false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (text[i] - '0');
    }
    *ret = value;
    return value <= most;
}

void cr_journal_show_outcome(const struct cr_journal_line *line, char ret[64])
{
    size_t len = 0;
    const char *text = cr_journal_member(line, "end", &len);
    int shown = text && len > 2 && len < 64 ? (int)len - 2 : 0;

    (void)snprintf(ret, 64, "%.*s", shown, shown ? text + 1 : "");
}

int cr_journal_reject_blob(const struct cr_journal *j, size_t number, const struct cr_err *err,
                           struct cr_err *why)
{
    if (err->code == CAPRUN_E_NOMEM)
        return cr_err_memory(why);
    return cr_err_end(why, CAPRUN_OUTCOME_JOURNAL_INVALID, NULL, "%s:%zu: %s", j->path, number,
                      err->text);
}

static bool is_code(const struct cr_buf *text)
{
    return cr_utf8_valid_prefix(text->data, text->len) == text->len &&
           !memchr(text->data, '\0', text->len);
}

/* The hash is right, but the journal is untrusted, so the blob need not be JSON. */
static int read_blob(const struct cr_journal *j, size_t number, const char *name, size_t len,
                     struct cr_buf *out, struct cr_err *why)
{
    size_t start = out->len;
    struct cr_err err;

    if (cr_blobs_read(j->path, name, len, out, &err) < 0 ||
        cr_scan_json(out->data + start, out->len - start, CR_SCAN_PASS, &err) < 0)
        return cr_journal_reject_blob(j, number, &err, why);
    return 0;
}

int cr_journal_blob(const struct cr_journal *j, const struct cr_journal_line *line,
                    const char *name, char ret[CR_HASH_DIGITS + 1], size_t *ret_len,
                    struct cr_err *why)
{
    size_t len = 0;
    const char *json;
    int64_t bytes = 0;
    char key[32];

    if (cr_journal_member(line, name, &len))
        return 0;
    (void)snprintf(key, sizeof(key), "%sBytes", name);
    if (!cr_journal_take_number(line, key, LIMIT_ANSWER_BYTES, &bytes))
        bytes = -1;
    (void)snprintf(key, sizeof(key), "%sBlob", name);
    json = cr_journal_member(line, key, &len);
    if (bytes < 0 || !json || len != CR_HASH_DIGITS + 2 || memchr(json, '/', len))
        return cr_err_end(why, CAPRUN_OUTCOME_JOURNAL_INVALID, NULL, "%s:%zu: it has no \"%s\"",
                          j->path, line->number, name);
    (void)snprintf(ret, CR_HASH_DIGITS + 1, "%.*s", (int)CR_HASH_DIGITS, json + 1);
    *ret_len = (size_t)bytes;
    return 1;
}

int cr_journal_json(const struct cr_journal *j, const struct cr_journal_line *line,
                    const char *name, struct cr_buf *out, struct cr_err *why)
{
    char blob[CR_HASH_DIGITS + 1];
    size_t len = 0;
    const char *json;
    int r = cr_journal_blob(j, line, name, blob, &len, why);

    if (r < 0)
        return r;
    if (r > 0)
        return read_blob(j, line->number, blob, len, out, why);
    json = cr_journal_member(line, name, &len);
    cr_buf_add(out, json, len);
    return cr_buf_err(out) ? cr_err_memory(why) : 0;
}

int cr_journal_code(const struct cr_journal *j, struct cr_buf *out, struct cr_err *why)
{
    const struct cr_head *head = &j->head;
    struct cr_err err;
    int r = 0;

    if (head->code)
        cr_buf_str(out, head->code);
    else
        r = cr_blobs_read(j->path, head->code_blob, (size_t)head->code_bytes, out, &err);
    if (cr_buf_err(out) == CAPRUN_E_TOOBIG || out->len > LIMIT_CODE_BYTES)
        r = cr_err_set(&err, CAPRUN_E_TOOBIG, "the code is over %u bytes", LIMIT_CODE_BYTES);
    else if (r == 0 && out->len && !is_code(out))
        r = cr_err_set(&err, CAPRUN_E_INVAL, "the code is not a text in UTF-8");
    if (r < 0)
        return cr_journal_reject_blob(j, 1, &err, why);
    return cr_buf_err(out) ? cr_err_memory(why) : 0;
}

int cr_journal_input(const struct cr_journal *j, const char *name, struct cr_buf *out,
                     struct cr_err *why)
{
    bool is_args = strcmp(name, "args") == 0;
    const struct cJSON *value = is_args ? j->head.args : j->head.schema;
    const char *blob = is_args ? j->head.args_blob : j->head.schema_blob;
    uint64_t bytes = is_args ? j->head.args_bytes : j->head.schema_bytes;

    struct cr_json_place span;

    if (!value)
        return blob ? read_blob(j, 1, blob, (size_t)bytes, out, why) : 0;
    span = cr_json_place_of(&j->doc, value);
    cr_buf_add(out, j->doc.bytes + span.at, span.len);
    return cr_buf_err(out) ? cr_err_memory(why) : 0;
}

void cr_journal_text(const struct cr_journal_line *line, const char *name, struct cr_buf *out)
{
    size_t len = 0;
    const char *text = cr_journal_member(line, name, &len);

    if (text && len >= 2 && text[0] == '"')
        cr_unescape(out, text + 1, len - 2);
}

void cr_journal_outcome(const struct cr_journal *j, char ret[64])
{
    ret[0] = '\0';
    if (j->end)
        cr_journal_show_outcome(j->end, ret);
}
