/*
 * transport.h - how a server is reached: what a connection to it can do, and what its owner hears.
 *
 *     cr_endpoint --start()--> cr_transport --stop(), or it ends by itself--> ended() --> free()
 *
 * An endpoint is what a server is configured with: a command (mcp/stdio.h). It is started again
 * after each end. A transport is one connection, from start() to free(): a process, or a session
 * without one. Messages that are sent and messages that come are whole, and know nothing of each
 * other: how they are framed, and whether they share a stream, is the transport's matter.
 */
#ifndef CR_TRANSPORT_H
#define CR_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/loop.h"
#include "base/outbox.h"
#include "mcp/message.h"

#define CR_TRANSPORT_PARTS (CR_OUTBOX_PARTS - 1) /* of a message; one is left for its framing */

struct cr_transport;

/*
 * Callbacks come from the loop only. Each may stop the transport, or send to it; ended() may free
 * it, no other. Messages come also from one that is ending.
 */
struct cr_transport_owner {
    void (*message)(void *data, const struct cr_message *message); /* never NOISE */
    void (*room)(void *data); /* all that waited has been written */
    /* The server is gone, and all that was started for it. Comes once, and last. */
    void (*ended)(void *data);
};

struct cr_transport_ops {
    /*
     * Sends a message, JSON without line breaks, of |count| parts, at most CR_TRANSPORT_PARTS: now
     * as far as the server reads, the rest later. Memory of a part may be taken (base/outbox.h).
     * Returns 0; CAPRUN_E_STATE if the server takes nothing any more; CAPRUN_E_TOOBIG if too much
     * waits already; CAPRUN_E_NOMEM.
     */
    int (*send)(struct cr_transport *t, const struct cr_outbox_part *parts, size_t count,
                struct cr_err *err);
    /* Returns how many bytes wait to be written. */
    size_t (*waiting)(struct cr_transport *t);
    /* From now on messages have the type of a long result (struct cr_message). */
    void (*find_types)(struct cr_transport *t);
    /* Ends it in the orderly way; does nothing the second time. */
    void (*stop)(struct cr_transport *t);
    /* Has it been stopped, or did it end? */
    bool (*is_ending)(struct cr_transport *t);
    /*
     * After ended(): words that follow the name of the server, and that anybody may see: "exited
     * with status 1", "could not be started".
     */
    const char *(*why)(struct cr_transport *t);
    /* After ended(): could the server not be found, so that another try would fail as well? */
    bool (*is_missing)(struct cr_transport *t);
    /*
     * Appends what else explains an error, for the user alone: what is missing, or the last words
     * of the server, escaped for a terminal. At most |max| bytes; nothing if there is nothing.
     */
    void (*hint)(struct cr_transport *t, size_t max, struct cr_buf *out);
    /* Ends it at once if it has not ended; this may wait, and is not for a turn of the loop. */
    void (*free)(struct cr_transport *t);
};

/* A part of the struct of its kind. */
struct cr_transport {
    const struct cr_transport_ops *ops;
};

/* A part of the struct of its kind, which has copies of all that it needs. */
struct cr_endpoint {
    /*
     * What tells it from others, the same in each run of the program: strings, NULL at the end.
     * The era of the server is remembered by it (mcp/eras.h).
     */
    const char *const *key;
    /*
     * Starts a connection, of which there is one at a time. Returns 0, and the caller ends it with
     * free(); CAPRUN_E_SYS or CAPRUN_E_NOMEM if that failed on our side, and |err| is for the user
     * alone. A server that is not there is an ended(), which does not come from start() itself.
     */
    int (*start)(struct cr_endpoint *endpoint, struct cr_loop *loop,
                 const struct cr_transport_owner *owner, void *data, struct cr_transport **ret,
                 struct cr_err *err);
    void (*free)(struct cr_endpoint *endpoint);
};

#endif
