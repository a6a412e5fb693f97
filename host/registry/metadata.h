/*
 * metadata.h - parses the metadata of a capability, which comes from a registry. Metadata is
 * untrusted, and never starts anything: each known field is checked.
 *
 * Unknown fields are ignored. Pointers point into the document, which the metadata owns.
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
#define CR_METADATA_MAX_VALUES 50000u /* JSON values: checking takes time */
#define CR_METADATA_MAX_DEPS 64u      /* servers in "mcpDeps" */
#define CR_METADATA_MAX_VARIABLE 256u /* characters of each */
#define CR_METADATA_DIGEST 32

enum cr_metadata_type {
    CR_METADATA_CODE,  /* "js" or "deno" */
    CR_METADATA_STDIO, /* an MCP server that is a command */
    CR_METADATA_HTTP,  /* a remote MCP server */
};

struct cr_metadata {
    struct cr_buf text;
    struct cr_json_doc doc;
    struct cr_fqdn fqdn;
    enum cr_metadata_type type;
    const char *code_url;      /* NULL: missing; so for the pointers below */
    const struct cJSON *tools; /* an array of "ns:action" */
    const struct cJSON *env;   /* an array of names of variables */
    const char *schema;        /* "parametersSchema", |schema_len| bytes */
    size_t schema_len;
    int64_t published_ms; /* since 1970; INT64_MIN: missing */
    bool is_typescript;   /* the name of the code's file ends with ".ts" */
    bool has_integrity;
    uint8_t integrity[CR_METADATA_DIGEST]; /* the required SHA-256 of the code */
};

/*
 * Parses |text|, which is taken over, also on failure. |where| is the file or URL, for messages.
 * Returns 0, and the caller clears |ret| with cr_metadata_clear(); or METADATA_INVALID, with
 * |where|, the JSON Pointer of the wrong value and what was expected.
 */
int cr_metadata_parse(struct cr_buf *text, const char *where, struct cr_metadata *ret,
                      struct cr_err *why);

/* All zeros are allowed, too. */
void cr_metadata_clear(struct cr_metadata *meta);

/*
 * Appends the fields that decide what the capability may do, in canonical form, which does not
 * depend on formatting. A new description or date does not change it.
 */
void cr_metadata_essence(const struct cr_metadata *meta, struct cr_buf *out);

#endif
