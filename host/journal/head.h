/*
 * head.h - writes and reads the first line of a journal (the header): code, args, limits, seed and
 * all other input of a run before its first message.
 */
#ifndef CR_HEAD_H
#define CR_HEAD_H

#include "base/json.h"

#define CR_HEAD_VERSION 2 /* of new journals; 1 can also be read */
#define CR_HEAD_SEED 40u
#define CR_HEAD_FILE "_file" /* the optional field of header and resume line: cr_record_file() */

/*
 * The largest header: 1 MiB of code, each byte escaped with six (6 MiB; journals from before long
 * code became a blob), 10,000 tools (2 MiB), the names of 256 KiB of env with their hashes (2.2
 * MiB), and origin, args and schema, which are blobs if they are long (160 KiB). The values are
 * 10,000 tools, 30,000 variables, and one value for two bytes of the JSON.
 */
#define CR_HEAD_MAX_BYTES (12u << 20)
#define CR_HEAD_MAX_VALUES (128u << 10)

struct cr_buf;
struct cr_line;
struct cr_run_limits;
struct cr_spec;

/*
 * Appends the text of the line: with its first brace, without its hash. |key| may be NULL; |file|
 * is the identity of the journal's file, or "" if the file could not be locked.
 */
void cr_head_write(struct cr_line *line, const struct cr_spec *spec, const uint8_t *key,
                   const char *file);

/* Appends ,"limits":{…}. */
void cr_head_add_limits(struct cr_buf *out, const struct cr_run_limits *limits);

/* The content of a header. Texts belong to the document from which it was read. */
struct cr_head {
    unsigned version; /* of the format */
    const char *run, *time, *engine, *prelude, *caprun, *boot, *env_key;
    const char *file;                  /* NULL: the header has no identity of its file */
    const char *code;                  /* NULL: it is a blob */
    const char *code_name;             /* the file name of the code in stacks; NULL in version 1 */
    uint64_t wording;                  /* enum wire_wording */
    uint64_t language;                 /* enum wire_language */
    const struct cJSON *origin;        /* an object, or NULL */
    const struct cJSON *tools;         /* an array of texts; NULL: the run has no list of tools */
    const struct cJSON *env;           /* an object of hashes, or NULL */
    const struct cJSON *args, *schema; /* NULL: a blob, or missing */
    const char *code_blob, *args_blob, *schema_blob; /* names of blobs, or NULL */
    uint64_t code_bytes, args_bytes, schema_bytes;   /* of blobs */
    uint64_t memory, timeout_ms, cpu_ms, rpc_timeout_ms;
    uint64_t result_bytes, log_bytes, max_calls, max_calls_at_once;
    uint8_t seed[CR_HEAD_SEED];
    bool stop_when_denied;
};

/*
 * Reads the version of the format from |root|, the tree of the first line, into |ret|. Returns 0;
 * or CAPRUN_E_INVAL with a message for a version that this caprun cannot read.
 */
int cr_head_read_version(const struct cJSON *root, struct cr_head *ret, struct cr_err *err);

/*
 * Reads the rest of the first line: |text| without its hash, and its tree |root|. Returns 0; or
 * CAPRUN_E_INVAL with a message.
 */
int cr_head_read(const char *text, size_t len, const struct cJSON *root, struct cr_head *ret,
                 struct cr_err *err);

/* Reads limits: the object |json|, with its tree |limits|. Returns the same as cr_head_read(). */
int cr_head_read_limits(const char *json, size_t len, const struct cJSON *limits,
                        struct cr_head *ret, struct cr_err *err);

#endif
