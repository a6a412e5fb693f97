/*
 * metadata.h - what a registry says of a capability. A stranger wrote it, and it starts nothing: it
 * is checked field by field and kept.
 *
 * Fields that caprun does not know are left alone. Pointers lead into the document, which the
 * metadata owns.
 */
#ifndef CR_METADATA_H
#define CR_METADATA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/err.h"
#include "registry/fqdn.h"

#define CR_METADATA_MAX (1u << 20)    /* bytes */
#define CR_METADATA_MAX_ENV 256u      /* names in "env" */
#define CR_METADATA_MAX_VALUES 50000u /* of JSON: checking takes time */
#define CR_METADATA_MAX_DEPS 64u      /* servers in "mcpDeps" */
#define CR_METADATA_MAX_VARIABLE 256u /* characters of each */
#define CR_METADATA_DIGEST 32

enum cr_metadata_type {
    CR_METADATA_CODE,  /* "js" or "deno" */
    CR_METADATA_STDIO, /* an MCP server, to be started */
    CR_METADATA_HTTP,  /* a remote one */
};

struct cr_metadata {
    struct cr_buf text;
    struct cr_json_doc doc;
    struct cr_fqdn fqdn;
    enum cr_metadata_type type;
    const char *code_url;      /* NULL: not given, as for those below */
    const struct cJSON *tools; /* an array of "ns:action" */
    const struct cJSON *env;   /* an array of names of variables */
    const char *schema;        /* "parametersSchema", |schema_len| bytes; NULL: there is none */
    size_t schema_len;
    int64_t published_ms; /* since 1970; INT64_MIN: not given */
    bool has_integrity;
    uint8_t integrity[CR_METADATA_DIGEST]; /* the SHA-256 that the code has to have */
};

/*
 * Reads |text|, which is taken over whatever happens. |where| is the file or URL, for messages.
 * Returns 0, and the caller ends it with cr_metadata_clear(); or METADATA_INVALID, with |where|,
 * the JSON Pointer of what is wrong and what was expected.
 */
int cr_metadata_parse(struct cr_buf *text, const char *where, struct cr_metadata *ret,
                      struct cr_err *why);

/* Takes metadata of zeros, too. */
void cr_metadata_clear(struct cr_metadata *meta);

/*
 * Appends what of it matters, in a form that does not depend on how it is written: all that decides
 * what the capability may do. A new description or date is no change.
 */
void cr_metadata_essence(const struct cr_metadata *meta, struct cr_buf *out);

#endif
