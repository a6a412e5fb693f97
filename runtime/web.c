/*
 * web.c - UTF-8 conversion by the Encoding Standard, and random numbers.
 *
 * The engine decodes UTF-8 faster than JavaScript could, but accepts lone surrogates, and replaces
 * malformed bytes by its own rules. So bytes are checked first, and repaired if necessary.
 */
#include "web.h"

#include <stdbool.h>
#include <string.h>

#include "engine.h"
#include "random.h"
#include "values.h"

#define MAX_RANDOM_BYTES 65536u

/* May |byte| follow? The first byte of a sequence limits the range of the second. */
static bool may_follow(uint8_t lead, int at, uint8_t byte)
{
    uint8_t low = 0x80, high = 0xbf;

    if (at == 1) {
        low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    }
    return byte >= low && byte <= high;
}

/*
 * Returns the length of the sequence at |at|. If malformed, returns the negative number of bytes
 * that one U+FFFD replaces. |ret_cut|: the sequence is malformed because the bytes end.
 */
static int sequence(const uint8_t *at, size_t left, bool *ret_cut)
{
    int len = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;

    *ret_cut = false;
    if ((at[0] >= 0x80 && at[0] < 0xc2) || at[0] > 0xf4)
        return -1;
    for (int i = 1; i < len; i++) {
        *ret_cut = (size_t)i == left;
        if (*ret_cut || !may_follow(at[0], i, at[i]))
            return -i;
    }
    return len;
}

static size_t skip_ascii(const uint8_t *bytes, size_t from, size_t len)
{
    uint64_t eight;

    while (len - from >= sizeof(eight)) {
        memcpy(&eight, bytes + from, sizeof(eight));
        if (eight & 0x8080808080808080u)
            break;
        from += sizeof(eight);
    }
    return from;
}

/* Returns the position of the first malformed sequence, or |len|. */
static size_t valid_length(const uint8_t *bytes, size_t len)
{
    size_t at = skip_ascii(bytes, 0, len);
    bool cut;

    while (at < len) {
        int n = sequence(bytes + at, len - at, &cut);

        if (n < 0)
            return at;
        at += (size_t)n;
        if (n == 1)
            at = skip_ascii(bytes, at, len);
    }
    return len;
}

/* Copies |bytes| to |out|, if not NULL, with U+FFFD for malformed bytes. Returns the length. */
static size_t repair(const uint8_t *bytes, size_t len, uint8_t *out)
{
    size_t written = 0;
    bool cut;

    for (size_t at = 0; at < len;) {
        int n = sequence(bytes + at, len - at, &cut);
        const uint8_t *from = n > 0 ? bytes + at : (const uint8_t *)"\xef\xbf\xbd";
        size_t size = n > 0 ? (size_t)n : 3;

        if (out)
            memcpy(out + written, from, size);
        written += size;
        at += (size_t)(n > 0 ? n : -n);
    }
    return written;
}

static JSValue decode_mended(JSContext *ctx, const uint8_t *bytes, size_t len)
{
    size_t size = repair(bytes, len, NULL);
    uint8_t *text = js_malloc(ctx, size);
    JSValue string;

    (void)repair(bytes, len, text);
    string = JS_NewStringLen(ctx, (const char *)text, size);
    js_free(ctx, text);
    return string;
}

/* Gets the bytes of a Uint8Array. Returns false, with an exception, if |value| is not one. */
static bool get_bytes(JSContext *ctx, JSValueConst value, uint8_t **ret, size_t *ret_len)
{
    if (JS_GetTypedArrayType(value) != JS_TYPED_ARRAY_UINT8) {
        JS_ThrowTypeError(ctx, "not a Uint8Array");
        return false;
    }
    *ret = JS_GetUint8Array(ctx, ret_len, value);
    return true;
}

static JSValue utf8_decode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    uint8_t *bytes;
    size_t len;

    (void)this_val;
    (void)argc;
    if (!get_bytes(ctx, argv[0], &bytes, &len))
        return JS_EXCEPTION;
    if (len == 0 || valid_length(bytes, len) == len)
        return JS_NewStringLen(ctx, (const char *)bytes, len);
    return JS_ToBool(ctx, argv[1]) ? JS_UNDEFINED : decode_mended(ctx, bytes, len);
}

static JSValue utf8_unfinished(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    uint8_t *bytes;
    size_t len;

    (void)this_val;
    (void)argc;
    if (!get_bytes(ctx, argv[0], &bytes, &len))
        return JS_EXCEPTION;
    for (size_t tail = 1; tail <= 3 && tail <= len; tail++) {
        bool cut;

        if (sequence(bytes + len - tail, tail, &cut) == -(int)tail && cut)
            return JS_NewUint32(ctx, (uint32_t)tail);
    }
    return JS_NewUint32(ctx, 0);
}

/* Returns |value| as UTF-8, or NULL. Free with JS_FreeCString. */
static const char *encoded(JSContext *ctx, JSValueConst value, size_t *ret_len)
{
    const char *text = JS_ToCStringLen(ctx, ret_len, value);

    if (text)
        crw_values_replace_surrogates(text, *ret_len);
    return text;
}

