/*
 * identity.c - the name of an object: its constructor's name, its tag, and the text that is shown
 * before its bracket or instead of the whole object.
 */
#include "identity.h"

#include <string.h>

#include "error.h"

#define CHAIN_MAX 100 /* prototypes that are read; a proxy ends the chain */

JSAtom crw_identity_name(JSContext *ctx, enum crw_identity_name name)
{
    static const char *const words[CRW_IDENTITY_NAMES] = {
        [CRW_IDENTITY_CONSTRUCTOR] = "constructor",
        [CRW_IDENTITY_NAME] = "name",
        [CRW_IDENTITY_PROTOTYPE] = "prototype",
        [CRW_IDENTITY_MESSAGE] = "message",
        [CRW_IDENTITY_STACK] = "stack",
        [CRW_IDENTITY_CAUSE] = "cause",
        [CRW_IDENTITY_ERRORS] = "errors",
    };
    static JSAtom atoms[CRW_IDENTITY_NAMES];

    if (!atoms[name])
        atoms[name] = JS_NewAtom(ctx, words[name]);
    return atoms[name];
}

/* Moves |object| to its prototype. Returns false if that is null or a proxy. */
static bool to_prototype(struct crw_view *v, JSValueConst *object)
{
    crw_view_charge(v, 1);
    *object = crw_peek_prototype(*object);
    return JS_IsObject(*object) && crw_peek_kind(v->ctx, *object) != CRW_PEEK_PROXY;
}

/* Is |prototype| in the prototype chain of |object|? */
static bool is_behind(struct crw_view *v, JSValueConst object, JSValueConst prototype)
{
    for (int i = 0; i < CHAIN_MAX && to_prototype(v, &object); i++)
        if (JS_VALUE_GET_PTR(object) == JS_VALUE_GET_PTR(prototype))
            return true;
    return false;
}

const char *crw_identity_text(struct crw_view *v, JSValue value, size_t max)
{
    const char *text;
    size_t len;

    if (!JS_IsString(value)) {
        JS_FreeValue(v->ctx, value);
        return NULL;
    }
    text = crw_view_head(v->ctx, value, max, &len);
    crw_view_charge_text(v, len);
    if (len > 0)
        return text;
    JS_FreeCString(v->ctx, text);
    return NULL;
}

const char *crw_identity_inherited(struct crw_view *v, JSValueConst object, JSAtom name, size_t max)
{
    JSValue value = JS_UNDEFINED;

    for (int i = 0; i < CHAIN_MAX; i++) {
        if (crw_inspect_own(v->ctx, object, name, &value) != 0)
            return crw_identity_text(v, value, max);
        if (!to_prototype(v, &object))
            break;
    }
    return NULL;
}

/* Returns the name of a function. */
static const char *function_name(struct crw_view *v, JSValueConst function)
{
    JSValue name = JS_UNDEFINED;

    (void)crw_inspect_own(v->ctx, function, crw_identity_name(v->ctx, CRW_IDENTITY_NAME), &name);
    return crw_identity_text(v, name, CRW_IDENTITY_CHARACTERS);
}

/* Returns the name of |holder|'s constructor, if it can have made |object|. */
static const char *maker_of(struct crw_view *v, JSValueConst holder, JSValueConst object)
{
    JSValue constructor = JS_UNDEFINED, prototype = JS_UNDEFINED;
    const char *name = NULL;

    if (crw_inspect_own(v->ctx, holder, crw_identity_name(v->ctx, CRW_IDENTITY_CONSTRUCTOR),
                        &constructor) > 0 &&
        JS_IsObject(constructor) && crw_peek_kind(v->ctx, constructor) == CRW_PEEK_FUNCTION &&
        crw_inspect_own(v->ctx, constructor, crw_identity_name(v->ctx, CRW_IDENTITY_PROTOTYPE),
                        &prototype) > 0 &&
        JS_IsObject(prototype) && is_behind(v, object, prototype))
        name = function_name(v, constructor);
    JS_FreeValue(v->ctx, prototype);
    JS_FreeValue(v->ctx, constructor);
    return name;
}

