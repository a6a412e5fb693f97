/*
 * colour.h - the colours of the command: decides whether an output gets them, and has their codes.
 *
 * Only these codes reach an output unescaped: untrusted text is escaped (base/escape.h), so it can
 * neither change colours nor look like a coloured line of caprun.
 */
#ifndef CR_CLI_COLOUR_H
#define CR_CLI_COLOUR_H

#include <stdbool.h>

enum cr_colour {
    CR_COLOUR_NONE, /* ends any other */
    CR_COLOUR_BAD,
    CR_COLOUR_GOOD,
    CR_COLOUR_HINT, /* what the user can do */
    CR_COLOUR_HEAD, /* of a table, or of a section */
    CR_COLOUR_DIM,
};

/*
 * Sets what --color asks for: "auto" (the default), "always" or "never". Returns false for any
 * other word.
 */
bool cr_colour_choose(const char *when);

/*
 * Returns the code that starts |colour| on |fd|, or "" if |fd| gets no colours. With "auto" only a
 * terminal gets them, and none if TERM is dumb, or if NO_COLOR is set and not empty. Never use it
 * for JSON.
 */
const char *cr_colour_code(int fd, enum cr_colour colour);

#endif
