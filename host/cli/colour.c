/* colour.c - codes of colours, for outputs that get them. */
#include "cli/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AUTO, ALWAYS, NEVER };

static int chosen; /* by --color, once, before anything is printed */

bool cr_colour_choose(const char *when)
{
    static const char *const names[] = {[AUTO] = "auto", [ALWAYS] = "always", [NEVER] = "never"};

    for (int i = AUTO; i <= NEVER; i++)
        if (strcmp(names[i], when) == 0) {
            chosen = i;
            return true;
        }
    return false;
}

static bool has_colours(int fd)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    if (chosen != AUTO)
        return chosen == ALWAYS;
    return !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0) && isatty(fd);
}

const char *cr_colour_code(int fd, enum cr_colour colour)
{
    static const char *const codes[] = {
        [CR_COLOUR_NONE] = "\033[0m",  [CR_COLOUR_BAD] = "\033[31m", [CR_COLOUR_GOOD] = "\033[32m",
        [CR_COLOUR_HINT] = "\033[36m", [CR_COLOUR_HEAD] = "\033[1m", [CR_COLOUR_DIM] = "\033[2m"};

    return has_colours(fd) ? codes[colour] : "";
}
