/*
 * identity.c - what an object is called: its constructor's name, its tag, and the words that stand
 * before its bracket or for the whole of it.
 */
#include <string.h>

#include "engine.h"
#include "values.h"
#include "view.h"

#define CHAIN_MAX 100 /* prototypes looked at; a proxy among them ends the chain */

JSAtom crw_view_name(JSContext *ctx, enum crw_view_name name)
{
    static const char *const words[CRW_NAMES] = {
        [CRW_NAME_CONSTRUCTOR] = "constructor",
        [CRW_NAME_NAME] = "name",
        [CRW_NAME_PROTOTYPE] = "prototype",
        [CRW_NAME_MESSAGE] = "message",
        [CRW_NAME_STACK] = "stack",
        [CRW_NAME_CAUSE] = "cause",
        [CRW_NAME_ERRORS] = "errors",
    };
    static JSAtom atoms[CRW_NAMES];

    if (!atoms[name])
        atoms[name] = JS_NewAtom(ctx, words[name]);
    return atoms[name];
}

/* Goes to the next object of a chain of prototypes, if there is one that may be looked at. */
static bool go_on(struct crw_view *v, JSValueConst *object)
{
    crw_view_charge(v, 1);
    *object = crw_peek_prototype(*object);
    return JS_IsObject(*object) && crw_peek_kind(v->ctx, *object) != CRW_KIND_PROXY;
}

/* Is |prototype| behind |object|? */
static bool is_behind(struct crw_view *v, JSValueConst object, JSValueConst prototype)
{
    for (int i = 0; i < CHAIN_MAX && go_on(v, &object); i++)
        if (JS_VALUE_GET_PTR(object) == JS_VALUE_GET_PTR(prototype))
            return true;
    return false;
}

/* Takes |value|. Returns its text if it is a string with something in it, else NULL. */
static const char *text_of(JSContext *ctx, JSValue value)
{
    const char *text = NULL;
    size_t len;

    if (JS_IsString(value)) {
        text = JS_ToCStringLen(ctx, &len, value);
        crw_values_mend(text, len);
        if (len == 0) {
            JS_FreeCString(ctx, text);
            text = NULL;
        }
    }
    JS_FreeValue(ctx, value);
    return text;
}

static const char *own_text(JSContext *ctx, JSValueConst object, enum crw_view_name name)
{
    JSValue value = JS_UNDEFINED;

    (void)crw_inspect_own(ctx, object, crw_view_name(ctx, name), &value);
    return text_of(ctx, value);
}

/* The first own property |name| of the chain that begins with |object|, if its value is a text. */
static const char *inherited_text(struct crw_view *v, JSValueConst object, JSAtom name)
{
    JSValue value = JS_UNDEFINED;

    for (int i = 0; i < CHAIN_MAX; i++) {
        if (crw_inspect_own(v->ctx, object, name, &value) != 0)
            return text_of(v->ctx, value);
        if (!go_on(v, &object))
            break;
    }
    return NULL;
}

/* The name of |holder|'s constructor, if |object| can have been made by it. */
static const char *maker_of(struct crw_view *v, JSValueConst holder, JSValueConst object)
{
    JSValue constructor = JS_UNDEFINED, prototype = JS_UNDEFINED;
    const char *name = NULL;

    if (crw_inspect_own(v->ctx, holder, crw_view_name(v->ctx, CRW_NAME_CONSTRUCTOR), &constructor) >
            0 &&
        JS_IsObject(constructor) && crw_peek_kind(v->ctx, constructor) == CRW_KIND_FUNCTION &&
        crw_inspect_own(v->ctx, constructor, crw_view_name(v->ctx, CRW_NAME_PROTOTYPE),
                        &prototype) > 0 &&
        JS_IsObject(prototype) && is_behind(v, object, prototype))
        name = own_text(v->ctx, constructor, CRW_NAME_NAME);
    JS_FreeValue(v->ctx, prototype);
    JS_FreeValue(v->ctx, constructor);
    return name;
}

