/* arriving.c - one scan at a time, on the heap: it is large, and most runs never need it. */
#include "run/arriving.h"

#include <stdlib.h>

void cr_arriving_clear(struct cr_arriving *a)
{
    if (!a->scan)
        return;
    cr_scan_clear(a->scan);
    free(a->scan);
    *a = (struct cr_arriving){0};
}

void cr_arriving_feed(struct cr_arriving *a, enum cr_scan_rules rules, const uint8_t *bytes,
                      size_t len)
{
    if (!a->scan) {
        a->scan = malloc(sizeof(*a->scan));
        if (!a->scan)
            return; /* then all of it is scanned in the end */
        cr_scan_begin(a->scan, rules);
    }
    if (!a->why.code)
        (void)cr_scan_feed(a->scan, bytes, len, &a->why);
}

int cr_arriving_finish(struct cr_arriving *a, enum cr_scan_rules rules, const uint8_t *bytes,
                       size_t len, struct cr_err *err)
{
    int r;

    if (a->scan && a->scan->rules != rules)
        cr_arriving_clear(a); /* it was another text */
    if (!a->scan)
        return cr_scan_json(bytes, len, rules, err);
    if (!a->why.code)
        (void)cr_scan_finish(a->scan, bytes, len, &a->why);
    r = a->why.code;
    if (r < 0)
        *err = a->why;
    cr_arriving_clear(a);
    return r;
}
