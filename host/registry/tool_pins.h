/*
 * tool_pins.h - the part "servers" of caprun.lock: definitions of tools, as first seen or accepted
 * later.
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
 * The hash is of the definition in canonical form, without spaces (cr_json_canonical()). The
 * definition itself is stored so that a change can be shown, and reviewed in a repository; hidden
 * characters are escaped. Whenever the file is read, hash and definition are checked against each
 * other.
 */
#ifndef CR_TOOL_PINS_H
#define CR_TOOL_PINS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "registry/lockfile.h"

/* Limits of the pins of one server, as they are written; above, no pin is added. */
#define CR_TOOL_PINS_MAX (2u << 20) /* bytes */
#define CR_TOOL_PINS_MAX_KEYS 75000
#define CR_TOOL_PINS_MAX_VALUES 250000

/* A tool as it is now. */
struct cr_tool_now {
    const char *name;
    const char *definition; /* the pinned part of it, in canonical form */
    size_t len;
};

enum cr_tool_state { CR_TOOL_PINNED, CR_TOOL_NEW, CR_TOOL_CHANGED };

/* An index of one server's pins, to look up many tools. Valid as long as the lockfile. */
struct cr_tool_pins_index {
    const struct cJSON **pins; /* sorted by name */
    size_t count;
};

/* The caller clears it with cr_tool_pins_index_clear(). Returns 0 or CAPRUN_E_NOMEM. */
int cr_tool_pins_index(const struct cr_lockfile *lock, const char *server,
                       struct cr_tool_pins_index *ret);
void cr_tool_pins_index_clear(struct cr_tool_pins_index *index);

/* Compares |now| with its pin. */
enum cr_tool_state cr_tool_pins_check(const struct cr_tool_pins_index *index,
                                      const struct cr_tool_now *now);

/*
 * Explains a changed tool: INTEGRITY_MISMATCH, with both full hashes, the differences part by part
 * (description, inputSchema …: was, is now; long texts are cut around the first difference), and
 * the command that accepts it. The server's untrusted text is shown as JSON on one line, with
 * hidden characters escaped, so that it cannot imitate caprun's own text. Returns CAPRUN_E_INVAL,
 * or CAPRUN_E_NOMEM with INTERNAL.
 */
int cr_tool_pins_explain(const struct cr_lockfile *lock, const char *server,
                         const struct cr_tool_now *now, struct cr_err *why);

/* The same without differences, if too many tools have changed to explain each. */
int cr_tool_pins_refuse_changed(const char *server, const char *tool, struct cr_err *why);

/*
 * Rejects a new tool while the lockfile is frozen: INTEGRITY_MISMATCH, with the name escaped as
 * above. Returns CAPRUN_E_INVAL, or CAPRUN_E_NOMEM with INTERNAL.
 */
int cr_tool_pins_refuse_new(const char *server, const char *tool, struct cr_err *why);

/*
 * Pins the new tools of |now|, and with |accept| also the changed ones, in one write; writes
 * nothing if there is nothing to pin. No two tools of |now| may have the same name. Other pins are
 * kept. Does not wait for other writers. Returns 0; CAPRUN_E_BUSY, without a message, if another
 * process is writing the lockfile; or CONFIG_ERROR as cr_lockfile_pin(), also if the lockfile has
 * no room: then no tool is pinned.
 */
int cr_tool_pins_pin(const char *dir, const char *server, const struct cr_tool_now *now,
                     size_t count, bool accept, struct cr_err *why);

/* Calls |each| for every pinned tool, in the order of the file. */
void cr_tool_pins_each(const struct cr_lockfile *lock,
                       void (*each)(void *data, const char *server, const char *tool,
                                    const char *hash),
                       void *data);

#endif
