/*
 * child.h - the process of a server, seen through its pipes, and its guard (guard/guard.h).
 *
 *     start --STARTED--> RUNNING --cr_child_stop()--> STOPPING --> ended()
 *       |                   +---it exits, or says too much------------^
 *       +--FAILED---------------------------------------------------------> ended()
 *
 * cr_child_stop() is orderly: standard input is closed when all that waits is written; then, also
 * if the server does not read, after CR_CHILD_PATIENCE_MS SIGTERM, and after as long again the
 * whole tree is killed. ended() comes when the guard is gone, and with it all of the tree.
 * Grandchildren that hold the pipes open delay nothing. A server that closes one of its standard
 * input and output is stopped: it is of no use any more.
 *
 * What the server writes to standard error, and on standard output what is no message, is kept:
 * the last of it explains an error.
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
#define CR_CHILD_LINE_MAX ((64u << 20) + (1u << 20)) /* an answer, and what is around it */
#define CR_CHILD_WAITING_MAX (64u << 20)             /* no more is taken while so much waits */
#define CR_CHILD_TAIL 4096                           /* bytes of last words */

struct cr_child;

struct cr_child_spec {
    const char *guard; /* the path of caprun-guard */
    const char *const
        *argv; /* the command, searched for in the PATH of |envp|, and its arguments */
    const char *const *envp; /* all of the environment */
    const char *cwd;
};

/*
 * Starts it. |spec| is not needed afterwards. Returns 0, and the caller ends it with
 * cr_child_free(); or CAPRUN_E_SYS or CAPRUN_E_NOMEM. A command that cannot be executed is not
 * known yet: that is an ended(), which does not come from here.
 */
int cr_child_start(struct cr_loop *loop, const struct cr_child_spec *spec,
                   const struct cr_transport_owner *owner, void *data, struct cr_child **ret,
                   struct cr_err *err);

/* Kills the whole tree if it is still there, and waits for the guard to be gone. Takes NULL. */
void cr_child_free(struct cr_child *child);

/*
 * Writes the |count| parts of a line, at most CR_TRANSPORT_PARTS, and a line feed to the server,
 * now as far as it reads, the rest later. Memory of a part may be taken (base/outbox.h). Returns 0;
 * CAPRUN_E_STATE if it takes nothing any more; CAPRUN_E_TOOBIG if CR_CHILD_WAITING_MAX bytes wait
 * already; CAPRUN_E_NOMEM, and then it is killed if half of the line is written.
 */
int cr_child_send(struct cr_child *child, const struct cr_outbox_part *parts, size_t count,
                  struct cr_err *err);

/* Bytes that wait to be written. */
size_t cr_child_waiting(const struct cr_child *child);

/* From now on messages have the type of a long result (struct cr_message). */
void cr_child_find_types(struct cr_child *child);

/* Ends it in the orderly way; does nothing the second time. */
void cr_child_stop(struct cr_child *child);

/* Has it been stopped, or did it end? */
bool cr_child_is_ending(const struct cr_child *child);

/*
 * After ended(): "exited with status 1", "was killed by signal 11 (Segmentation fault)", "could not
 * be started: 'npx' is not there (No such file or directory)".
 */
const char *cr_child_why(const struct cr_child *child);

/* Was it never started, because the command is not there or may not be executed? */
bool cr_child_is_missing(const struct cr_child *child);

/* Appends its last words, escaped for a terminal, lines joined by |between|; at most |max| bytes.
 */
void cr_child_last_words(const struct cr_child *child, const char *between, size_t max,
                         struct cr_buf *out);

#endif
