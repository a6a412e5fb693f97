/*
 * report.h - prints the report of `caprun config`: files, then settings, as aligned lines or JSON.
 *
 * All settings are added twice: once while |measuring|, to know how wide the columns are, and once
 * to be printed.
 *
 *     cr_report_init -> cr_report_add ... -> measuring = false -> cr_report_file ...
 *         -> cr_report_add ... -> cr_report_end
 */
#ifndef CR_REPORT_H
#define CR_REPORT_H

#include <stdbool.h>

#include "base/buf.h"

#define CR_REPORT_MAX (16u << 20) /* bytes of the report, and of one value */

struct cr_report {
    struct cr_buf text;
    bool json;
    bool measuring;
    size_t name_width, value_width; /* the widest of each */
    int files, settings;            /* added so far */
};

/* Colours are for a terminal, unless NO_COLOR is set and not empty. */
void cr_report_init(struct cr_report *r, bool json);

/* Adds a file or directory. |path| is "" if there is no such file. |source| may be "". */
void cr_report_file(struct cr_report *r, const char *name, const char *path, const char *source);

/*
 * Adds a setting. |value| is JSON, and is freed. |note|, which may be NULL, is not shown in JSON. A
 * setting whose |source| is "default" is shown dimmed.
 */
void cr_report_add(struct cr_report *r, const char *name, struct cr_buf *value, const char *source,
                   const char *note);

/* Prints the report, and frees it. Returns 0, or the exit status if that fails. */
int cr_report_end(struct cr_report *r);

#endif
