/* pattern.c - checks patterns, and matches them. */
#include "base/pattern.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#define NAMESPACE "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-*?"
#define ACTION NAMESPACE "./"
#define NAMESPACE_MAX 64
#define ACTION_MAX 128

static bool is_made_of(const char *text, size_t len, const char *characters, size_t max)
{
    return len > 0 && len <= max && strspn(text, characters) >= len;
}

bool cr_pattern_is_action(const char *text)
{
    return is_made_of(text, strlen(text), ACTION, ACTION_MAX);
}

bool cr_pattern_is(const char *text)
{
    size_t len = strcspn(text, ":");

    return is_made_of(text, len, NAMESPACE, NAMESPACE_MAX) &&
           (!text[len] || cr_pattern_is_action(text + len + 1));
}

/* The characters that an alias writes as "_". */
static const bool is_folded[UCHAR_MAX + 1] = {
    ['_'] = true, ['-'] = true, ['.'] = true, ['/'] = true};

char cr_pattern_alias(char c)
{
    return is_folded[(unsigned char)c] ? '_' : c;
}

static bool is_same(char a, char b, bool alias)
{
    return a == b || (alias && is_folded[(unsigned char)a] && is_folded[(unsigned char)b]);
}

/* Returns where the character after the one at |at| begins: UTF-8 has characters of many bytes. */
static size_t next_character(const char *text, size_t len, size_t at)
{
    do {
        at++;
    } while (at < len && ((unsigned char)text[at] & 0xc0) == 0x80);
    return at;
}

/*
 * After a mismatch, only the last * is tried again, with one more character. An earlier * need not
 * be: all that it could match instead, the last one can match, too.
 */
static bool glob(const char *pattern, size_t pattern_len, const char *text, size_t text_len,
                 bool alias)
{
    size_t p = 0, t = 0, taken = 0;
    size_t star = pattern_len; /* index of the last *; pattern_len: none yet */

    while (t < text_len) {
        if (p < pattern_len && pattern[p] == '*') {
            star = p++;
            taken = t;
        } else if (p < pattern_len && (pattern[p] == '?' || is_same(pattern[p], text[t], alias))) {
            t = pattern[p++] == '?' ? next_character(text, text_len, t) : t + 1;
        } else if (star < pattern_len) {
            p = star + 1;
            t = ++taken;
        } else {
            return false;
        }
    }
    while (p < pattern_len && pattern[p] == '*')
        p++;
    return p == pattern_len;
}

/* Matches the parts before and after the ":" separately: names have only this ":". */
static bool matches(const char *pattern, const char *method, bool alias)
{
    size_t ours = strcspn(pattern, ":"), theirs = strcspn(method, ":");
    const char *action = method + theirs;

    if (!glob(pattern, ours, method, theirs, alias))
        return false;
    if (!pattern[ours])
        return true;
    pattern += ours + 1;
    return *action && glob(pattern, strlen(pattern), action + 1, strlen(action + 1), alias);
}

bool cr_pattern_glob(const char *pattern, const char *text, size_t len)
{
    return glob(pattern, strlen(pattern), text, len, false);
}

bool cr_pattern_matches(const char *pattern, const char *method)
{
    return matches(pattern, method, false);
}

bool cr_pattern_matches_alias(const char *pattern, const char *method)
{
    return matches(pattern, method, true);
}
