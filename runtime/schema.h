/*
 * schema.h - checks args against the JSON Schema of a capability.
 *
 * The schema is untrusted, so it is checked in the worker, before the untrusted code is loaded. The
 * code cannot change what is checked, and cannot reach the validator (js/web/schema.js), which is
 * freed before the code is loaded. The validator gets no native functions, and the limits of the
 * run apply to it.
 */
#ifndef CRW_SCHEMA_H
#define CRW_SCHEMA_H

#include "quickjs.h"

/*
 * Returns 0 if |args| fit |schema|. Otherwise returns WIRE_WHY_ARGS or WIRE_WHY_SCHEMA, and sets
 * *|ret_lines| to a string with one line for each problem; the caller frees it.
 */
int crw_schema_check(JSContext *ctx, JSValueConst schema, JSValueConst args, JSValue *ret_lines);

/* The same for args that get an `env` from the host: they must be an object without `env`. */
int crw_schema_check_env(JSContext *ctx, JSValueConst args, JSValue *ret_lines);

#endif
