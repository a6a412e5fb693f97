/*
 * report.h - what a run says of its failures beside the error that ended it: promises that were
 * rejected and that nobody looked at, calls that nobody waited for, and what caused an error.
 */
#ifndef CRW_REPORT_H
#define CRW_REPORT_H

#include "console/out.h"
#include "quickjs.h"

/* Once, in the zygote: from now on rejections are noticed. */
void crw_report_install(JSContext *ctx);

/*
 * The code returned |result|. Writes to the log what went wrong behind its back: rejections without
 * a handler, and calls without an answer if it returned nothing.
 */
void crw_report_leftovers(JSContext *ctx, JSValueConst result);

/* Appends what caused |error|, or what it is a collection of, in lines like those of a stack. */
void crw_report_causes(JSContext *ctx, struct crw_out *out, JSValueConst error);

#endif
