/* format.h - what console.log makes of its arguments. */
#ifndef CRW_FORMAT_H
#define CRW_FORMAT_H

#include "out.h"
#include "quickjs.h"

/*
 * Appends the values with a space between two. If the first is a string and has company, %s, %d,
 * %i, %f, %j, %o, %O and %c in it stand for the next ones, and %% for a percent sign.
 */
void crw_format_values(JSContext *ctx, struct crw_out *out, int argc, JSValueConst *argv);

#endif
