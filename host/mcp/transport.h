/*
 * transport.h - the interface of a connection to a server: its functions, and the owner's
 * callbacks.
 *
 *     cr_endpoint --start()--> cr_transport --stop(), or it ends by itself--> ended() --> free()
 *
 * An endpoint is the configured way to reach a server: a command (mcp/stdio.h) or a URL
 * (mcp/remote.h). It can be started again after each end. A transport is one connection, from
 * start() to free(): a process, or a session without a process. Messages are always complete.
 * Framing, and whether messages share a stream, is internal to the transport.
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

#define CR_TRANSPORT_PARTS (CR_OUTBOX_PARTS - 1) /* of a message; one is reserved for framing */

struct cr_transport;

/* What a message is, for transports that say so beside the message. Strings are copied. */
struct cr_transport_label {
    const char *method;  /* NULL: an answer to a request of the server */
    const char *tool;    /* that "tools/call" calls; else NULL */
    const char *version; /* of the protocol, as agreed on; "": not yet */
    uint64_t id;         /* of a request; 0: nothing answers the message */
    bool is_modern;      /* the message is one of the modern era */
    bool is_repeatable;  /* the request may be sent again, even if the first may have had effects */
};

/* Why a request will not be answered. The connection goes on. */
struct cr_transport_loss {
    uint64_t id;
    bool may_have_effect; /* the server may have carried out the request */
    bool may_be_era;      /* the server refused it in a way that a server of the other era may */
    /* The server has forgotten the session, and did not carry it out. The transport ends. */
    bool has_expired;
    const char *words; /* follow the name of the server; the untrusted code may see them */
    const char *hint;  /* only for the user; or "" */
    uint8_t **block;   /* the memory of a part that send() took over. Setting *|block| to NULL takes
                          it back, with the bytes as they were. NULL: there is none */
};

/*
 * Callbacks come only from the loop. Each may stop the transport, or send to it; only ended() may
 * free it. Messages may also come after stop(), until ended().
 */
struct cr_transport_owner {
    void (*message)(void *data, const struct cr_message *message); /* never NOISE */
    void (*room)(void *data); /* all waiting bytes have been written */
    void (*lost)(void *data, const struct cr_transport_loss *loss);
    /* The server has ended, and all processes started for it. Called once, as the last callback. */
    void (*ended)(void *data);
};

struct cr_transport_ops {
    /*
     * Sends a message, JSON without line breaks, of |count| parts, at most CR_TRANSPORT_PARTS. What
     * the server does not read now is sent later. Memory of a part may be taken over
     * (base/outbox.h). Returns 0; CAPRUN_E_STATE if the server accepts no input any longer;
     * CAPRUN_E_TOOBIG if too much is waiting already; CAPRUN_E_NOMEM.
     */
    int (*send)(struct cr_transport *t, const struct cr_transport_label *label,
                const struct cr_outbox_part *parts, size_t count, struct cr_err *err);
    /*
     * The owner does not need the answer to the request |id| any longer. Returns true if that tells
     * the server; false if the server needs a notification.
     */
    bool (*drop)(struct cr_transport *t, uint64_t id);
    /* Returns how many bytes wait to be written. */
    size_t (*waiting)(struct cr_transport *t);
    /* From now on messages have |has_type| for long results (struct cr_message). */
    void (*find_types)(struct cr_transport *t);
    /* Stops the transport gracefully; a second call does nothing. */
    void (*stop)(struct cr_transport *t);
    /* Was the transport stopped, or has it ended? */
    bool (*is_ending)(struct cr_transport *t);
    /*
     * After ended(): the reason, a text that follows the name of the server: "exited with status
     * 1", "could not be started". The untrusted code may see it.
     */
    const char *(*why)(struct cr_transport *t);
    /* After ended(): could the server not be found, so that another start would fail, too? */
    bool (*is_missing)(struct cr_transport *t);
    /* After ended(): has the server forgotten the session, so that a new start is no failure? */
    bool (*has_expired)(struct cr_transport *t);
    /*
     * Appends details of an error that only the user may see: what is missing, or the last output
     * of the server, escaped for a terminal. At most |max| bytes, perhaps none.
     */
    void (*hint)(struct cr_transport *t, size_t max, struct cr_buf *out);
    /* Kills the connection if it has not ended. May block: not for a turn of the loop. */
    void (*free)(struct cr_transport *t);
};

/* Embedded in the struct of each kind of transport. */
struct cr_transport {
    const struct cr_transport_ops *ops;
};

/* Embedded in the struct of each kind of endpoint, which owns copies of all it needs. */
struct cr_endpoint {
    /*
     * Identifies the endpoint, also across runs of the program: strings, NULL at the end. It is the
     * key under which the server's era is remembered (mcp/eras.h).
     */
    const char *const *key;
    /*
     * Starts a connection; only one may exist at a time. Returns 0, and the caller frees it with
     * free(); CAPRUN_E_SYS or CAPRUN_E_NOMEM if the host failed, and only the user may see |err|. A
     * missing server is no error here: ended() reports it later, from the loop.
     */
    int (*start)(struct cr_endpoint *endpoint, struct cr_loop *loop,
                 const struct cr_transport_owner *owner, void *data, struct cr_transport **ret,
                 struct cr_err *err);
    void (*free)(struct cr_endpoint *endpoint);
};

#endif
