/* view.c - formats primitive values and property names. */
#include "view.h"

#include <math.h>
#include <string.h>

#include "values.h"
#include "work.h"

#define STRING_MAX 10000u
#define BITS_MAX 16384u /* largest bigint that is written out */

void crw_view_charge(struct crw_view *v, size_t units)
{
    if (!crw_work_charge(units))
        v->out->full = true;
}

void crw_view_charge_text(struct crw_view *v, size_t characters)
{
    if (!crw_work_charge_text(characters))
        v->out->full = true;
}

/* --- text ------------------------------------------------------------------------------------ */

const char *crw_view_head(JSContext *ctx, JSValue string, size_t max, size_t *ret_len)
{
    uint32_t length;
    JSValue head = crw_peek_head(ctx, string, max < INT32_MAX ? (uint32_t)max : INT32_MAX, &length);
    const char *text = JS_ToCStringLen(ctx, ret_len, head);

    crw_values_replace_surrogates(text, *ret_len);
    JS_FreeValue(ctx, head);
    JS_FreeValue(ctx, string);
    return text;
}

/* Returns how many characters to copy: one more than fits, so that |out| becomes full. */
static size_t room_in(const struct crw_out *out)
{
    return out->max - out->len + 1;
}

void crw_view_indented(struct crw_view *v, const char *text, size_t len)
{
    const char *end;

    while (v->layout.indent && !v->out->full && (end = memchr(text, '\n', len))) {
        size_t n = (size_t)(end - text) + 1;

        crw_out_put(v->out, text, n);
        crw_out_spaces(v->out, v->layout.indent);
        text += n;
        len -= n;
    }
    crw_out_put(v->out, text, len);
}

void crw_view_more(struct crw_view *v, uint64_t count, const char *what)
{
    crw_out_str(v->out, "... ");
    crw_out_number(v->out, count);
    crw_out_str(v->out, " more ");
    crw_out_str(v->out, what);
    crw_out_str(v->out, count > 1 ? "s" : "");
}

/* Appends a long string of several lines as several strings. */
static void put_lines_quoted(struct crw_view *v, const char *text, size_t len)
{
    const char *end;

    while (!v->out->full && (end = memchr(text, '\n', len)) && (size_t)(end - text) + 1 < len) {
        size_t n = (size_t)(end - text) + 1;

        crw_out_quoted(v->out, text, n);
        crw_out_str(v->out, " +\n");
        crw_out_spaces(v->out, v->layout.indent + 2);
        text += n;
        len -= n;
    }
    crw_out_quoted(v->out, text, len);
}

static void put_string(struct crw_view *v, JSValueConst value)
{
    uint32_t length;
    JSValue head = crw_peek_head(v->ctx, value, STRING_MAX, &length);
    size_t len;
    const char *text = crw_view_head(v->ctx, head, STRING_MAX, &len);

    crw_view_charge_text(v, len);
    if (length > 16 && length + v->layout.indent + 4 > v->how.width)
        put_lines_quoted(v, text, len);
    else
        crw_out_quoted(v->out, text, len);
    if (length > STRING_MAX)
        crw_view_more(v, length - STRING_MAX, "character");
    JS_FreeCString(v->ctx, text);
}

/* --- names ----------------------------------------------------------------------------------- */

void crw_view_name(JSContext *ctx, struct crw_out *out, JSAtom name)
{
    size_t len;
    const char *text = crw_view_head(ctx, JS_AtomToString(ctx, name), room_in(out), &len);

    if (!crw_work_charge_text(len))
        out->full = true;
    crw_out_put(out, text, len);
    JS_FreeCString(ctx, text);
}

static void put_symbol(JSContext *ctx, struct crw_out *out, JSAtom symbol)
{
    crw_out_str(out, "Symbol(");
    crw_view_name(ctx, out, symbol);
    crw_out_str(out, ")");
}

static bool is_word(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
              (i && c >= '0' && c <= '9')))
            return false;
    }
    return len > 0;
}

static void put_string_key(struct crw_view *v, JSAtom name)
{
    size_t len;
    const char *text = crw_view_head(v->ctx, JS_AtomToString(v->ctx, name), room_in(v->out), &len);

    crw_view_charge_text(v, len);
    if (len == 9 && memcmp(text, "__proto__", 9) == 0)
        crw_out_str(v->out, "['__proto__']");
    else if (is_word(text, len))
        crw_out_put(v->out, text, len);
    else
        crw_out_quoted(v->out, text, len);
    JS_FreeCString(v->ctx, text);
}

void crw_view_key(struct crw_view *v, JSAtom name)
{
    JSValue value = JS_AtomToValue(v->ctx, name);

    if (JS_IsSymbol(value)) {
        crw_out_str(v->out, "[");
        put_symbol(v->ctx, v->out, name);
        crw_out_str(v->out, "]");
    } else {
        put_string_key(v, name);
    }
    JS_FreeValue(v->ctx, value);
}

/* --- the rest -------------------------------------------------------------------------------- */

/* Appends a bigint. A huge one is only described: its digits would take too long. */
static void put_bigint(JSContext *ctx, struct crw_out *out, JSValueConst value, const char *suffix)
{
    size_t bits = crw_peek_bits(value);

    if (bits <= BITS_MAX && crw_work_charge((bits / 256) * (bits / 256))) {
        const char *text = JS_ToCString(ctx, value);

        crw_out_str(out, text);
        crw_out_str(out, suffix);
        JS_FreeCString(ctx, text);
        return;
    }
    crw_out_str(out, "<bigint of ");
    crw_out_number(out, bits);
    crw_out_str(out, " bits>");
}

void crw_view_bare(JSContext *ctx, struct crw_out *out, JSValueConst value)
{
    size_t len;
    const char *text;

    if (JS_IsSymbol(value)) {
        JSAtom atom = JS_ValueToAtom(ctx, value);

        put_symbol(ctx, out, atom);
        JS_FreeAtom(ctx, atom);
        return;
    }
    if (JS_IsBigInt(value)) {
        put_bigint(ctx, out, value, "");
        return;
    }
    text = crw_view_head(ctx, JS_ToString(ctx, value), room_in(out), &len);
    crw_out_put(out, text, len);
    JS_FreeCString(ctx, text);
}

static void put_number(struct crw_view *v, JSValueConst value)
{
    double number = 0;

    (void)JS_ToFloat64(v->ctx, &number, value);
    if (number == 0)
        crw_out_str(v->out, signbit(number) ? "-0" : "0");
    else
        crw_view_bare(v->ctx, v->out, value);
}

void crw_view_plain(struct crw_view *v, JSValueConst value)
{
    if (JS_IsString(value))
        put_string(v, value);
    else if (JS_IsNumber(value))
        put_number(v, value);
    else if (JS_IsBigInt(value))
        put_bigint(v->ctx, v->out, value, "n");
    else
        crw_view_bare(v->ctx, v->out, value);
}
