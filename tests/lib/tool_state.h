/* tool_state.h - compares one tool with its pin in a lockfile. */
#ifndef TOOL_STATE_H
#define TOOL_STATE_H

#include "registry/tool_pins.h"

/* Returns -1 if out of memory. */
static inline int tool_state(const struct cr_lockfile *lock, const char *server,
                             const struct cr_tool_now *now)
{
    struct cr_tool_pins_index index;
    int state;

    if (cr_tool_pins_index(lock, server, &index) < 0)
        return -1;
    state = (int)cr_tool_pins_check(&index, now);
    cr_tool_pins_index_clear(&index);
    return state;
}

#endif
