/* format.c - formats the arguments of console.log, including format specifiers. */
#include "format.h"

#include <string.h>

#include "engine/peek.h"
#include "url.h"
#include "values.h"
#include "view.h"
#include "work.h"

#define NUMBER_CHARACTERS 1000u
#define DEPTH 2
#define DEPTH_OF_O 4 /* for %o */
#define JSON_DEPTH_MAX 50

/* --- %j: JSON, without toJSON and getters ---------------------------------------------------- */

struct json {
    JSContext *ctx;
    struct crw_out *out;
    const void *above[JSON_DEPTH_MAX];
};

static void put_json(struct json *j, JSValueConst value, int depth);

static bool is_left_out(JSContext *ctx, JSValueConst value)
{
    return JS_IsUndefined(value) || JS_IsSymbol(value) || JS_IsFunction(ctx, value);
}

/* Appends the engine's own JSON of a primitive value; no code of the capability runs. */
static void put_json_primitive(struct json *j, JSValueConst value)
{
    uint32_t length = 0;
    JSValue head, text;

    if (JS_IsBigInt(value)) {
        crw_view_bare(j->ctx, j->out, value);
        return;
    }
    head = JS_IsString(value) ? crw_peek_head(j->ctx, value, CRW_OUT_VALUE_MAX, &length)
                              : JS_DupValue(j->ctx, value);
    text = JS_JSONStringify(j->ctx, head, JS_UNDEFINED, JS_UNDEFINED);
    if (!crw_work_charge_text(length))
        j->out->full = true;
    crw_view_bare(j->ctx, j->out, text);
    JS_FreeValue(j->ctx, text);
    JS_FreeValue(j->ctx, head);
}

static void put_json_items(struct json *j, JSValueConst list, int depth)
{
    int64_t length = 0;

    (void)JS_GetLength(j->ctx, list, &length);
    crw_out_str(j->out, "[");
    for (int64_t i = 0; i < length && !j->out->full; i++) {
        JSAtom name = JS_NewAtomUInt32(j->ctx, (uint32_t)i);
        JSValue item = JS_UNDEFINED;

        crw_out_str(j->out, i ? "," : "");
        if (crw_inspect_own(j->ctx, list, name, &item) <= 0 || is_left_out(j->ctx, item))
            crw_out_str(j->out, "null");
        else
            put_json(j, item, depth);
        JS_FreeValue(j->ctx, item);
        JS_FreeAtom(j->ctx, name);
    }
    crw_out_str(j->out, "]");
}

static void put_json_members(struct json *j, JSValueConst object, int depth)
{
    JSPropertyEnum *names = NULL;
    uint32_t count = 0;
    bool first = true;

    if (!crw_work_charge(1 + crw_peek_effort(object))) {
        j->out->full = true;
        return;
    }
    if (crw_peek_names(j->ctx, object, &names, &count) < 0)
        JS_FreeValue(j->ctx, JS_GetException(j->ctx));
    crw_out_str(j->out, "{");
    for (uint32_t i = 0; i < count && !j->out->full; i++) {
        JSValue key = JS_AtomToValue(j->ctx, names[i].atom), value = JS_UNDEFINED;

        if (!JS_IsSymbol(key) && crw_inspect_own(j->ctx, object, names[i].atom, &value) > 0 &&
            !is_left_out(j->ctx, value)) {
            JSValue text = JS_ToString(j->ctx, key);

            crw_out_str(j->out, first ? "" : ",");
            put_json_primitive(j, text);
            crw_out_str(j->out, ":");
            put_json(j, value, depth);
            JS_FreeValue(j->ctx, text);
            first = false;
        }
        JS_FreeValue(j->ctx, value);
        JS_FreeValue(j->ctx, key);
    }
    crw_out_str(j->out, "}");
    JS_FreePropertyEnum(j->ctx, names, count);
}

/* Takes |text|, the JSON form of a date or a URL. */
static void put_json_text(struct json *j, JSValue text)
{
    put_json_primitive(j, text);
    JS_FreeValue(j->ctx, text);
}

static void put_json_object(struct json *j, JSValueConst object, int depth)
{
    enum crw_peek_kind kind = crw_peek_kind(j->ctx, object);
    JSValue href;

    for (int i = 0; i < depth; i++) {
        if (j->above[i] == JS_VALUE_GET_PTR(object)) {
            crw_out_str(j->out, "\"[Circular]\"");
            return;
        }
    }
    j->above[depth] = JS_VALUE_GET_PTR(object);
    if (kind == CRW_PEEK_ARRAY)
        put_json_items(j, object, depth + 1);
    else if (kind == CRW_PEEK_BOXED)
        put_json(j, crw_peek_boxed(object), depth + 1);
    else if (kind == CRW_PEEK_DATE)
        put_json_text(j, crw_peek_date(j->ctx, object));
    else if (kind == CRW_PEEK_URL && JS_IsString(href = crw_url_href(j->ctx, object)))
        put_json_text(j, href);
    else
        put_json_members(j, object, depth + 1);
}

