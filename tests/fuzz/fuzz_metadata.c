/*
 * fuzz_metadata.c - fuzzes the parser of a capability's metadata.
 *
 * What must hold: a refusal names the file; an accepted text has a name of four parts, few and
 * short variables and a schema inside the text; the essence is canonical JSON, and the same
 * metadata with other spaces has the same essence.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "registry/metadata.h"

#include "look.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int parse_metadata(const void *bytes, size_t len, struct cr_metadata *ret,
                          struct cr_err *why)
{
    struct cr_buf text;

    cr_buf_init(&text, CR_METADATA_MAX);
    cr_buf_add(&text, bytes, len);
    return cr_metadata_parse(&text, "there", ret, why);
}

static void look_at_names(const struct cr_metadata *meta)
{
    size_t names = 0, dots = 0;

    for (const char *at = meta->fqdn.name; *at; at++)
        dots += *at == '.';
    insist(dots == 3 && strlen(meta->fqdn.name) <= CR_FQDN_MAX);
    for (const struct cJSON *v = cr_json_first(meta->env); v; v = cr_json_next(v), names++)
        insist(strlen(cr_json_text(v)) <= CR_METADATA_MAX_VARIABLE);
    insist(names <= CR_METADATA_MAX_ENV);
    for (const struct cJSON *v = cr_json_first(meta->tools); v; v = cr_json_next(v))
        insist(strchr(cr_json_text(v), ':'));
}

static void look_at_schema(const struct cr_metadata *meta)
{
    struct cr_json_doc doc;

    if (!meta->schema)
        return;
    insist(meta->schema >= meta->doc.bytes &&
           meta->schema + meta->schema_len <= meta->doc.bytes + meta->doc.len);
    insist(cr_json_parse(meta->schema, meta->schema_len, &doc, NULL) == 0);
    cr_json_clear(&doc);
}

/* The whole text, printed with other spaces, must have the same essence. */
static void look_at_essence(const struct cr_metadata *meta)
{
    struct cr_buf essence, printed, again;
    struct cr_metadata other;
    struct cr_json_doc doc;
    struct cr_err why;

    cr_buf_init(&essence, 1u << 24);
    cr_buf_init(&printed, 1u << 24);
    cr_buf_init(&again, 1u << 24);
    cr_metadata_essence(meta, &essence);
    insist(!cr_buf_err(&essence));
    insist(cr_json_parse(essence.data, essence.len, &doc, NULL) == 0);
    cr_json_clear(&doc);
    cr_buf_str(&printed, " \n");
    cr_buf_add(&printed, meta->doc.bytes, meta->doc.len);
    cr_buf_str(&printed, "\t");
    if (printed.len <= CR_METADATA_MAX) {
        insist(parse_metadata(printed.data, printed.len, &other, &why) == 0);
        cr_metadata_essence(&other, &again);
        insist(again.len == essence.len && memcmp(again.data, essence.data, again.len) == 0);
        cr_metadata_clear(&other);
    }
    cr_buf_clear(&essence);
    cr_buf_clear(&printed);
    cr_buf_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cr_metadata meta;
    struct cr_err why = {0};

    if (parse_metadata(data, size, &meta, &why) < 0) {
        insist(why.outcome == CAPRUN_OUTCOME_METADATA_INVALID && strstr(why.text, "there"));
        return 0;
    }
    look_at_names(&meta);
    look_at_schema(&meta);
    look_at_essence(&meta);
    cr_metadata_clear(&meta);
    return 0;
}
