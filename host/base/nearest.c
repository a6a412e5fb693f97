/* nearest.c - the optimal string alignment distance, row by row. */
#include "base/nearest.h"

#include <stdbool.h>
#include <string.h>

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(char a, char b)
{
    return fold(a) == fold(b);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many edits make |a| of |b|; both are at most CR_NEAREST_MAX long. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][CR_NEAREST_MAX + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2], *oldest;

    for (size_t j = 0; j <= b_len; j++)
        row[j] = before[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        oldest = before;
        before = above;
        above = row;
        row = oldest;
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            row[j] = least(above[j], row[j - 1]) + 1;
            row[j] = least(row[j], above[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return row[b_len];
}

const char *cr_nearest(const char *word, const char *const *known, size_t count)
{
    size_t len = strlen(word), best = (len + 2) / 3 + 1;
    const char *nearest = NULL;

    if (len == 0 || len > CR_NEAREST_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t known_len = strlen(known[i]), edits;

        if (known_len > CR_NEAREST_MAX || known_len + best <= len || len + best <= known_len)
            continue;
        edits = distance(word, len, known[i], known_len);
        if (edits < best) {
            best = edits;
            nearest = known[i];
        }
    }
    return nearest;
}