static const char *constructor_of(struct crw_view *v, JSValueConst object)
{
    JSValueConst holder = object;

    for (int i = 0; i < CHAIN_MAX && !v->out->full; i++) {
        const char *name = maker_of(v, holder, object);

        if (name || !go_on(v, &holder))
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

/* An enumerable tag is among the properties already. */
static bool has_enumerable_tag(const struct crw_thing *t)
{
    for (uint32_t i = t->name_count; i > t->name_from; i--)
        if (t->names[i - 1].atom == crw_peek_tag_name())
            return true;
    return false;
}

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

void crw_view_identify(struct crw_view *v, struct crw_thing *t)
{
    t->constructor = constructor_of(v, t->value);
    if (t->kind == CRW_KIND_TYPED_ARRAY)
        t->tag = class_name(v->ctx, t->value); /* its own is a getter */
    else if (!has_enumerable_tag(t))
        t->tag = inherited_text(v, t->value, crw_peek_tag_name());
    if (same(t->tag, t->constructor)) {
        JS_FreeCString(v->ctx, t->tag);
        t->tag = NULL;
    }
}

void crw_view_forget(struct crw_view *v, struct crw_thing *t)
{
    JS_FreeCString(v->ctx, t->constructor);
    JS_FreeCString(v->ctx, t->tag);
}

static void put_size(struct crw_view *v, const struct crw_thing *t)
{
    if (t->kind != CRW_KIND_ARRAY && t->kind != CRW_KIND_TYPED_ARRAY && t->kind != CRW_KIND_MAP &&
        t->kind != CRW_KIND_SET)
        return;
    crw_out_str(v->out, "(");
    crw_out_number(v->out, (uint64_t)t->length);
    crw_out_str(v->out, ")");
}

static void put_identity(struct crw_view *v, const struct crw_thing *t, bool with_size)
{
    const char *fallback = t->constructor ? NULL : class_name(v->ctx, t->value);

    crw_out_str(v->out, fallback ? "[" : t->constructor);
    if (fallback)
        crw_out_str(v->out, fallback);
    if (with_size)
        put_size(v, t);
    crw_out_str(v->out, fallback ? ": null prototype]" : "");
    if (t->tag && !same(t->tag, fallback)) {
        crw_out_str(v->out, " [");
        crw_out_str(v->out, t->tag);
        crw_out_str(v->out, "]");
    }
    JS_FreeCString(v->ctx, fallback);
}

static void put_iterator(struct crw_view *v, const struct crw_thing *t)
{
    struct crw_walk walk;

    (void)crw_peek_walk(t->value, &walk);
    crw_out_str(v->out, t->kind == CRW_KIND_MAP_ITERATOR ? "[Map " : "[Set ");
    crw_out_str(v->out, walk.pairs ? "Entries] " : "Iterator] ");
}

void crw_view_prefix(struct crw_view *v, const struct crw_thing *t)
{
    const char *usual = t->kind == CRW_KIND_ARRAY ? "Array" : "Object";

    if (t->kind == CRW_KIND_ARGUMENTS) {
        crw_out_str(v->out, "[Arguments] ");
    } else if (t->kind == CRW_KIND_MAP_ITERATOR || t->kind == CRW_KIND_SET_ITERATOR) {
        put_iterator(v, t);
    } else if (!same(t->constructor, usual) || t->tag) {
        put_identity(v, t, true);
        crw_out_str(v->out, " ");
    }
}

void crw_view_placeholder(struct crw_view *v, const struct crw_thing *t)
{
    crw_out_str(v->out, t->constructor ? "[" : "");
    put_identity(v, t, false);
    crw_out_str(v->out, t->constructor ? "]" : "");
}

/* --- what stands for the whole --------------------------------------------------------------- */

static void put_class(struct crw_view *v, const struct crw_thing *t, const char *name)
{
    JSValueConst parent = crw_peek_prototype(t->value);
    const char *parent_name = NULL;

    crw_out_str(v->out, "[class ");
    crw_out_str(v->out, name ? name : "(anonymous)");
    if (JS_IsObject(parent) && crw_peek_kind(v->ctx, parent) == CRW_KIND_FUNCTION)
        parent_name = own_text(v->ctx, parent, CRW_NAME_NAME);
    if (!JS_IsObject(parent)) {
        crw_out_str(v->out, " extends null prototype");
    } else if (parent_name) {
        crw_out_str(v->out, " extends ");
        crw_out_str(v->out, parent_name);
    }
    crw_out_str(v->out, "]");
    JS_FreeCString(v->ctx, parent_name);
}

static void put_function(struct crw_view *v, const struct crw_thing *t)
{
    const char *name = own_text(v->ctx, t->value, CRW_NAME_NAME);
    unsigned how = crw_peek_function(t->value);

    if (how & CRW_FUNCTION_CLASS) {
        put_class(v, t, name);
    } else {
        crw_out_str(v->out, how & CRW_FUNCTION_ASYNC ? "[Async" : "[");
        crw_out_str(v->out, how & CRW_FUNCTION_GENERATOR ? "GeneratorFunction" : "Function");
        crw_out_str(v->out, t->constructor ? "" : " (null prototype)");
        crw_out_str(v->out, name ? ": " : " (anonymous)");
        crw_out_str(v->out, name ? name : "");
        crw_out_str(v->out, "]");
    }
    JS_FreeCString(v->ctx, name);
}

static void put_boxed(struct crw_view *v, const struct crw_thing *t)
{
    const char *kind = class_name(v->ctx, t->value);

    crw_out_str(v->out, "[");
    crw_out_str(v->out, kind);
    if (!same(kind, t->constructor)) {
        crw_out_str(v->out, " (");
        crw_out_str(v->out, t->constructor ? t->constructor : "null prototype");
        crw_out_str(v->out, ")");
    }
    crw_out_str(v->out, ": ");
    crw_view_nested(v, crw_peek_boxed(t->value), 0);
    crw_out_str(v->out, "]");
    JS_FreeCString(v->ctx, kind);
}

/* Takes |text|, the base of a date or a regular expression. */
static void put_text(struct crw_view *v, const struct crw_thing *t, JSValue text, const char *usual)
{
    if (!same(t->constructor, usual) || t->tag) {
        put_identity(v, t, false);
        crw_out_str(v->out, " ");
    }
    if (JS_IsException(text))
        JS_FreeValue(v->ctx, JS_GetException(v->ctx));
    else
        crw_inspect_bare(v->ctx, v->out, text);
    JS_FreeValue(v->ctx, text);
}

static bool ends_in_error(const char *name)
{
    size_t len = strlen(name);

    return len >= 5 && strcmp(name + len - 5, "Error") == 0;
}

/* A class that does not say what its errors are called is called by its own name. */
static void put_error_name(struct crw_view *v, const struct crw_thing *t, const char *name)
{
    const char *constructor = t->constructor;

    if (!constructor || !ends_in_error(name) || strstr(name, constructor)) {
        crw_view_indented(v, name, strlen(name));
        return;
    }
    crw_view_indented(v, constructor, strlen(constructor));
    if (!strstr(constructor, name)) {
        crw_out_str(v->out, " [");
        crw_view_indented(v, name, strlen(name));
        crw_out_str(v->out, "]");
    }
}

static void put_error_title(struct crw_view *v, const struct crw_thing *t)
{
    const char *name = inherited_text(v, t->value, crw_view_name(v->ctx, CRW_NAME_NAME));
    const char *message = inherited_text(v, t->value, crw_view_name(v->ctx, CRW_NAME_MESSAGE));

    put_error_name(v, t, name ? name : "Error");
    if (message) {
        crw_out_str(v->out, ": ");
        crw_view_indented(v, message, strlen(message));
    }
    JS_FreeCString(v->ctx, name);
    JS_FreeCString(v->ctx, message);
}

/* The stack that code has given an error is all of its text; else it comes below name and message.
 */
static void put_error(struct crw_view *v, const struct crw_thing *t)
{
    const char *given = own_text(v->ctx, t->value, CRW_NAME_STACK);
    const char *frames = given ? NULL : text_of(v->ctx, crw_engine_error_stack(v->ctx, t->value));
    bool bare = given ? !strstr(given, "\n    at ") : !frames;

    crw_out_str(v->out, bare ? "[" : "");
    if (given)
        crw_view_indented(v, given, strlen(given));
    else
        put_error_title(v, t);
    if (frames) {
        crw_view_indented(v, "\n", 1);
        crw_view_indented(v, frames, strlen(frames));
    }
    crw_out_str(v->out, bare ? "]" : "");
    JS_FreeCString(v->ctx, given);
    JS_FreeCString(v->ctx, frames);
}

bool crw_view_base(struct crw_view *v, const struct crw_thing *t)
{
    if (t->kind == CRW_KIND_FUNCTION)
        put_function(v, t);
    else if (t->kind == CRW_KIND_ERROR)
        put_error(v, t);
    else if (t->kind == CRW_KIND_DATE)
        put_text(v, t, crw_peek_date(v->ctx, t->value), "Date");
    else if (t->kind == CRW_KIND_REGEXP)
        put_text(v, t, crw_peek_regexp(v->ctx, t->value), "RegExp");
    else if (t->kind == CRW_KIND_BOXED)
        put_boxed(v, t);
    else
        return false;
    return true;
}