static const char *constructor_of(struct crw_view *v, JSValueConst object)
{
    JSValueConst holder = object;

    for (int i = 0; i < CHAIN_MAX && !v->out->full; i++) {
        const char *name = maker_of(v, holder, object);

        if (name || !to_prototype(v, &holder))
            return name;
    }
    return NULL;
}

static const char *class_name(JSContext *ctx, JSValueConst object)
{
    JSAtom atom = JS_GetClassName(JS_GetRuntime(ctx), JS_GetClassID(object));
    const char *name = JS_AtomToCString(ctx, atom);

    JS_FreeAtom(ctx, atom);
    return name;
}

/* Is the tag enumerable? Then it is already shown as a property. */
static bool has_enumerable_tag(const struct crw_view_object *o)
{
    for (uint32_t i = o->name_count; i > o->name_from; i--)
        if (o->names[i - 1].atom == crw_peek_tag_name())
            return true;
    return false;
}

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

void crw_identity_find(struct crw_view *v, struct crw_view_object *o)
{
    o->constructor = constructor_of(v, o->value);
    if (o->kind == CRW_PEEK_TYPED_ARRAY)
        o->tag = class_name(v->ctx, o->value); /* its tag is a getter */
    else if (!has_enumerable_tag(o))
        o->tag = crw_identity_inherited(v, o->value, crw_peek_tag_name(), CRW_IDENTITY_CHARACTERS);
    if (same(o->tag, o->constructor)) {
        JS_FreeCString(v->ctx, o->tag);
        o->tag = NULL;
    }
}

void crw_identity_forget(struct crw_view *v, struct crw_view_object *o)
{
    JS_FreeCString(v->ctx, o->constructor);
    JS_FreeCString(v->ctx, o->tag);
}

static void put_size(struct crw_view *v, const struct crw_view_object *o)
{
    if (o->kind != CRW_PEEK_ARRAY && o->kind != CRW_PEEK_TYPED_ARRAY && o->kind != CRW_PEEK_MAP &&
        o->kind != CRW_PEEK_SET)
        return;
    crw_out_str(v->out, "(");
    crw_out_number(v->out, (uint64_t)o->length);
    crw_out_str(v->out, ")");
}

static void put_identity(struct crw_view *v, const struct crw_view_object *o, bool with_size)
{
    const char *fallback = o->constructor ? NULL : class_name(v->ctx, o->value);

    crw_out_str(v->out, fallback ? "[" : o->constructor);
    if (fallback)
        crw_out_str(v->out, fallback);
    if (with_size)
        put_size(v, o);
    crw_out_str(v->out, fallback ? ": null prototype]" : "");
    if (o->tag && !same(o->tag, fallback)) {
        crw_out_str(v->out, " [");
        crw_out_str(v->out, o->tag);
        crw_out_str(v->out, "]");
    }
    JS_FreeCString(v->ctx, fallback);
}

static void put_iterator(struct crw_view *v, const struct crw_view_object *o)
{
    struct crw_peek_walk walk;

    (void)crw_peek_walk(o->value, &walk);
    crw_out_str(v->out, o->kind == CRW_PEEK_MAP_ITERATOR ? "[Map " : "[Set ");
    crw_out_str(v->out, walk.pairs ? "Entries] " : "Iterator] ");
}

void crw_identity_prefix(struct crw_view *v, const struct crw_view_object *o)
{
    const char *usual = o->kind == CRW_PEEK_ARRAY ? "Array" : "Object";

    if (o->kind == CRW_PEEK_ARGUMENTS) {
        crw_out_str(v->out, "[Arguments] ");
    } else if (o->kind == CRW_PEEK_MAP_ITERATOR || o->kind == CRW_PEEK_SET_ITERATOR) {
        put_iterator(v, o);
    } else if (!same(o->constructor, usual) || o->tag) {
        put_identity(v, o, true);
        crw_out_str(v->out, " ");
    }
}

