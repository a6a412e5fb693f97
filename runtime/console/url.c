/* url.c - builds the text of a URL from its parts, as the URL standard defines. */
#include "url.h"

#include <stdio.h>

#include "members.h"
#include "work.h"

#define PIECES 8u /* of an IPv6 address */

/* Returns own property |name| of |object| if it is plain data, else undefined. */
static JSValue part(JSContext *ctx, JSValueConst object, const char *name)
{
    JSAtom atom = JS_NewAtom(ctx, name);
    JSValue value = JS_UNDEFINED;

    if (JS_IsObject(object) && crw_peek_kind(ctx, object) != CRW_PEEK_PROXY)
        (void)crw_inspect_own(ctx, object, atom, &value);
    JS_FreeAtom(ctx, atom);
    return value;
}

/* Returns how many items |value| has, if it is an array without holes, else 0. */
static uint32_t list_length(JSContext *ctx, JSValueConst value)
{
    return JS_IsObject(value) && crw_peek_kind(ctx, value) == CRW_PEEK_ARRAY
               ? crw_peek_elements(value)
               : 0;
}

/* --- a URL ----------------------------------------------------------------------------------- */

/* Appends |before| and the part, if the part is a string or a number. */
static void put_part(JSContext *ctx, struct crw_out *out, const char *before, JSValueConst value)
{
    if (JS_IsString(value) || JS_IsNumber(value)) {
        crw_out_str(out, before);
        crw_view_bare(ctx, out, value);
    }
}

static void put_named(JSContext *ctx, struct crw_out *out, const char *before, JSValueConst url,
                      const char *name)
{
    JSValue value = part(ctx, url, name);

    put_part(ctx, out, before, value);
    JS_FreeValue(ctx, value);
}

static void put_ipv4(JSContext *ctx, struct crw_out *out, JSValueConst host)
{
    uint32_t address = 0;
    char text[16];

    (void)JS_ToUint32(ctx, &address, host);
    (void)snprintf(text, sizeof(text), "%u.%u.%u.%u", address >> 24, address >> 16 & 255,
                   address >> 8 & 255, address & 255);
    crw_out_str(out, text);
}

/* Finds the first longest run of at least two zeros. Returns its length. */
static unsigned longest_zeros(const uint32_t pieces[PIECES], unsigned *ret_at)
{
    unsigned longest = 1, run = 0;

    for (unsigned i = 0; i < PIECES; i++) {
        run = pieces[i] ? 0 : run + 1;
        if (run > longest) {
            longest = run;
            *ret_at = i + 1 - run;
        }
    }
    return longest > 1 ? longest : 0;
}

static void put_ipv6(JSContext *ctx, struct crw_out *out, JSValueConst host)
{
    uint32_t pieces[PIECES] = {0};
    unsigned at = PIECES, zeros;
    char text[16];

    for (uint32_t i = 0; i < PIECES && i < list_length(ctx, host); i++) {
        JSValue piece = JS_GetPropertyUint32(ctx, host, i);

        if (JS_IsNumber(piece))
            (void)JS_ToUint32(ctx, &pieces[i], piece);
        JS_FreeValue(ctx, piece);
    }
    zeros = longest_zeros(pieces, &at);
    crw_out_str(out, "[");
    for (unsigned i = 0; i < PIECES; i++) {
        if (i == at) {
            crw_out_str(out, i ? ":" : "::");
            i += zeros - 1;
            continue;
        }
        (void)snprintf(text, sizeof(text), i + 1 < PIECES ? "%x:" : "%x", pieces[i]);
        crw_out_str(out, text);
    }
    crw_out_str(out, "]");
}

static bool is_empty(JSContext *ctx, JSValueConst url, const char *name)
{
    JSValue value = part(ctx, url, name);
    uint32_t length = 0;

    if (JS_IsString(value))
        JS_FreeValue(ctx, crw_peek_head(ctx, value, 1, &length));
    JS_FreeValue(ctx, value);
    return length == 0;
}

static void put_authority(JSContext *ctx, struct crw_out *out, JSValueConst url, JSValueConst host)
{
    bool has_password = !is_empty(ctx, url, "password");

    crw_out_str(out, "//");
    if (has_password || !is_empty(ctx, url, "username")) {
        put_named(ctx, out, "", url, "username");
        if (has_password)
            put_named(ctx, out, ":", url, "password");
        crw_out_str(out, "@");
    }
    if (JS_IsNumber(host))
        put_ipv4(ctx, out, host);
    else if (list_length(ctx, host))
        put_ipv6(ctx, out, host);
    else
        put_part(ctx, out, "", host);
    put_named(ctx, out, ":", url, "port");
}

