/*
 * answer.h - what a tool answered, as the code that called it gets it.
 *
 * |result| is the result of an MCP tools/call, made from JSON. Only its own properties are looked
 * at, so that nothing on Object.prototype passes for a part of it.
 */
#ifndef CRW_ANSWER_H
#define CRW_ANSWER_H

#include <stdbool.h>

#include "quickjs.h"

/* Did the tool say that it failed? */
bool crw_answer_is_error(JSContext *ctx, JSValueConst result);

/*
 * The value: `structuredContent` if there is any; else, of one text item, its JSON if that is an
 * object or an array, otherwise the text; else the content.
 */
JSValue crw_answer_unwrap(JSContext *ctx, JSValueConst result);

/* What a tool that failed says for a person, as a string. */
JSValue crw_answer_words(JSContext *ctx, JSValueConst result);

#endif
