/*
 * tool_pins.h - the part "servers" of caprun.lock: the definitions of tools as they were first
 * seen, or accepted since.
 *
 *     "servers": {
 *       "filesystem": {
 *         "read_file": {
 *           "sha256": "sha256-<64 hexadecimal digits>",
 *           "definition": {
 *             "description": "…",
 *             "inputSchema": {…},
 *             "name": "read_file"
 *           }
 *         }
 *       }
 *     }
 *
 * The hash is of the definition in its canonical form, without spaces (cr_json_canonical()); the
 * definition itself is there so that a change can be shown, and be read in a repository, where
 * hidden characters are escapes. The two are checked against each other whenever the file is read.
 */
#ifndef CR_TOOL_PINS_H
#define CR_TOOL_PINS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "registry/lockfile.h"

#define CR_TOOL_PINS_MAX (4u << 20) /* a server whose pins take more bytes gets no more */

/* A tool as it is now. */
struct cr_tool_now {
    const char *name;
    const char *definition; /* its essence, in the canonical form */
    size_t len;
};

enum cr_tool_state { CR_TOOL_PINNED, CR_TOOL_NEW, CR_TOOL_CHANGED };

/* The pins of one server, to look many tools up. It is valid as long as the lockfile is. */
struct cr_tool_pins_index {
    const struct cJSON **pins; /* in the order of their names */
    size_t count;
};

/* The caller ends it with cr_tool_pins_index_clear(). Returns 0 or CAPRUN_E_NOMEM. */
int cr_tool_pins_index(const struct cr_lockfile *lock, const char *server,
                       struct cr_tool_pins_index *ret);
void cr_tool_pins_index_clear(struct cr_tool_pins_index *index);

/* How |now| stands to what is pinned. */
enum cr_tool_state cr_tool_pins_check(const struct cr_tool_pins_index *index,
                                      const struct cr_tool_now *now);

/*
 * For a changed one: INTEGRITY_MISMATCH, with both full hashes, what differs part by part
 * (description, inputSchema …: was, is now, long texts cut around the first difference), and the
 * command that accepts it. What the server says is JSON on one line, hidden characters escaped, so
 * that it cannot pass for words of caprun's. Returns CAPRUN_E_INVAL, or CAPRUN_E_NOMEM with
 * INTERNAL.
 */
int cr_tool_pins_explain(const struct cr_lockfile *lock, const char *server,
                         const struct cr_tool_now *now, struct cr_err *why);

/* The same in few words, where there are too many to explain each. */
int cr_tool_pins_refuse_changed(const char *server, const char *tool, struct cr_err *why);

/*
 * For a new one of a lockfile that may not change: INTEGRITY_MISMATCH, the name escaped as above.
 * Returns CAPRUN_E_INVAL, or CAPRUN_E_NOMEM with INTERNAL.
 */
int cr_tool_pins_refuse_new(const char *server, const char *tool, struct cr_err *why);

/*
 * Pins those of |now|, of which no two have one name, that are not pinned, in one write; with
 * |accept| also the changed ones. What is pinned and not among them stays. Nothing to do is nothing
 * written. Does not wait for other writers. Returns 0; CAPRUN_E_BUSY, without words, if another
 * process writes the lockfile now; or CONFIG_ERROR as cr_lockfile_pin() does, also if there is no
 * room for them: then none is pinned.
 */
int cr_tool_pins_pin(const char *dir, const char *server, const struct cr_tool_now *now,
                     size_t count, bool accept, struct cr_err *why);

/* Calls |each| for every pinned tool, in the order of the file. */
void cr_tool_pins_each(const struct cr_lockfile *lock,
                       void (*each)(void *data, const char *server, const char *tool,
                                    const char *hash),
                       void *data);

#endif
