/*
 * mailbox.h - messages from any thread to the thread of a loop, in their order.
 *
 *     cr_mailbox_init -> cr_mailbox_send, from any thread -> receive(), in the loop
 *                     -> cr_mailbox_clear
 *
 * A message is a part of its sender's struct, and belongs to the mailbox until it is received. To
 * send needs no memory and does not wait.
 */
#ifndef CR_MAILBOX_H
#define CR_MAILBOX_H

#include <pthread.h>

#include "base/loop.h"

struct cr_mail {
    struct cr_mail *next;
};

struct cr_mailbox {
    struct cr_loop *loop;
    void (*receive)(void *data, struct cr_mail *mail); /* may send, also to this mailbox */
    void *data;
    pthread_mutex_t mutex;
    struct cr_mail *first, **last;
    struct cr_watch bell; /* an eventfd: there is mail */
    bool is_there;
};

/* |loop| calls |receive| with |data|. Returns 0, and cr_mailbox_clear() ends it; or CAPRUN_E_SYS.
 */
int cr_mailbox_init(struct cr_mailbox *box, struct cr_loop *loop,
                    void (*receive)(void *data, struct cr_mail *mail), void *data,
                    struct cr_err *err);

void cr_mailbox_send(struct cr_mailbox *box, struct cr_mail *mail);

/* Takes the first message without waiting for the loop; NULL: there is none. */
struct cr_mail *cr_mailbox_take(struct cr_mailbox *box);

/* Nobody sends any more. What was not received is the caller's. Does nothing the second time. */
void cr_mailbox_clear(struct cr_mailbox *box);

#endif
