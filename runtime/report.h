/*
 * report.h - reports failures of a run besides the error that ended it: unhandled rejected
 * promises, calls that the code did not wait for, and the causes of an error.
 */
#ifndef CRW_REPORT_H
#define CRW_REPORT_H

#include "console/out.h"
#include "quickjs.h"

/* Call once, in the zygote: from now on rejections are tracked. */
void crw_report_install(JSContext *ctx);

/*
 * Call after the code returned |result|. Writes to the log: rejections without a handler, and, if
 * the code returned nothing, calls without an answer.
 */
void crw_report_leftovers(JSContext *ctx, JSValueConst result);

/* Appends the causes of |error|, or the errors in an AggregateError, in lines like a stack. */
void crw_report_causes(JSContext *ctx, struct crw_out *out, JSValueConst error);

#endif
