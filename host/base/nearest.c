/* nearest.c - the optimal string alignment distance, row by row, near the diagonal. */
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

/*
 * Returns the number of edits between |a| and |b| if it is less than |limit|; else |limit| or more.
 * Both are at most CR_NEAREST_MAX long, and their lengths differ by less than |limit|.
 *
 * A cell of the table that is |limit| or more away from the diagonal needs at least |limit| edits.
 * So only the band around the diagonal is computed, and the cells beside it count as |limit|.
 */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len, size_t limit)
{
    size_t rows[3][CR_NEAREST_MAX + 1] = {{0}};
    size_t *before = rows[0], *above = rows[1], *row = rows[2], *oldest;

    for (size_t j = 0; j <= b_len; j++)
        row[j] = before[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t from = i > limit ? i - limit : 1, to = least(i + limit, b_len);

        oldest = before;
        before = above;
        above = row;
        row = oldest;
        row[from - 1] = from == 1 ? i : limit;
        if (to < b_len)
            row[to + 1] = limit; /* for the next row */
        for (size_t j = from; j <= to; j++) {
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
    size_t len = strlen(word), best = least((len + 2) / 3, CR_NEAREST_EDITS) + 1;
    const char *nearest = NULL;

    if (len == 0 || len > CR_NEAREST_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t known_len = strlen(known[i]), edits;

        if (known_len > CR_NEAREST_MAX || known_len + best <= len || len + best <= known_len)
            continue;
        edits = distance(word, len, known[i], known_len, best);
        if (edits < best) {
            best = edits;
            nearest = known[i];
        }
    }
    return nearest;
}
