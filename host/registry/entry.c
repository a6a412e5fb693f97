/* entry.c - writes and parses the first line of a cache file, which describes the body. */
#include "registry/entry.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/json.h"
#include "http/head.h"

#define MOST_SECONDS (1ull << 40)

static void hash_digits(const void *bytes, size_t len, char ret[CR_ENTRY_KEY + 1])
{
    uint8_t hash[CR_HASH_BYTES];

    cr_hash_take(bytes, len, hash);
    cr_hash_show(hash, ret);
}

void cr_entry_key(const char *url, const char *accept, char ret[CR_ENTRY_KEY + 1])
{
    char text[CR_ENTRY_ACCEPT + 1 + CR_ENTRY_URL + 1]; /* longer URLs are never cached */

    (void)snprintf(text, sizeof(text), "%s\n%s", accept, url);
    hash_digits(text, strlen(text), ret);
}

/*
 * Copies |text|. Returns false if it is NULL, too long, or not printable ASCII, as requests need.
 */
static bool copy_text(char *to, size_t size, const char *text)
{
    if (!text || strlen(text) >= size)
        return false;
    for (const char *c = text; *c; c++)
        if (*c < 0x20 || *c > 0x7e)
            return false;
    memcpy(to, text, strlen(text) + 1);
    return true;
}

bool cr_entry_make(const char *url, const char *accept, const struct cr_buf *body, int64_t now_s,
                   struct cr_entry *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->fetched_s = now_s;
    ret->length = body->len;
    hash_digits(body->data, body->len, ret->sha256);
    return copy_text(ret->url, sizeof(ret->url), url) &&
           copy_text(ret->accept, sizeof(ret->accept), accept);
}

void cr_entry_write(struct cr_buf *out, const struct cr_entry *entry)
{
    cr_buf_str(out, "{\"version\":1");
    cr_escape_member(out, "url", entry->url);
    cr_escape_member(out, "accept", entry->accept);
    cr_escape_member(out, "etag", entry->etag);
    cr_buf_fmt(out, ",\"fetched\":%lld,\"maxAge\":%lld,\"length\":%llu",
               (long long)entry->fetched_s, (long long)entry->max_age_s,
               (unsigned long long)entry->length);
    cr_escape_member(out, "sha256", entry->sha256);
    cr_buf_str(out, "}\n");
}

static const char *string_of(const struct cJSON *object, const char *key)
{
    const struct cJSON *value = cr_json_get(object, key);

    return value && cr_json_type(value) == CR_JSON_STRING ? cr_json_text(value) : NULL;
}

static bool number_of(const struct cJSON *object, const char *key, uint64_t max, uint64_t *ret)
{
    const struct cJSON *value = cr_json_get(object, key);

    return value && cr_json_number(value, max, ret) == 0;
}

static bool read_object(const struct cJSON *object, struct cr_entry *ret)
{
    uint64_t version = 0, fetched = 0, max_age = 0;

    if (!number_of(object, "version", 1, &version) || version != 1 ||
        !number_of(object, "fetched", MOST_SECONDS, &fetched) ||
        !number_of(object, "maxAge", CR_HTTP_HEAD_FRESH_MAX, &max_age) ||
        !number_of(object, "length", SIZE_MAX / 2, &ret->length))
        return false;
    ret->fetched_s = (int64_t)fetched;
    ret->max_age_s = (int64_t)max_age;
    return copy_text(ret->url, sizeof(ret->url), string_of(object, "url")) &&
           copy_text(ret->accept, sizeof(ret->accept), string_of(object, "accept")) &&
           copy_text(ret->etag, sizeof(ret->etag), string_of(object, "etag")) &&
           copy_text(ret->sha256, sizeof(ret->sha256), string_of(object, "sha256"));
}

size_t cr_entry_read(const uint8_t *bytes, size_t len, struct cr_entry *ret)
{
    const uint8_t *end = len ? memchr(bytes, '\n', len) : NULL;
    struct cr_json_doc doc = {0};
    struct cr_entry entry = {0};
    size_t line;
    bool good;

    if (!end || end - bytes >= (ptrdiff_t)CR_ENTRY_LINE_MAX)
        return 0;
    line = (size_t)(end - bytes) + 1;
    good = cr_json_parse(bytes, line, &doc, NULL) == 0 && read_object(doc.root, &entry);
    cr_json_clear(&doc);
    if (!good)
        return 0;
    *ret = entry;
    return line;
}

bool cr_entry_holds(const struct cr_entry *entry, const uint8_t *body, size_t len)
{
    char sha256[CR_ENTRY_KEY + 1];

    hash_digits(body, len, sha256);
    return entry->length == len && strcmp(entry->sha256, sha256) == 0;
}

bool cr_entry_is_fresh(const struct cr_entry *entry, int64_t now_s)
{
    return entry->fetched_s <= now_s && now_s - entry->fetched_s < entry->max_age_s;
}