/* Appends the path: a list of segments, or an opaque text. */
static void put_path(JSContext *ctx, struct crw_out *out, JSValueConst url, bool has_host)
{
    JSValue path = part(ctx, url, "path");
    uint32_t count = list_length(ctx, path);

    put_part(ctx, out, "", path);
    for (uint32_t i = 0; i < count && !out->full; i++) {
        JSValue segment = JS_GetPropertyUint32(ctx, path, i);
        uint32_t length = 1;

        out->full |= !crw_work_charge(1);
        if (i == 0 && count > 1 && !has_host && JS_IsString(segment))
            JS_FreeValue(ctx, crw_peek_head(ctx, segment, 1, &length));
        crw_out_str(out, length ? "" : "/."); /* otherwise it would look like a host */
        put_part(ctx, out, "/", segment);
        JS_FreeValue(ctx, segment);
    }
    JS_FreeValue(ctx, path);
}

/* Returns the URL as text, valid until the next call, or NULL if |value| is not a URL. */
static const struct crw_out *write_href(JSContext *ctx, JSValueConst value)
{
    static struct crw_out out;
    JSValue url = part(ctx, crw_peek_impl(value), "_url");
    JSValue scheme = part(ctx, url, "scheme"), host = part(ctx, url, "host");
    bool has_host = !JS_IsNull(host), is_url = JS_IsString(scheme);

    if (is_url) {
        crw_out_reset(&out, CRW_OUT_VALUE_MAX);
        put_part(ctx, &out, "", scheme);
        crw_out_str(&out, ":");
        if (has_host)
            put_authority(ctx, &out, url, host);
        put_path(ctx, &out, url, has_host);
        put_named(ctx, &out, "?", url, "query");
        put_named(ctx, &out, "#", url, "fragment");
    }
    JS_FreeValue(ctx, host);
    JS_FreeValue(ctx, scheme);
    JS_FreeValue(ctx, url);
    return is_url ? &out : NULL;
}

JSValue crw_url_href(JSContext *ctx, JSValueConst value)
{
    const struct crw_out *href = write_href(ctx, value);

    return href ? JS_NewStringLen(ctx, href->text, href->len) : JS_UNDEFINED;
}

/* --- parameters, and both -------------------------------------------------------------------- */

static void put_pair(struct crw_view *v, JSValueConst pair, int depth)
{
    if (list_length(v->ctx, pair) != 2)
        return;
    crw_layout_entry(&v->layout);
    for (uint32_t i = 0; i < 2; i++) {
        JSValue text = JS_GetPropertyUint32(v->ctx, pair, i);

        crw_out_str(v->out, i ? " => " : "");
        crw_inspect_nested(v, text, depth);
        JS_FreeValue(v->ctx, text);
    }
}

static void put_pairs(struct crw_view *v, JSValueConst list, int depth)
{
    uint32_t count = list_length(v->ctx, list), i;

    for (i = 0; i < count && i < v->how.items && !v->out->full; i++) {
        JSValue pair = JS_GetPropertyUint32(v->ctx, list, i);

        put_pair(v, pair, depth);
        JS_FreeValue(v->ctx, pair);
    }
    crw_members_left(v, count - i);
}

int64_t crw_url_length(JSContext *ctx, JSValueConst value)
{
    JSValue list = part(ctx, crw_peek_impl(value), "_list");
    JSValue url = part(ctx, crw_peek_impl(value), "_url");
    JSValue scheme = part(ctx, url, "scheme");
    int64_t length = JS_IsString(scheme) ? 1 : list_length(ctx, list);

    JS_FreeValue(ctx, scheme);
    JS_FreeValue(ctx, url);
    JS_FreeValue(ctx, list);
    return length;
}

void crw_url_put(struct crw_view *v, const struct crw_view_object *o, int depth)
{
    const struct crw_out *href = write_href(v->ctx, o->value);
    JSValue list;

    if (href) {
        crw_layout_entry(&v->layout);
        crw_out_str(v->out, "href: ");
        crw_out_quoted(v->out, href->text, href->len);
        crw_view_charge_text(v, href->len);
        return;
    }
    list = part(v->ctx, crw_peek_impl(o->value), "_list");
    put_pairs(v, list, depth);
    JS_FreeValue(v->ctx, list);
}
