/* answer.c - reads structuredContent, content and isError of a tool's answer. */
#include "answer.h"

#include <string.h>

#include "engine/decode.h"
#include "values.h"

static bool own_is(JSContext *ctx, JSValueConst object, const char *name, const char *text)
{
    JSValue value = crw_values_own(ctx, object, name);
    const char *is = JS_IsString(value) ? JS_ToCString(ctx, value) : NULL;
    bool same = is && !strcmp(is, text);

    JS_FreeCString(ctx, is);
    JS_FreeValue(ctx, value);
    return same;
}

/* Returns the text of a content item, or undefined. */
static JSValue text_of_item(JSContext *ctx, JSValueConst item)
{
    JSValue text =
        own_is(ctx, item, "type", "text") ? crw_values_own(ctx, item, "text") : JS_UNDEFINED;

    if (JS_IsString(text))
        return text;
    JS_FreeValue(ctx, text);
    return JS_UNDEFINED;
}

static int64_t length_of(JSContext *ctx, JSValueConst list)
{
    int64_t len = 0;

    return JS_IsArray(list) && JS_GetLength(ctx, list, &len) == 0 ? len : -1;
}

/* Takes |text|. Returns the parsed value if |text| is a JSON object or array, else |text|. */
static JSValue json_or_text(JSContext *ctx, JSValue text)
{
    size_t len;
    const char *bytes = JS_ToCStringLen(ctx, &len, text);
    size_t blank = strspn(bytes, " \t\r\n");
    JSValue value = JS_UNDEFINED;

    if (bytes[blank] == '{' || bytes[blank] == '[')
        value = crw_decode_json(ctx, bytes, len);
    JS_FreeCString(ctx, bytes);
    if (!JS_IsObject(value))
        return text;
    JS_FreeValue(ctx, text);
    return value;
}

bool crw_answer_is_error(JSContext *ctx, JSValueConst result)
{
    JSValue flag = crw_values_own(ctx, result, "isError");
    bool is_error = JS_IsBool(flag) && JS_ToBool(ctx, flag);

    JS_FreeValue(ctx, flag);
    return is_error;
}

JSValue crw_answer_unwrap(JSContext *ctx, JSValueConst result)
{
    JSValue value = crw_values_own(ctx, result, "structuredContent");
    JSValue first, text;

    if (!JS_IsUndefined(value) && !JS_IsNull(value))
        return value;
    JS_FreeValue(ctx, value);
    value = crw_values_own(ctx, result, "content");
    if (length_of(ctx, value) < 0) {
        JS_FreeValue(ctx, value);
        return JS_DupValue(ctx, result);
    }
    if (length_of(ctx, value) != 1)
        return value;
    first = JS_GetPropertyUint32(ctx, value, 0);
    text = text_of_item(ctx, first);
    JS_FreeValue(ctx, first);
    if (!JS_IsString(text))
        return value;
    JS_FreeValue(ctx, value);
    return json_or_text(ctx, text);
}

JSValue crw_answer_words(JSContext *ctx, JSValueConst result)
{
    JSValue content = crw_values_own(ctx, result, "content");
    JSValue words = JS_UNDEFINED;
    int64_t len = length_of(ctx, content);

    for (int64_t i = 0; i < len && !JS_IsString(words); i++) {
        JSValue item = JS_GetPropertyInt64(ctx, content, i);

        words = text_of_item(ctx, item);
        JS_FreeValue(ctx, item);
    }
    JS_FreeValue(ctx, content);
    return JS_IsString(words) ? words : JS_NewString(ctx, "The tool answered with an error");
}
