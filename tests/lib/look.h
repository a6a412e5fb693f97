/*
 * look.h - a second, independent JSON and UTF-8 reader, for fuzzers.
 *
 * It shares no code with base/scan.c and base/utf8.c, and is as simple as possible: any error
 * aborts the program.
 */
#ifndef LOOK_H
#define LOOK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* assert() that -DNDEBUG does not remove. */
#define insist(condition) ((condition) ? (void)0 : abort())

struct look_part {
    const uint8_t *at;
    size_t len;
};

struct look {
    const uint8_t *at, *end;
    uint8_t close; /* the closing bracket of the current array or object; 0: not entered */
    unsigned depth, deepest; /* the current and the greatest number of open ones */
};

static inline struct look look_at(const void *text, size_t len)
{
    return (struct look){.at = text, .end = (const uint8_t *)text + len};
}

/* Returns how many bytes the first character takes, or 0 if it is invalid. */
static inline size_t look_character(const uint8_t *at, size_t len)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = *at < 0x80 ? 1 : *at >> 5 == 6 ? 2 : *at >> 4 == 14 ? 3 : *at >> 3 == 30 ? 4 : 0;
    uint32_t c = *at & (0xffu >> (n + 1));

    if (n <= 1 || n > len)
        return n <= len ? n : 0;
    for (size_t i = 1; i < n; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        c = c << 6 | (at[i] & 0x3f);
    }
    return c < least[n] || c > 0x10ffff || c >> 11 == 0x1b ? 0 : n;
}

static inline void look_space(struct look *l)
{
    while (l->at < l->end && memchr(" \t\r\n", *l->at, 4))
        l->at++;
}

/* Reads the next byte, which must exist. */
static inline uint8_t look_byte(struct look *l)
{
    insist(l->at < l->end);
    return *l->at++;
}

static inline size_t look_some(struct look *l, const char *set)
{
    const uint8_t *from = l->at;

    while (l->at < l->end && *l->at && strchr(set, *l->at))
        l->at++;
    return (size_t)(l->at - from);
}

static inline void look_string(struct look *l)
{
    insist(look_byte(l) == '"');
    while (l->at < l->end && *l->at != '"') {
        size_t n = look_character(l->at, (size_t)(l->end - l->at));

        insist(n > 0 && *l->at >= 0x20);
        l->at += n;
        if (l->at[-1] != '\\')
            continue;
        if (look_byte(l) != 'u')
            insist(memchr("\"\\/bfnrt", l->at[-1], 8));
        else
            for (int i = 0; i < 4; i++)
                insist(strchr("0123456789abcdefABCDEF", look_byte(l)) && l->at[-1]);
    }
    insist(look_byte(l) == '"');
}

static inline void look_number(struct look *l)
{
    static const char digits[] = "0123456789";

    l->at += l->at < l->end && *l->at == '-';
    if (l->at < l->end && *l->at == '0')
        l->at++;
    else
        insist(look_some(l, digits));
    if (l->at < l->end && *l->at == '.') {
        l->at++;
        insist(look_some(l, digits));
    }
    if (l->at < l->end && (*l->at == 'e' || *l->at == 'E')) {
        l->at++;
        l->at += l->at < l->end && (*l->at == '+' || *l->at == '-');
        insist(look_some(l, digits));
    }
}

static inline bool look_next(struct look *l, struct look_part *key, struct look_part *value);

static inline void look_value(struct look *l)
{
    static const char *const words[] = {"true", "false", "null"};
    struct look inside = *l;
    struct look_part key, value;

    insist(l->at < l->end);
    for (int i = 0; i < 3; i++) {
        size_t len = strlen(words[i]);

        if ((size_t)(l->end - l->at) >= len && memcmp(l->at, words[i], len) == 0) {
            l->at += len;
            return;
        }
    }
    if (*l->at == '"') {
        look_string(l);
    } else if (*l->at == '{' || *l->at == '[') {
        inside.close = 0;
        while (look_next(&inside, &key, &value))
            ;
        l->at = inside.at;
        l->deepest = inside.deepest;
    } else {
        look_number(l);
    }
}

/*
 * Reads the next member of the array or object at which |l| began; items of an array have no key.
 * Returns false at its end.
 */
static inline bool look_next(struct look *l, struct look_part *key, struct look_part *value)
{
    bool first = !l->close;

    look_space(l);
    if (first) {
        l->close = look_byte(l) == '{' ? '}' : ']';
        l->deepest = ++l->depth > l->deepest ? l->depth : l->deepest;
        look_space(l);
    }
    insist(l->at < l->end);
    if (*l->at == l->close) {
        l->at++;
        return false;
    }
    insist(first || look_byte(l) == ',');
    look_space(l);
    *key = (struct look_part){l->at, 0};
    if (l->close == '}') {
        look_string(l);
        key->len = (size_t)(l->at - key->at);
        look_space(l);
        insist(look_byte(l) == ':');
        look_space(l);
    }
    value->at = l->at;
    look_value(l);
    value->len = (size_t)(l->at - value->at);
    look_space(l);
    return true;
}

/* Checks that the text is one value. Returns its depth. */
static inline unsigned look_whole(const void *text, size_t len)
{
    struct look l = look_at(text, len);

    look_space(&l);
    look_value(&l);
    look_space(&l);
    insist(l.at == l.end);
    return l.deepest;
}

static inline bool look_is(struct look_part part, const char *text)
{
    return part.len == strlen(text) && memcmp(part.at, text, part.len) == 0;
}

/* Reads the next member, whose name must be |name|, given in quotes. */
static inline struct look_part look_member(struct look *l, const char *name)
{
    struct look_part key, value;

    insist(look_next(l, &key, &value) && look_is(key, name));
    return value;
}

static inline void look_end(struct look *l)
{
    struct look_part key, value;

    insist(!look_next(l, &key, &value));
}

/* Reads one character below U+0080 of a string, escaped or not. */
static inline uint8_t look_plain(struct look *l)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    uint8_t c = look_byte(l);
    char hex[5] = "";

    if (c != '\\')
        return c;
    c = look_byte(l);
    if (c != 'u')
        return (uint8_t)to[strchr(from, c) - from];
    for (int i = 0; i < 4; i++)
        hex[i] = (char)look_byte(l);
    insist(strtoul(hex, NULL, 16) < 0x80);
    return (uint8_t)strtoul(hex, NULL, 16);
}

/* Checks that the string is |text|, with U+FFFD for each byte that is not UTF-8. */
static inline void look_says(struct look_part string, const void *text, size_t len)
{
    struct look l = look_at(string.at, string.len);
    const uint8_t *at = text;

    insist(look_byte(&l) == '"');
    while (len) {
        size_t n = look_character(at, len), shown = n ? n : 3;

        if (n == 1) {
            insist(look_plain(&l) == *at);
        } else {
            insist((size_t)(l.end - l.at) > shown);
            insist(memcmp(l.at, n ? (const char *)at : "\xef\xbf\xbd", shown) == 0);
            l.at += shown;
        }
        at += n ? n : 1;
        len -= n ? n : 1;
    }
    insist(look_byte(&l) == '"' && l.at == l.end);
}

#endif
