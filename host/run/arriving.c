/* arriving.c - scans the JSON of one long frame while it arrives. */
#include "run/arriving.h"

#include <stdlib.h>

struct cr_arriving_text {
    struct cr_scan scan;
    struct cr_err why; /* why the text is invalid; its code is 0 while no error was found */
};

void cr_arriving_clear(struct cr_arriving *a)
{
    if (!a->text)
        return;
    cr_scan_clear(&a->text->scan);
    free(a->text);
    a->text = NULL;
}

void cr_arriving_feed(struct cr_arriving *a, enum cr_scan_rules rules, const uint8_t *bytes,
                      size_t len)
{
    if (!a->text) {
        a->text = malloc(sizeof(*a->text));
        if (!a->text)
            return; /* then cr_arriving_finish() scans the whole text */
        cr_scan_begin(&a->text->scan, rules);
        a->text->why.code = 0;
    }
    if (!a->text->why.code)
        (void)cr_scan_feed(&a->text->scan, bytes, len, &a->text->why);
}

int cr_arriving_finish(struct cr_arriving *a, enum cr_scan_rules rules, const uint8_t *bytes,
                       size_t len, struct cr_err *err)
{
    int r;

    if (a->text && a->text->scan.rules != rules)
        cr_arriving_clear(a); /* the scanned text was another one */
    if (!a->text)
        return cr_scan_json(bytes, len, rules, err);
    if (!a->text->why.code)
        (void)cr_scan_finish(&a->text->scan, bytes, len, &a->text->why);
    r = a->text->why.code;
    if (r < 0)
        *err = a->text->why;
    cr_arriving_clear(a);
    return r;
}
