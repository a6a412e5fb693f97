/*
 * report.h - what `caprun config` prints: files, then settings, as aligned lines or as JSON.
 *
 * The settings are told twice: once while |measuring|, to know how wide the columns are, and once
 * to be printed.
 *
 *     cr_report_init -> cr_report_add ... -> measuring = false -> cr_report_file ...
 *         -> cr_report_add ... -> cr_report_end
 */
#ifndef CR_REPORT_H
#define CR_REPORT_H

#include <stdbool.h>

#include "base/buf.h"

#define CR_REPORT_MAX (16u << 20) /* bytes of it, and of one value */

struct cr_report {
    struct cr_buf text;
    bool json;
    bool measuring;
    size_t name_width, value_width; /* of the widest */
    int files, settings;            /* told, so far */
};

/* Colours are for a terminal, unless NO_COLOR is set and not empty. */
void cr_report_init(struct cr_report *r, bool json);

/* A file or directory that there may be: |path| is "" if not. |source| may be "". */
void cr_report_file(struct cr_report *r, const char *name, const char *path, const char *source);

/*
 * A setting: |value| is JSON, and is freed. |note|, which may be NULL, is for a person only. A
 * |source| of "default" is shown dimly.
 */
void cr_report_add(struct cr_report *r, const char *name, struct cr_buf *value, const char *source,
                   const char *note);

/* Prints it all, and frees it. Returns 0, or the status to leave with if that fails. */
int cr_report_end(struct cr_report *r);

#endif
