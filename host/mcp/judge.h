/*
 * judge.h - decides what the end of an exchange means: whether the message is sent again, and
 * else in which words its request has failed.
 *
 * A message is sent again if the server cannot have carried it out, or if it may be carried out
 * twice; a few times, after a pause.
 */
#ifndef CR_JUDGE_H
#define CR_JUDGE_H

#include "mcp/exchange.h"

#define CR_JUDGE_TRIES 3        /* of a message, if nothing says when to try again */
#define CR_JUDGE_REDIRECTS 3    /* that are followed for one message */
#define CR_JUDGE_PAUSE_MS 60000 /* the longest pause that a server may ask for */

struct cr_judgement {
    enum {
        CR_JUDGE_FINE,
        CR_JUDGE_AGAIN,    /* after |pause_ms| */
        CR_JUDGE_REDIRECT, /* send it to |url|, which has the same origin */
        CR_JUDGE_EXPIRED,  /* the server has forgotten the session */
        CR_JUDGE_LOST,
    } kind;
    int64_t pause_ms;
    bool may_have_effect, may_be_era; /* as in struct cr_transport_loss */
    char words[256], hint[480];       /* both safe to show; if LOST */
    char url[2050];
};

/* |was_reached|: this connection has had an answer before. */
void cr_judge_exchange(const struct cr_exchange *x, const struct cr_exchange_site *site,
                       bool was_reached, struct cr_judgement *ret);

#endif
