/* locate.c - walks along a JSON text, from value to value. */
#include "base/locate.h"

#include <string.h>

const char *cr_locate_string_end(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\' && at + 1 < end)
            at++;
    return at < end ? at + 1 : end;
}

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && cr_locate_is_space(*at))
        at++;
    return at;
}

const char *cr_locate_end(const char *at, const char *end)
{
    size_t depth = 0;

    while (at < end) {
        if (*at == '"') {
            at = cr_locate_string_end(at, end);
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            if (!depth)
                break;
            depth--;
            at++;
        } else if (!depth && (*at == ',' || cr_locate_is_space(*at))) {
            break;
        } else {
            at++; /* part of a number or a word, or a separator */
            continue;
        }
        if (!depth)
            break;
    }
    return at;
}

bool cr_locate_next(const char **at, const char *end, bool in_object, struct cr_locate_child *ret)
{
    const char *next = skip_spaces(*at, end);

    if (next < end && *next == ',')
        next = skip_spaces(next + 1, end);
    if (next == end || *next == ']' || *next == '}') {
        *at = next < end ? next + 1 : end;
        return false;
    }
    *ret = (struct cr_locate_child){0};
    if (in_object) {
        ret->key = next;
        next = ret->key_end = cr_locate_string_end(next, end);
        next = skip_spaces(next, end);
        next = skip_spaces(next < end ? next + 1 : end, end); /* the colon */
    }
    *at = ret->value = next;
    return true;
}

const char *cr_locate_member(const char *text, size_t len, const char *key, size_t *ret_len)
{
    const char *end = text + len, *at = skip_spaces(text, end);
    size_t key_len = strlen(key);
    struct cr_locate_child c;

    if (at == end || *at != '{')
        return NULL;
    for (at++; cr_locate_next(&at, end, true, &c); at = cr_locate_end(at, end)) {
        if ((size_t)(c.key_end - c.key) == key_len + 2 && memcmp(c.key + 1, key, key_len) == 0) {
            *ret_len = (size_t)(cr_locate_end(at, end) - at);
            return at;
        }
    }
    return NULL;
}
