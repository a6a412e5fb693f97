/*
 * trust.h - a project's configuration takes effect only if this user has accepted it.
 *
 * A cloned repository may bring a .caprun.json that starts any command and allows every call. So
 * each project's file needs the user's consent, which is kept in the state directory
 * (trust_store.h). Only a file that starts and allows nothing needs none, and a file that only
 * starts or allows less than the accepted one (config/wider.h). CAPRUN_TRUST=1 accepts every file
 * for one process.
 */
#ifndef CR_CLI_TRUST_H
#define CR_CLI_TRUST_H

#include "caprun.h"
#include "cli/options.h"
#include "config/config.h"

/* What to do about a file that has not been accepted. */
enum cr_trust_need {
    CR_TRUST_NEED_ASK,    /* ask the person at the terminal; without one: an error */
    CR_TRUST_NEED_REFUSE, /* an error */
    CR_TRUST_NEED_SHOW,   /* read it, without replacing variables: |is_plain| */
};

enum cr_trust_state {
    CR_TRUST_IS_FREE,     /* it needs no acceptance */
    CR_TRUST_IS_ACCEPTED, /* as it is, or it is narrower than what was accepted */
    CR_TRUST_IS_FROM_ENVIRONMENT,
    CR_TRUST_IS_MISSING,
};

/* The data of the gate. */
struct cr_trust {
    const struct cr_options *options;
    enum cr_trust_need need;
    enum cr_trust_state state; /* is set */
};

/* For struct cr_config_gate: |trust| is a struct cr_trust. */
int cr_trust_decide(void *trust, struct cr_config *config, struct cr_err *why);

/* Keeps that the user accepts the file |path| with these bytes, because the user has made it. */
int cr_trust_accept_own(const char *path, const void *bytes, size_t len, struct cr_err *why);

/* `caprun trust`. Returns the exit status; or -1, and |run| has ended. */
int cr_cli_trust(struct caprun_run *run, const struct cr_options *o);

#endif
