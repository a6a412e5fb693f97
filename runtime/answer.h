/*
 * answer.h - turns the answer of a tool into the value that the calling code gets.
 *
 * |result| is the result of an MCP tools/call, made from JSON. Only its own properties are read:
 * what untrusted code puts on Object.prototype must not look like part of the answer.
 */
#ifndef CRW_ANSWER_H
#define CRW_ANSWER_H

#include <stdbool.h>

#include "quickjs.h"

/* Did the tool say that it failed? */
bool crw_answer_is_error(JSContext *ctx, JSValueConst result);

/*
 * Returns `structuredContent` if present. Otherwise, if the content is one text item, returns that
 * text, parsed if it is a JSON object or array. Otherwise returns the content.
 */
JSValue crw_answer_unwrap(JSContext *ctx, JSValueConst result);

/* Returns the error message of a tool that failed, as a string. */
JSValue crw_answer_words(JSContext *ctx, JSValueConst result);

#endif