void crw_identity_placeholder(struct crw_view *v, const struct crw_view_object *o)
{
    crw_out_str(v->out, o->constructor ? "[" : "");
    put_identity(v, o, false);
    crw_out_str(v->out, o->constructor ? "]" : "");
}

/* --- what stands for the whole --------------------------------------------------------------- */

static void put_class(struct crw_view *v, const struct crw_view_object *o, const char *name)
{
    JSValueConst parent = crw_peek_prototype(o->value);
    const char *parent_name = NULL;

    crw_out_str(v->out, "[class ");
    crw_out_str(v->out, name ? name : "(anonymous)");
    if (JS_IsObject(parent) && crw_peek_kind(v->ctx, parent) == CRW_PEEK_FUNCTION)
        parent_name = function_name(v, parent);
    if (!JS_IsObject(parent)) {
        crw_out_str(v->out, " extends [null prototype]");
    } else if (parent_name) {
        crw_out_str(v->out, " extends ");
        crw_out_str(v->out, parent_name);
    }
    crw_out_str(v->out, "]");
    JS_FreeCString(v->ctx, parent_name);
}

static void put_function(struct crw_view *v, const struct crw_view_object *o)
{
    const char *name = function_name(v, o->value);
    unsigned how = crw_peek_function(o->value);

    if (how & CRW_PEEK_IS_CLASS) {
        put_class(v, o, name);
    } else {
        crw_out_str(v->out, how & CRW_PEEK_IS_ASYNC ? "[Async" : "[");
        crw_out_str(v->out, how & CRW_PEEK_IS_GENERATOR ? "GeneratorFunction" : "Function");
        crw_out_str(v->out, o->constructor ? "" : " (null prototype)");
        crw_out_str(v->out, name ? ": " : " (anonymous)");
        crw_out_str(v->out, name ? name : "");
        crw_out_str(v->out, "]");
    }
    JS_FreeCString(v->ctx, name);
}

static void put_boxed(struct crw_view *v, const struct crw_view_object *o)
{
    const char *kind = class_name(v->ctx, o->value);

    crw_out_str(v->out, "[");
    crw_out_str(v->out, kind);
    if (!same(kind, o->constructor)) {
        crw_out_str(v->out, " (");
        crw_out_str(v->out, o->constructor ? o->constructor : "null prototype");
        crw_out_str(v->out, ")");
    }
    crw_out_str(v->out, ": ");
    crw_inspect_nested(v, crw_peek_boxed(o->value), 0);
    crw_out_str(v->out, "]");
    JS_FreeCString(v->ctx, kind);
}

/* Takes |text|, of a date or a regular expression. |usual|: the constructor's usual name. */
static void put_text(struct crw_view *v, const struct crw_view_object *o, JSValue text,
                     const char *usual)
{
    if (!same(o->constructor, usual) || o->tag) {
        put_identity(v, o, false);
        crw_out_str(v->out, " ");
    }
    if (JS_IsException(text))
        JS_FreeValue(v->ctx, JS_GetException(v->ctx));
    else
        crw_view_bare(v->ctx, v->out, text);
    JS_FreeValue(v->ctx, text);
}

bool crw_identity_base(struct crw_view *v, const struct crw_view_object *o)
{
    if (o->kind == CRW_PEEK_FUNCTION)
        put_function(v, o);
    else if (o->kind == CRW_PEEK_ERROR)
        crw_error_put(v, o);
    else if (o->kind == CRW_PEEK_DATE)
        put_text(v, o, crw_peek_date(v->ctx, o->value), "Date");
    else if (o->kind == CRW_PEEK_REGEXP)
        put_text(v, o, crw_peek_regexp(v->ctx, o->value), "RegExp");
    else if (o->kind == CRW_PEEK_BOXED)
        put_boxed(v, o);
    else
        return false;
    return true;
}