static void put_json(struct json *j, JSValueConst value, int depth)
{
    value = crw_inspect_unwrap(j->ctx, value);
    if (is_left_out(j->ctx, value))
        crw_out_str(j->out, depth ? "null" : "undefined");
    else if (!JS_IsObject(value))
        put_json_primitive(j, value);
    else if (depth == JSON_DEPTH_MAX)
        crw_out_str(j->out, "\"[Object]\"");
    else
        put_json_object(j, value, depth);
}

static void put_whole_json(JSContext *ctx, struct crw_out *out, JSValueConst value)
{
    struct json j = {.ctx = ctx, .out = out};
    size_t begun = crw_out_begin_value(out);

    put_json(&j, value, 0);
    crw_out_end_value(out, begun);
}

/* --- the other specifiers -------------------------------------------------------------------- */

static void put_bare_or_inspected(JSContext *ctx, struct crw_out *out, JSValueConst value,
                                  int depth)
{
    if (JS_IsString(value))
        crw_view_bare(ctx, out, value);
    else
        crw_inspect(ctx, out, value, CRW_INSPECT_HOW(depth));
}

/* Appends a number. An object is NaN: its valueOf is never called. */
static void put_number(JSContext *ctx, struct crw_out *out, JSValueConst value, char how)
{
    JSValue number;
    uint32_t len = 0;

    if (JS_IsBigInt(value)) {
        crw_inspect(ctx, out, value, CRW_INSPECT_HOW(0));
        return;
    }
    if (JS_IsString(value))
        JS_FreeValue(ctx, crw_peek_head(ctx, value, 0, &len));
    /* a very long text would be slow to parse: NaN too */
    if (JS_IsObject(value) || JS_IsSymbol(value) || len > NUMBER_CHARACTERS)
        number = JS_NAN;
    else if (how == 'd')
        number = JS_ToNumber(ctx, value);
    else
        number = crw_peek_parse(ctx, value, how == 'i');
    crw_inspect(ctx, out, number, CRW_INSPECT_HOW(0));
    JS_FreeValue(ctx, number);
}

/* Appends |value| by the specifier |how|. Returns false if |how| is not a specifier. */
static bool put_as(JSContext *ctx, struct crw_out *out, char how, JSValueConst value)
{
    switch (how) {
    case 's':
        put_bare_or_inspected(ctx, out, value, 0);
        return true;
    case 'd':
    case 'i':
    case 'f':
        put_number(ctx, out, value, how);
        return true;
    case 'j':
        put_whole_json(ctx, out, value);
        return true;
    case 'o':
        crw_inspect(ctx, out, value, CRW_INSPECT_HOW(DEPTH_OF_O));
        return true;
    case 'O':
        crw_inspect(ctx, out, value, CRW_INSPECT_HOW(DEPTH));
        return true;
    case 'c':
        return true;
    default:
        return false;
    }
}

/* Returns how many arguments were used. */
static int put_filled(JSContext *ctx, struct crw_out *out, int argc, JSValueConst *argv)
{
    size_t len;
    const char *text = JS_ToCStringLen(ctx, &len, argv[0]);
    const char *at = text, *end = text + len, *percent;
    int used = 1;

    crw_values_replace_surrogates(text, len);
    while (at < end && !out->full && (percent = memchr(at, '%', (size_t)(end - at))) &&
           percent + 1 < end) {
        crw_out_put(out, at, (size_t)(percent - at));
        at = percent + 2;
        if (percent[1] == '%') {
            crw_out_str(out, "%");
        } else if (used < argc && put_as(ctx, out, percent[1], argv[used])) {
            used++;
        } else {
            crw_out_str(out, "%");
            at = percent + 1;
        }
    }
    crw_out_put(out, at, (size_t)(end - at));
    JS_FreeCString(ctx, text);
    return used;
}

void crw_format_values(JSContext *ctx, struct crw_out *out, int argc, JSValueConst *argv)
{
    int used = 0;

    if (argc > 1 && JS_IsString(argv[0]))
        used = put_filled(ctx, out, argc, argv);
    for (int i = used; i < argc && !out->full; i++) {
        crw_out_str(out, i ? " " : "");
        put_bare_or_inspected(ctx, out, argv[i], DEPTH);
    }
}
