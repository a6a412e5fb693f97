/*
 * wider.h - what a configuration would start or allow that the accepted one did not.
 *
 * A pure function over two parsed files. Only what it knows to be narrower is let through: servers,
 * patterns and rules that allow, registries and granted variables that are gone, and denies that
 * are new. Every other difference is found, also in keys that it does not know. The order of keys
 * is no difference.
 *
 * Without an accepted file, what needs no acceptance is let through, too: "ask", "onDenied", limits
 * that are not above the defaults, and directories below the file as registries, unless the user's
 * own file gives rights to capabilities by their names.
 */
#ifndef CR_WIDER_H
#define CR_WIDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"

enum cr_wider_kind {
    CR_WIDER_SERVER,   /* is new or changed */
    CR_WIDER_REVEALED, /* is gone, and the user's own file has a server of this name */
    CR_WIDER_ALLOW,    /* a pattern, new in "allow" */
    CR_WIDER_ASK,      /* a pattern, new in "ask": it may be stronger than a deny */
    CR_WIDER_NO_ASK,   /* a pattern, gone from "ask" */
    CR_WIDER_NO_DENY,  /* a pattern, gone from "deny" */
    CR_WIDER_RULE,     /* is new, changed or moved, and does not only deny */
    CR_WIDER_NO_RULE,  /* is gone, and did not only allow */
    CR_WIDER_REGISTRY, /* is new or moved */
    CR_WIDER_GRANT,    /* a variable, new in "env" of the capability |name| */
    CR_WIDER_VARIABLE, /* a string that has a ${NAME} that the accepted file does not have */
    CR_WIDER_SETTING,  /* any other difference; |name| is its key, or "key.key" */
};

struct cr_wider {
    enum cr_wider_kind kind;
    const char *name;        /* of a server, capability or setting; else NULL */
    const struct cJSON *was; /* the accepted value, or NULL */
    const struct cJSON *now; /* the new value, or NULL */
};

typedef void (*cr_wider_fn)(void *data, const struct cr_wider *found);

/*
 * Compares |now| with the accepted |was|; NULL: nothing has been accepted. |users| is the user's
 * own file, or NULL. Calls |found|, which may be NULL, for each part that needs to be accepted, and
 * counts them in |ret|. Returns 0, or CAPRUN_E_NOMEM: then nothing is known.
 */
int cr_wider_find(const struct cJSON *was, const struct cJSON *now, const struct cJSON *users,
                  cr_wider_fn found, void *data, size_t *ret);

/* Is |registry| a directory below the file, as far as its text tells? Links may lead elsewhere. */
bool cr_wider_is_below(const struct cJSON *registry);

#endif
