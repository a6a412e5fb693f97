/*
 * zygote.h - the host's side of a zygote: starts it, asks it for workers, and reads how they ended.
 *
 *     starting --> greeted (locked down and warm) --> dead --> gone (reaped)
 *
 * Workers can be requested from the start; they come when the zygote is warm. If the zygote refuses
 * or dies, cr_worker_lost() is called for every requested worker, and |error| is the reason. Each
 * step above is reported to the owner with |changed|, always from the loop.
 *
 * Packets are read when a caller waits for one of them, or by cr_zygote_read(): a worker that is
 * made ahead of demand is no reason to wake the host.
 */
#ifndef CR_ZYGOTE_H
#define CR_ZYGOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/loop.h"
#include "wire.h"

struct cr_worker;

struct cr_zygote_rules {
    bool all_layers;   /* a zygote that lacks a layer is not used */
    uint32_t uid_base; /* the first uid that it uses, if root starts it; 0: it chooses */
};

struct cr_zygote {
    struct cr_loop *loop;
    void (*changed)(struct cr_zygote *z);
    void *data; /* belongs to the owner */
    struct cr_watch control;
    size_t awaited;                /* packets that callers wait for */
    pid_t program;                 /* the started program; it ends when the zygote runs */
    struct cr_watch program_ended; /* its pidfd */
    pid_t pid;                     /* the zygote, also a child of this process */
    struct cr_watch ended;         /* its pidfd */
    struct cr_timer patience;      /* set while |awaits_birth| */
    struct cr_timer look;          /* checks a program that has no pidfd */
    bool all_layers;               /* all layers are required */
    bool greeted, dead, listening;
    bool awaits_birth;           /* it is dead, but its program has not reported its process yet */
    bool lacks_layers;           /* it is dead because layers are missing */
    bool tested;                 /* we may kill its workers */
    unsigned filters;            /* seccomp filters that it inherited */
    uint8_t layers[WIRE_LAYERS]; /* 0, or the errno of why a layer is missing */
    uint64_t resident;           /* bytes that one of its workers has in memory when it is ready */
    uint32_t slots;              /* workers that it was asked for */
    struct cr_worker *workers;   /* workers that it has not reported as ended */
    size_t users;                /* workers that still point to this struct */
    int64_t born_us;
    struct cr_zygote *next; /* in the stock's list */
    bool retired;           /* no new workers are requested */
    bool is_rejected;       /* the workers that it has forked are not used either */
    bool eager;             /* read its packets as soon as they come */
    struct cr_err error;
};

/*
 * Starts the program at |path|. On success the caller owns *|ret|. Returns 0, CAPRUN_E_SYS or
 * CAPRUN_E_NOMEM. Later failures, also a refusal, are reported to the workers.
 */
int cr_zygote_new(struct cr_loop *loop, const char *path, const struct cr_zygote_rules *rules,
                  void (*changed)(struct cr_zygote *z), void *data, struct cr_zygote **ret,
                  struct cr_err *err);

/* Ends the zygote and all its workers; |changed| is called when it is gone. */
void cr_zygote_end(struct cr_zygote *z);

bool cr_zygote_is_gone(const struct cr_zygote *z);

/* Ends the zygote, waits until it is gone, and frees it. No worker may point to it any more. */
void cr_zygote_free(struct cr_zygote *z);

/*
 * Asks for a worker with |socket| as its descriptor 3. |worker| gets a slot, and reports of how its
 * process is created and ends. Returns 0 or an error, CAPRUN_E_BUSY if too many requests are open;
 * the caller keeps its own copy of |socket|.
 */
int cr_zygote_fork(struct cr_zygote *z, struct cr_worker *worker, int socket, struct cr_err *err);

/*
 * Kills the worker of |z| behind |pidfd|. If this process is not allowed to any more, since its
 * rights have changed since the test, the whole zygote ends with all its workers, and the loop
 * reports it.
 */
void cr_zygote_kill(struct cr_zygote *z, int pidfd);

/* Removes |worker| from the list: it gets no further reports. */
void cr_zygote_forget(struct cr_zygote *z, struct cr_worker *worker);

/* One more caller waits for a packet, or one less. */
void cr_zygote_await(struct cr_zygote *z);
void cr_zygote_unawait(struct cr_zygote *z);

/* Sets whether packets are read as soon as they come, even if no caller waits for one. */
void cr_zygote_set_eager(struct cr_zygote *z, bool eager);

/* Reads the packets that have come. */
void cr_zygote_read(struct cr_zygote *z);

/*
 * Starts the program at |path| with an empty environment and |control| as its descriptor 3.
 * |argument| may be NULL, and |uid_base| 0. Returns 0, CAPRUN_E_SYS or CAPRUN_E_NOMEM.
 */
int cr_zygote_spawn(const char *path, const char *argument, uint32_t uid_base, int control,
                    pid_t *ret_pid, struct cr_err *err);

/* Returns words for a step that failed. */
const char *cr_zygote_step_text(uint32_t step);

/*
 * Is any layer missing that restricts the code? The clock does not restrict it: without the clock,
 * timeouts have no stack.
 */
bool cr_zygote_lacks_layer(const uint8_t layers[WIRE_LAYERS]);

/* Writes the names of the layers with an error to |ret|, of |size| bytes; "" if none is missing. */
void cr_zygote_missing(const uint8_t layers[WIRE_LAYERS], char *ret, size_t size);

#endif
