/*
 * head.h - the first line of a journal: all that a run is given before it is told anything.
 */
#ifndef CR_HEAD_H
#define CR_HEAD_H

#include "base/json.h"

#define CR_HEAD_VERSION 2 /* of what is written; 1 is read, too */
#define CR_HEAD_SEED 40u

/*
 * The largest header that a run can have: code of 1 MiB, of which each byte may be escaped by six
 * (6 MiB, in journals that were made before long code became a blob), 10,000 tools (2 MiB), the
 * names of 256 KiB of env with their hashes (2.2 MiB), and the origin, args and schema, which are
 * blobs if they are long (160 KiB). The values are 10,000 tools, 30,000 variables, and one for two
 * bytes of the JSON.
 */
#define CR_HEAD_MAX_BYTES (12u << 20)
#define CR_HEAD_MAX_VALUES (128u << 10)

struct cr_buf;
struct cr_line;
struct cr_run_limits;
struct cr_spec;

/* Appends the line's text, brace included and hash not. |key| may be NULL. */
void cr_head_write(struct cr_line *line, const struct cr_spec *spec, const uint8_t *key);

/* Appends ,"limits":{…}. */
void cr_head_add_limits(struct cr_buf *out, const struct cr_run_limits *limits);

/* What a header says. Texts belong to the document that it was read from. */
struct cr_head {
    unsigned version; /* of the format */
    const char *run, *time, *engine, *prelude, *caprun, *boot, *env_key;
    const char *code;                  /* NULL: it is a blob */
    const char *code_name;             /* what stacks call the code; NULL in version 1 */
    const struct cJSON *origin;        /* an object, or NULL */
    const struct cJSON *tools;         /* an array of texts, or NULL: there is no list */
    const struct cJSON *env;           /* an object of hashes, or NULL */
    const struct cJSON *args, *schema; /* NULL: they are blobs, or there is none */
    const char *code_blob, *args_blob, *schema_blob; /* names of blobs, or NULL */
    uint64_t code_bytes, args_bytes, schema_bytes;   /* of blobs */
    uint64_t memory, timeout_ms, cpu_ms, rpc_timeout_ms;
    uint64_t result_bytes, log_bytes, max_calls, max_calls_at_once;
    uint8_t seed[CR_HEAD_SEED];
    bool stop_when_denied;
};

/*
 * Reads the version of the format from |root|, the tree of the first line, into |ret|. Returns 0;
 * or CAPRUN_E_INVAL with words for a version that this caprun does not read.
 */
int cr_head_read_version(const struct cJSON *root, struct cr_head *ret, struct cr_err *err);

/*
 * Reads the rest of the first line: |text| without its hash, and its tree |root|. Returns 0; or
 * CAPRUN_E_INVAL with what is wrong.
 */
int cr_head_read(const char *text, size_t len, const struct cJSON *root, struct cr_head *ret,
                 struct cr_err *err);

/* Reads the object |json|, whose tree is |limits|, into the limits of |ret|. As cr_head_read(). */
int cr_head_read_limits(const char *json, size_t len, const struct cJSON *limits,
                        struct cr_head *ret, struct cr_err *err);

#endif
