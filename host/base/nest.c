/* nest.c - measures how deep JSON is nested. */
#include "base/nest.h"

#include "base/scan_keys.h"

/* Returns how deep |json|, which is valid JSON, is nested. */
static size_t max_depth(const char *json, size_t len)
{
    size_t depth = 0, most = 0;
    bool in_string = false;

    for (size_t i = 0; i < len; i++) {
        if (json[i] == '"')
            in_string = !in_string;
        else if (in_string)
            i += json[i] == '\\';
        else if (json[i] == '[' || json[i] == '{')
            most = ++depth > most ? depth : most;
        else if (json[i] == ']' || json[i] == '}')
            depth--;
    }
    return most;
}

bool cr_nest_fits(const char *json, size_t len)
{
    size_t open = 0;

    for (size_t i = 0; i < len && open < CR_SCAN_MAX_DEPTH; i++)
        open += json[i] == '[' || json[i] == '{';
    return open < CR_SCAN_MAX_DEPTH || max_depth(json, len) < CR_SCAN_MAX_DEPTH;
}
