/*
 * error.c - formats errors like Node: a title, and the lines of the stack below it.
 *
 * If code has set the stack of an error, that stack is the whole text, unless an engine made it: it
 * has only frames, or frames below the usual title. Then our title replaces that title.
 */
#include "error.h"

#include <string.h>

#include "engine.h"
#include "identity.h"

#define TEXT_CHARACTERS (CRW_OUT_VALUE_MAX + 1) /* so that a longer text makes the buffer full */
#define FRAME "    at "

struct title {
    const char *name;
    const char *message; /* NULL: none */
};

static bool ends_in_error(const char *name)
{
    size_t len = strlen(name);

    return len >= 5 && strcmp(name + len - 5, "Error") == 0;
}

/* Appends the error's name; if its class sets no name, the name of the class. */
static void put_name(struct crw_view *v, const struct crw_view_object *o, const char *name)
{
    const char *constructor = o->constructor;

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

static void put_title(struct crw_view *v, const struct crw_view_object *o, struct title title)
{
    put_name(v, o, title.name ? title.name : "Error");
    if (title.message) {
        crw_out_str(v->out, ": ");
        crw_view_indented(v, title.message, strlen(title.message));
    }
}

/* Returns name and message. For a DOMException they are getters, so its fields are read. */
static struct title title_of(struct crw_view *v, JSValueConst error)
{
    JSAtom name = crw_identity_name(v->ctx, CRW_IDENTITY_NAME);
    JSAtom message = crw_identity_name(v->ctx, CRW_IDENTITY_MESSAGE);
    JSValueConst inner_name = JS_UNDEFINED, inner_message = JS_UNDEFINED;
    struct title title = {
        crw_identity_inherited(v, error, name, CRW_IDENTITY_CHARACTERS),
        crw_identity_inherited(v, error, message, TEXT_CHARACTERS),
    };

    if (!crw_peek_dom_exception(error, &inner_name, &inner_message))
        return title;
    if (!title.name)
        title.name = crw_identity_text(v, JS_DupValue(v->ctx, inner_name), CRW_IDENTITY_CHARACTERS);
    if (!title.message)
        title.message = crw_identity_text(v, JS_DupValue(v->ctx, inner_message), TEXT_CHARACTERS);
    return title;
}

/* Returns the stack if it is an own property of the error, else NULL. */
static const char *own_stack(struct crw_view *v, JSValueConst error)
{
    JSAtom name = crw_identity_name(v->ctx, CRW_IDENTITY_STACK);
    JSValue stack = JS_UNDEFINED;

    if (crw_inspect_own(v->ctx, error, name, &stack) > 0 &&
        crw_peek_dom_exception(error, NULL, NULL)) {
        JS_FreeValue(v->ctx, stack);
        stack = crw_engine_error_stack(v->ctx, error);
    }
    return crw_identity_text(v, stack, TEXT_CHARACTERS);
}

/* Returns the rest of |text| after |start|, or NULL if |text| does not begin with |start|. */
static const char *after(const char *text, const char *start)
{
    size_t len = strlen(start);

    return text && strncmp(text, start, len) == 0 ? text + len : NULL;
}

/* Returns the frames in |stack| if an engine made it, or NULL. */
static const char *frames_in(const char *stack, struct title title)
{
    const char *rest;

    if (after(stack, FRAME))
        return stack;
    rest = after(stack, title.name ? title.name : "Error");
    if (title.message)
        rest = after(after(rest, ": "), title.message);
    rest = after(rest, "\n");
    return after(rest, FRAME) ? rest : NULL;
}

static void put_lines(struct crw_view *v, const struct crw_view_object *o, struct title title,
                      const char *frames)
{
    crw_out_str(v->out, frames ? "" : "[");
    put_title(v, o, title);
    if (frames) {
        crw_view_indented(v, "\n", 1);
        crw_view_indented(v, frames, strlen(frames));
    } else {
        crw_out_str(v->out, "]");
    }
}

static void put_given(struct crw_view *v, const char *stack)
{
    bool bare = !strstr(stack, "\n" FRAME);

    crw_out_str(v->out, bare ? "[" : "");
    crw_view_indented(v, stack, strlen(stack));
    crw_out_str(v->out, bare ? "]" : "");
}

void crw_error_put(struct crw_view *v, const struct crw_view_object *o)
{
    struct title title = title_of(v, o->value);
    const char *stack = own_stack(v, o->value);
    const char *frames = frames_in(stack, title);

    if (stack && !frames) {
        put_given(v, stack);
    } else {
        if (!stack)
            frames = stack =
                crw_identity_text(v, crw_engine_error_stack(v->ctx, o->value), TEXT_CHARACTERS);
        put_lines(v, o, title, frames);
    }
    JS_FreeCString(v->ctx, title.name);
    JS_FreeCString(v->ctx, title.message);
    JS_FreeCString(v->ctx, stack);
}

bool crw_error_shows(struct crw_view *v, const struct crw_view_object *o, JSAtom name, size_t base)
{
    JSValue value = JS_UNDEFINED;
    const char *text;
    bool was_written;

    if (name == crw_identity_name(v->ctx, CRW_IDENTITY_STACK))
        return true;
    if (name != crw_identity_name(v->ctx, CRW_IDENTITY_NAME) &&
        name != crw_identity_name(v->ctx, CRW_IDENTITY_MESSAGE))
        return false;
    if (crw_inspect_own(v->ctx, o->value, name, &value) <= 0 || !JS_IsString(value)) {
        JS_FreeValue(v->ctx, value);
        return true;
    }
    text = crw_identity_text(v, value, TEXT_CHARACTERS);
    was_written = !text || memmem(v->out->text + base, v->out->len - base, text, strlen(text));
    JS_FreeCString(v->ctx, text);
    return was_written;
}
