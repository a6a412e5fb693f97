/*
 * arriving.h - the JSON of a long frame, scanned while it arrives.
 *
 * A frame of megabytes comes in many turns. Each turn scans what has come, so that the turn in
 * which the frame is whole does not scan all of it. A short frame is scanned when it is whole.
 *
 *     cr_arriving_feed, for each part of a long one -> cr_arriving_finish -> cr_arriving_clear
 *
 * After each frame the owner clears it, whether the frame was scanned to its end or not: the scan
 * of one text says nothing about the next.
 */
#ifndef CR_ARRIVING_H
#define CR_ARRIVING_H

#include "base/err.h"
#include "base/scan.h"

/* All zeros at first. Most runs need no more than this, so the state is on the heap. */
struct cr_arriving {
    struct cr_arriving_text *text; /* NULL: nothing was fed yet */
};

/* Scans more of the text. |bytes| are all bytes of the text so far, as for cr_scan_feed(). */
void cr_arriving_feed(struct cr_arriving *a, enum cr_scan_rules rules, const uint8_t *bytes,
                      size_t len);

/* The text is complete. Returns what cr_scan_json() returns, and is ready for the next text. */
int cr_arriving_finish(struct cr_arriving *a, enum cr_scan_rules rules, const uint8_t *bytes,
                       size_t len, struct cr_err *err);

/* Forgets the text. */
void cr_arriving_clear(struct cr_arriving *a);

#endif
