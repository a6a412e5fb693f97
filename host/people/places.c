/* places.c - recognizes paths and URLs among the strings of args. */
#include "people/places.h"

#include <string.h>

#include "base/locate.h"

#define MOST_RELATIVE 256u /* bytes of a text that is a path only because it has a slash */

/* --- one string ------------------------------------------------------------------------------- */

static bool ends_with(const char *key, size_t len, const char *end)
{
    size_t n = strlen(end);

    if (len < n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((key[len - n + i] | 0x20) != end[i])
            return false;
    return true;
}

/* Does |key|, with its quotes, name a place? */
static bool is_key_of_place(const char *key, size_t len)
{
    static const char *const ends[] = {"path", "file",   "filename",    "dir",  "directory",
                                       "url",  "uri",    "href",        "host", "folder",
                                       "root", "source", "destination", "cwd",  "endpoint"};

    for (size_t i = 0; len > 2 && i < sizeof(ends) / sizeof(ends[0]); i++)
        if (ends_with(key + 1, len - 2, ends[i]))
            return true;
    return false;
}

static bool has_blank(const char *text, size_t len)
{
    return memchr(text, ' ', len) || memchr(text, '\\', len);
}

/* |text| is without its quotes. What begins with an escape may be hiding something: it counts. */
static bool is_place(const char *text, size_t len)
{
    if (!len)
        return false;
    if (text[0] == '/' || text[0] == '~' || (text[0] == '.' && len > 1))
        return true;
    if (text[0] == '\\' && (text[1] == '/' || text[1] == 'u'))
        return true;
    if (memmem(text, len < 64 ? len : 64, "://", 3))
        return true;
    return len <= MOST_RELATIVE && memchr(text, '/', len) && !has_blank(text, len);
}

bool cr_places_is_unusual(const char *value, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)value[i] >= 0x80 ||
            (value[i] == '\\' && i + 1 < len && (value[i + 1] == 'u' || value[i + 1] == '/')))
            return true;
    return false;
}

/* --- all -------------------------------------------------------------------------------------- */

static void add(struct cr_places *places, const struct cr_place_in_args *one, size_t depth)
{
    places->count++;
    if (depth <= 1 && places->outer < CR_PLACES_SHOWN) {
        if (places->shown_count < CR_PLACES_SHOWN)
            places->shown_count++;
        memmove(&places->shown[places->outer + 1], &places->shown[places->outer],
                (places->shown_count - places->outer - 1) * sizeof(*one));
        places->shown[places->outer++] = *one;
    } else if (places->shown_count < CR_PLACES_SHOWN) {
        places->shown[places->shown_count++] = *one;
    }
}

void cr_places_find(struct cr_places *places, const char *json, size_t len)
{
    const char *end = json + len, *at = json;
    struct cr_place_in_args one = {0};
    size_t depth = json[0] == '{' || json[0] == '[' ? 0 : 1;

    while (at < end) {
        const char *after;

        if (*at != '"') {
            depth += *at == '{' || *at == '[';
            depth -= (*at == '}' || *at == ']') && depth;
            at++;
            continue;
        }
        after = cr_locate_string_end(at, end);
        one.value = at;
        one.value_len = (size_t)(after - at);
        for (at = after; at < end && cr_locate_is_space(*at);)
            at++;
        if (at < end && *at == ':') {
            one.key = one.value;
            one.key_len = one.value_len;
        } else if (is_place(one.value + 1, one.value_len - 2) ||
                   (one.value_len > 2 && is_key_of_place(one.key, one.key_len))) {
            add(places, &one, depth);
        }
    }
}