static JSValue utf8_encode(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    size_t len;
    const char *text = encoded(ctx, argv[0], &len);
    JSValue bytes;

    (void)this_val;
    (void)argc;
    if (!text)
        return JS_EXCEPTION;
    bytes = JS_NewUint8ArrayCopy(ctx, (const uint8_t *)text, len);
    JS_FreeCString(ctx, text);
    return bytes;
}

/* Returns how many bytes of |text| fit into |room|; |ret_units|: their UTF-16 units. */
static size_t fitting(const char *text, size_t len, size_t room, uint32_t *ret_units)
{
    size_t at = 0;

    *ret_units = 0;
    while (at < len) {
        uint8_t lead = (uint8_t)text[at];
        size_t n = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

        if (n > room - at)
            break;
        at += n;
        *ret_units += n == 4 ? 2 : 1;
    }
    return at;
}

static JSValue utf8_encode_into(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    size_t len, room, written;
    uint32_t units;
    uint8_t *target;
    const char *text;
    JSValue result;

    (void)this_val;
    (void)argc;
    text = encoded(ctx, argv[0], &len);
    if (!text)
        return JS_EXCEPTION;
    if (!get_bytes(ctx, argv[1], &target, &room)) {
        JS_FreeCString(ctx, text);
        return JS_EXCEPTION;
    }
    written = fitting(text, len, room, &units);
    if (written)
        memcpy(target, text, written);
    JS_FreeCString(ctx, text);
    result = JS_NewObject(ctx);
    JS_SetPropertyStr(ctx, result, "read", JS_NewUint32(ctx, units));
    JS_SetPropertyStr(ctx, result, "written", JS_NewInt64(ctx, (int64_t)written));
    return result;
}

static JSValue class_of(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)this_val;
    (void)argc;
    return JS_NewUint32(ctx, JS_IsObject(argv[0]) ? JS_GetClassID(argv[0]) : 0);
}

const JSCFunctionListEntry crw_web_natives[5] = {
    JS_CFUNC_DEF("utf8Encode", 1, utf8_encode), JS_CFUNC_DEF("utf8EncodeInto", 2, utf8_encode_into),
    JS_CFUNC_DEF("utf8Decode", 2, utf8_decode), JS_CFUNC_DEF("utf8Unfinished", 1, utf8_unfinished),
    JS_CFUNC_DEF("classOf", 1, class_of),
};

static bool is_integer_array(JSValueConst value)
{
    int type = JS_GetTypedArrayType(value);

    return type >= 0 && type != JS_TYPED_ARRAY_FLOAT16 && type != JS_TYPED_ARRAY_FLOAT32 &&
           type != JS_TYPED_ARRAY_FLOAT64;
}

static JSValue throw_dom(JSContext *ctx, const char *name, const char *message)
{
    crw_engine_throw_dom(ctx, name, message);
    return JS_EXCEPTION;
}

static JSValue get_random_values(JSContext *ctx, JSValueConst this_val, int argc,
                                 JSValueConst *argv)
{
    size_t offset, len, element, size;
    JSValue buffer;
    uint8_t *bytes;

    (void)this_val;
    (void)argc;
    if (!JS_IsObject(argv[0]))
        return JS_ThrowTypeError(ctx, "getRandomValues needs a typed array");
    if (!is_integer_array(argv[0]))
        return throw_dom(ctx, "TypeMismatchError", "not a typed array of integers");
    buffer = JS_GetTypedArrayBuffer(ctx, argv[0], &offset, &len, &element);
    if (JS_IsException(buffer))
        return buffer;
    bytes = JS_GetArrayBuffer(ctx, &size, buffer);
    JS_FreeValue(ctx, buffer);
    if (len > MAX_RANDOM_BYTES)
        return throw_dom(ctx, "QuotaExceededError", "over 65536 bytes");
    if (len)
        crw_random_fill(bytes + offset, len);
    return JS_DupValue(ctx, argv[0]);
}

static JSValue random_uuid(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[16];
    char text[36];
    size_t at = 0;

    (void)this_val;
    (void)argc;
    (void)argv;
    crw_random_fill(bytes, sizeof(bytes));
    bytes[6] = (uint8_t)((bytes[6] & 0x0f) | 0x40); /* version 4, the RFC's variant */
    bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text[at++] = '-';
        text[at++] = digits[bytes[i] >> 4];
        text[at++] = digits[bytes[i] & 15];
    }
    return JS_NewStringLen(ctx, text, at);
}

int crw_web_install(JSContext *ctx, JSValueConst global)
{
    static const JSCFunctionListEntry crypto[] = {
        JS_CFUNC_DEF("getRandomValues", 1, get_random_values),
        JS_CFUNC_DEF("randomUUID", 0, random_uuid),
        JS_PROP_STRING_DEF("[Symbol.toStringTag]", "Crypto", JS_PROP_CONFIGURABLE),
    };
    static const JSCFunctionListEntry globals[] = {
        JS_OBJECT_DEF("crypto", crypto, (int)(sizeof(crypto) / sizeof(crypto[0])),
                      JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE),
    };

    return JS_SetPropertyFunctionList(ctx, global, globals, 1);
}
