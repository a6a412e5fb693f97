/*
 * zygote.h - the host's end of a zygote: starts it, asks it for workers, hears how they ended.
 *
 * A zygote tells what it found of the sandbox in its first packet. If it refuses, or dies, every
 * worker that was asked of it is told (its |gone| callback), and |error| has the words.
 */
#ifndef CR_ZYGOTE_H
#define CR_ZYGOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/loop.h"
#include "wire.h"

struct cr_worker;

struct cr_zygote {
    struct cr_loop *loop;
    struct cr_watch control;
    pid_t program;                 /* what was started; it leaves when the zygote is there */
    struct cr_watch program_ended; /* its pidfd */
    pid_t pid;                     /* the zygote, a child of ours too */
    bool greeted;                  /* it is locked down and warm */
    bool dead;
    uint8_t layers[WIRE_LAYERS]; /* 0, or the errno of why a layer is missing */
    uint32_t next_slot;
    struct cr_worker *workers; /* that it has not yet reported as ended */
    struct cr_err error;
};

/*
 * Starts the program at |path|. Returns 0, CAPRUN_E_SYS or CAPRUN_E_NOMEM. What comes later, a
 * refusal included, is told to the workers.
 */
int cr_zygote_start(struct cr_zygote *z, struct cr_loop *loop, const char *path,
                    struct cr_err *err);

/* Ends the zygote and with it every worker, and waits until it is gone. */
void cr_zygote_stop(struct cr_zygote *z);

/*
 * Asks for a worker with |socket| as its descriptor 3. |worker| gets a slot and is told what
 * becomes of it. Returns 0 or an error; the caller keeps its own copy of |socket|.
 */
int cr_zygote_fork(struct cr_zygote *z, struct cr_worker *worker, int socket, uint64_t memory,
                   uint32_t cpu_s, struct cr_err *err);

/* The worker is not interested any more. */
void cr_zygote_forget(struct cr_zygote *z, struct cr_worker *worker);

/* Writes the names of the missing layers to |ret|, of |size| bytes; "" if none is missing. */
void cr_zygote_missing(const struct cr_zygote *z, char *ret, size_t size);

#endif
