/*
 * arriving.h - scans the JSON of a long frame while it arrives.
 *
 * A frame of megabytes arrives in many turns. Each turn scans its new part, so that the last turn
 * does not scan the whole frame. A short frame is scanned when it is complete.
 *
 *     cr_arriving_feed, for each part of a long one -> cr_arriving_finish -> cr_arriving_clear
 *
 * The owner clears it after each frame, even after an incomplete scan: the state of one text must
 * not be used for the next.
 */
#ifndef CR_ARRIVING_H
#define CR_ARRIVING_H

#include "base/err.h"
#include "base/scan.h"

/* Initially all zeros. The state is on the heap, because most runs never need it. */
struct cr_arriving {
    struct cr_arriving_text *text; /* NULL: no bytes were fed yet */
};

/* Scans the new part of the text. |bytes| are all bytes so far, as for cr_scan_feed(). */
void cr_arriving_feed(struct cr_arriving *a, enum cr_scan_rules rules, const uint8_t *bytes,
                      size_t len);

/* Scans the complete text. Returns what cr_scan_json() returns; |a| is ready for the next text. */
int cr_arriving_finish(struct cr_arriving *a, enum cr_scan_rules rules, const uint8_t *bytes,
                       size_t len, struct cr_err *err);

/* Frees the state. */
void cr_arriving_clear(struct cr_arriving *a);

#endif
