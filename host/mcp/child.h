/*
 * child.h - runs a server as a child process with its guard (guard/guard.h), and talks to it
 * through pipes.
 *
 *     start --STARTED--> RUNNING --cr_child_stop()--> STOPPING --> ended()
 *       |                   +---it exits, or writes too much----------^
 *       +--FAILED---------------------------------------------------------> ended()
 *
 * cr_child_stop() is graceful. It closes standard input when all waiting bytes are written. After
 * CR_CHILD_PATIENCE_MS, even if the server does not read, SIGTERM is sent; after the same time
 * again the whole process tree is killed. ended() is called when the guard has exited, and the
 * whole tree with it. Grandchildren that hold the pipes open do not delay this. A server that
 * closes its standard input or output is stopped, because it cannot be used any longer.
 *
 * The end of what the server writes to standard error, and of what is not a message on standard
 * output, is kept to explain an error.
 */
#ifndef CR_CHILD_H
#define CR_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/loop.h"
#include "base/outbox.h"
#include "mcp/transport.h"

#define CR_CHILD_PATIENCE_MS 1000
#define CR_CHILD_LINE_MAX ((64u << 20) + (1u << 20)) /* a result, and the message around it */
#define CR_CHILD_WAITING_MAX (64u << 20)             /* unsent bytes at which sends are rejected */
#define CR_CHILD_TAIL 4096                           /* bytes of last output that are kept */

struct cr_child;

struct cr_child_spec {
    const char *guard; /* the path of caprun-guard */
    const char *const
        *argv; /* the command, searched for in the PATH of |envp|, and its arguments */
    const char *const *envp; /* the complete environment */
    const char *cwd;
};

/*
 * Starts the child. |spec| is not needed afterwards. Returns 0, and the caller frees it with
 * cr_child_free(); or CAPRUN_E_SYS or CAPRUN_E_NOMEM. A command that cannot be executed is not an
 * error here: ended() reports it later, from the loop.
 */
int cr_child_start(struct cr_loop *loop, const struct cr_child_spec *spec,
                   const struct cr_transport_owner *owner, void *data, struct cr_child **ret,
                   struct cr_err *err);

/* Kills the whole tree if it still exists, and waits for the guard to exit. Takes NULL. */
void cr_child_free(struct cr_child *child);

/*
 * Writes a line to the server: |count| parts, at most CR_TRANSPORT_PARTS, and a line feed. What the
 * pipe does not accept now is written later. Memory of a part may be taken over (base/outbox.h).
 * Returns 0; CAPRUN_E_STATE if the server accepts no input any longer; CAPRUN_E_TOOBIG if
 * CR_CHILD_WAITING_MAX bytes are waiting already; CAPRUN_E_NOMEM, and then the server is killed if
 * the line is partly written.
 */
int cr_child_send(struct cr_child *child, const struct cr_outbox_part *parts, size_t count,
                  struct cr_err *err);

/* Returns how many bytes wait to be written. */
size_t cr_child_waiting(const struct cr_child *child);

/* From now on messages have |has_type| for long results (struct cr_message). */
void cr_child_find_types(struct cr_child *child);

/* Stops the child gracefully; a second call does nothing. */
void cr_child_stop(struct cr_child *child);

/* Was the child stopped, or has it ended? */
bool cr_child_is_ending(const struct cr_child *child);

/*
 * After ended(), returns the reason: "exited with status 1", "was killed by signal 11 (Segmentation
 * fault)", "could not be started: 'npx' is not there (No such file or directory)".
 */
const char *cr_child_why(const struct cr_child *child);

/* Did the start fail because the command does not exist or may not be executed? */
bool cr_child_is_missing(const struct cr_child *child);

/*
 * Appends its last output, escaped for a terminal, lines joined by |between|; at most |max| bytes.
 */
void cr_child_last_words(const struct cr_child *child, const char *between, size_t max,
                         struct cr_buf *out);

#endif
