/*
 * zygote.h - the host's end of a zygote: starts it, asks it for workers, hears how they ended.
 *
 *     starting --> greeted (locked down and warm) --> dead --> gone (reaped)
 *
 * A zygote can be asked for workers from the start; they come when it is warm. If it refuses, or
 * dies, every worker that was asked of it is told (cr_worker_lost), and |error| has the words. The
 * owner hears of each step above by |changed|, always from the loop.
 *
 * Its packets are read when somebody waits for one of them, or by cr_zygote_read(): a worker that
 * is made ready for later is no reason to wake the host.
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
    bool all_layers;   /* one that lacks a layer is not used */
    uint32_t uid_base; /* the first uid that it uses, if root starts it; 0: its own choice */
};

struct cr_zygote {
    struct cr_loop *loop;
    void (*changed)(struct cr_zygote *z);
    void *data; /* the owner's */
    struct cr_watch control;
    size_t awaited;                /* packets that somebody waits for */
    pid_t program;                 /* what was started; it leaves when the zygote is there */
    struct cr_watch program_ended; /* its pidfd */
    pid_t pid;                     /* the zygote, a child of ours too */
    struct cr_watch ended;         /* its pidfd */
    struct cr_timer patience;      /* set meanwhile */
    struct cr_timer look;          /* at a program that has no pidfd */
    bool all_layers;               /* it has to have them */
    bool greeted, dead, listening;
    bool awaits_birth; /* it is dead, and its program has yet to say which process it is */
    bool lacks_layers; /* which is why it is dead */
    bool tested;       /* we may kill its workers */
    unsigned filters;  /* that it was born with */
    uint8_t layers[WIRE_LAYERS]; /* 0, or the errno of why a layer is missing */
    uint64_t resident;           /* bytes that one of its workers has in memory when it is ready */
    uint32_t slots;              /* workers that it was asked for */
    struct cr_worker *workers;   /* that it has not reported as ended */
    size_t users;                /* workers that still point here */
    int64_t born_us;
    struct cr_zygote *next; /* in the pool's list */
    bool retired;           /* the pool asks it for no more */
    bool distrusted;        /* nor gives out what it has made */
    bool eager;             /* the pool waits for what it has asked for */
    struct cr_err error;
};

/*
 * Starts the program at |path|. On success *|ret| is the caller's. Returns 0, CAPRUN_E_SYS or
 * CAPRUN_E_NOMEM. What comes later, a refusal included, is told to the workers.
 */
int cr_zygote_new(struct cr_loop *loop, const char *path, const struct cr_zygote_rules *rules,
                  void (*changed)(struct cr_zygote *z), void *data, struct cr_zygote **ret,
                  struct cr_err *err);

/* Ends the zygote, and with it all its workers; |changed| tells when it is gone. */
void cr_zygote_end(struct cr_zygote *z);

bool cr_zygote_is_gone(const struct cr_zygote *z);

/* Ends the zygote, waits until it is gone, and frees it. Nobody may point to it any more. */
void cr_zygote_free(struct cr_zygote *z);

/*
 * Asks for a worker with |socket| as its descriptor 3. |worker| gets a slot and is told what
 * becomes of it. Returns 0 or an error, CAPRUN_E_BUSY if too much is asked already; the caller
 * keeps its own copy of |socket|.
 */
int cr_zygote_fork(struct cr_zygote *z, struct cr_worker *worker, int socket, struct cr_err *err);

/*
 * Ends the worker of |z| behind |pidfd|. If that is refused, because this process has changed since
 * it was tested, the whole zygote ends, and takes all its workers along: the loop will tell.
 */
void cr_zygote_kill(struct cr_zygote *z, int pidfd);

/* The worker is not interested any more. */
void cr_zygote_forget(struct cr_zygote *z, struct cr_worker *worker);

/* One more, or one less, waits for a packet. */
void cr_zygote_await(struct cr_zygote *z);
void cr_zygote_unawait(struct cr_zygote *z);

/* Whether its packets are to be read as soon as they come, even if nobody waits for one. */
void cr_zygote_set_eager(struct cr_zygote *z, bool eager);

/* Reads the packets that are there. */
void cr_zygote_read(struct cr_zygote *z);

/*
 * Starts the program at |path| with an empty environment and |control| as its descriptor 3.
 * |argument| may be NULL, and |uid_base| 0. Returns 0, CAPRUN_E_SYS or CAPRUN_E_NOMEM.
 */
int cr_zygote_spawn(const char *path, const char *argument, uint32_t uid_base, int control,
                    pid_t *ret_pid, struct cr_err *err);

/* The words for a step that failed. */
const char *cr_zygote_step_text(uint32_t step);

/*
 * Is any layer missing that keeps code in? The clock keeps nothing: without it, timeouts have no
 * stack.
 */
bool cr_zygote_lacks_layer(const uint8_t layers[WIRE_LAYERS]);

/* Writes the names of the layers with an error to |ret|, of |size| bytes; "" if none is missing. */
void cr_zygote_missing(const uint8_t layers[WIRE_LAYERS], char *ret, size_t size);

#endif
