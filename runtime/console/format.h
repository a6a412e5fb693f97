/* format.h - formats the arguments of console.log. */
#ifndef CRW_FORMAT_H
#define CRW_FORMAT_H

#include "out.h"
#include "quickjs.h"

/*
 * Appends the values, separated by spaces. If the first is a string and others follow, %s, %d, %i,
 * %f, %j, %o, %O and %c in it are replaced by the following values, and %% by a percent sign.
 */
void crw_format_values(JSContext *ctx, struct crw_out *out, int argc, JSValueConst *argv);

#endif
