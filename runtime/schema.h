/*
 * schema.h - args against the JSON Schema that a capability has for them.
 *
 * The schema is a stranger's, so it is read where the stranger's code will run, and before that
 * code is there: nothing of the code can change what is checked, and the validator
 * (js/web/schema.js), which no code can reach, is gone when the code comes. It has no functions of
 * ours to call, and ends by the limits of the run.
 */
#ifndef CRW_SCHEMA_H
#define CRW_SCHEMA_H

#include "quickjs.h"

/*
 * Returns 0 if |args| fit |schema|; otherwise WIRE_WHY_ARGS or WIRE_WHY_SCHEMA, and *|ret_lines| is
 * a string with a line for each thing that is wrong, the caller's to free.
 */
int crw_schema_check(JSContext *ctx, JSValueConst schema, JSValueConst args, JSValue *ret_lines);

/* The same for args that are to get an `env` from the host: an object that has none. */
int crw_schema_check_env(JSContext *ctx, JSValueConst args, JSValue *ret_lines);

#endif
