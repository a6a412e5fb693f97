/*
 * conditions.h - what a rule says about the args of a call: its "when".
 *
 *     {"/path": {"under": "./out"}, "/options/mode": {"in": ["a", "b"]}}
 *
 * Each key is a JSON pointer into the args, each value an object of predicates. All of them must
 * hold. A pointer that leads nowhere satisfies only "absent": true.
 *
 * "equals" and "in" compare values as JSON, whatever the order of keys; "glob" compares the text of
 * a string, * is any text and ? any character; "min" and "max" compare numbers; "under" and "host"
 * are in under.h and web_host.h. A number beyond 2^53 is UNCLEAR, because servers round it; so is a
 * value that is not of the type that a predicate is about, and one beside which there is another
 * key that differs only in case, because some servers ignore the case of keys.
 */
#ifndef CR_CONDITIONS_H
#define CR_CONDITIONS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/truth.h"

struct cJSON;
struct cr_conditions;

/*
 * Reads |json|, an object as above. Relative directories of "under" start in |dir|, an absolute
 * path. On success the caller frees *|ret| with cr_conditions_free(). Returns 0; CAPRUN_E_INVAL for
 * JSON that is not such an object, for a directory that cannot be looked up, and for a number
 * beyond 2^53; CAPRUN_E_NOMEM.
 */
int cr_conditions_new(const char *json, const char *dir, struct cr_conditions **ret,
                      struct cr_err *err);

/* Returns |c| with one more owner: each calls cr_conditions_free(). For any thread. */
struct cr_conditions *cr_conditions_share(struct cr_conditions *c);

/* |c| may be NULL. */
void cr_conditions_free(struct cr_conditions *c);

/* Is there an "under", so that files are looked up? */
bool cr_conditions_need_files(const struct cr_conditions *c);

/* Roughly how many steps each byte of the args takes, at most. */
size_t cr_conditions_weight(const struct cr_conditions *c);

/*
 * Do all conditions hold for |args|? NULL: args that are too large for a tree, which are UNCLEAR.
 * |base| is the server's directory, or NULL. If cr_conditions_need_files(), call this in a helper
 * thread; |c| is only read.
 */
enum cr_truth cr_conditions_hold(const struct cr_conditions *c, const struct cJSON *args,
                                 const char *base);

/*
 * Appends why the conditions do not hold for certain: what is wrong with the first value, as in
 * '/path is not under "./out": it is "/etc/passwd"'. Appends nothing if they do hold.
 */
void cr_conditions_explain(const struct cr_conditions *c, const struct cJSON *args,
                           const char *base, struct cr_buf *out);

#endif
