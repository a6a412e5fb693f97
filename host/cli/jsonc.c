/* jsonc.c - replaces comments and trailing commas by spaces. */
#include "cli/jsonc.h"

#include <stdbool.h>
#include <string.h>

/* Returns where the string that begins at |at| ends: after its closing quote, or at |len|. */
static size_t skip_string(const char *text, size_t at, size_t len)
{
    for (at++; at < len && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at < len ? at + 1 : len;
}

static bool starts(const char *text, size_t at, size_t len, const char *with)
{
    return len - at >= 2 && memcmp(text + at, with, 2) == 0;
}

/* Returns where the comment that begins at |at| ends; |at| if there is none, or it is not closed.
 */
static size_t skip_comment(const char *text, size_t at, size_t len)
{
    size_t end = at + 2;

    if (starts(text, at, len, "//")) {
        while (end < len && text[end] != '\n')
            end++;
        return end;
    }
    if (!starts(text, at, len, "/*"))
        return at;
    while (end < len && !starts(text, end, len, "*/"))
        end++;
    return end < len ? end + 2 : at;
}

static void blank(char *text, size_t from, size_t to)
{
    for (; from < to; from++)
        if (text[from] != '\n' && text[from] != '\r')
            text[from] = ' ';
}

void cr_jsonc_strip(char *text, size_t len)
{
    size_t comma = len; /* the last comma, if it follows a value, and only spaces have followed */
    char last = '[';    /* the last character that is no space */

    for (size_t at = 0; at < len;) {
        size_t end = skip_comment(text, at, len);

        if (end > at) {
            blank(text, at, end);
            at = end;
            continue;
        }
        if ((text[at] == '}' || text[at] == ']') && comma < len)
            text[comma] = ' ';
        if (!strchr(" \t\r\n", text[at])) {
            comma = text[at] == ',' && !strchr("[{,:", last) ? at : len;
            last = text[at];
        }
        at = text[at] == '"' ? skip_string(text, at, len) : at + 1;
    }
}
