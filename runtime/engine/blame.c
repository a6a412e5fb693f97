/*
 * blame.c - keeps what the next error is about, and writes values into messages as V8 does. Writing
 * a value runs no code: only properties that are plain data are read, and no proxy is asked.
 *
 * The engine calls a function blame…() just before it throws; wording.c then makes the message.
 */
static uint32_t wording = WIRE_WORDING_ENGINE;

void crw_engine_set_wording(uint32_t number)
{
    wording = number;
}

static bool words_are_v8(void)
{
    return wording == WIRE_WORDING_V8;
}

/* What the next error is about. All is borrowed: no code runs before it is used. */
static struct {
    JSValueConst value, key;
    JSAtom name; /* of a property, or JS_ATOM_NULL */
    bool is_set, has_key;
} blamed;

static void blame(JSValueConst value)
{
    blamed.value = value;
    blamed.is_set = true;
}

static void blame_key(JSValueConst key)
{
    blamed.key = key;
    blamed.has_key = true;
}

static void blame_name(JSAtom name)
{
    blamed.name = name;
}

static void blame_nothing(void)
{
    blamed.is_set = blamed.has_key = false;
    blamed.name = JS_ATOM_NULL;
}

static void atom_for_message(JSContext *ctx, char *buf, size_t size, JSAtom atom)
{
    size_t len = 0;

    if (words_are_v8() && JS_AtomGetKind(ctx, atom) == JS_ATOM_KIND_SYMBOL) {
        len = (size_t)snprintf(buf, size, "Symbol(");
        JS_AtomGetStr(ctx, buf + len, (int)(size - len - 1), atom);
        len = strlen(buf);
        memcpy(buf + len, ")", 2);
    } else {
        JS_AtomGetStr(ctx, buf, (int)size, atom);
    }
}

/* --- values ------------------------------------------------------------------------------- */

/* Returns the own data property |name| of an object that is not a proxy, or undefined. */
static JSValueConst plain_property(JSObject *p, JSAtom name)
{
    JSProperty *property;
    JSShapeProperty *shape = find_own_property(&property, p, name);

    return shape && (shape->flags & JS_PROP_TMASK) == JS_PROP_NORMAL ? property->u.value
                                                                     : JS_UNDEFINED;
}

/* Writes the name of a function, without the getters that code can put in its place. */
static bool put_function_name(struct words_text *out, JSValueConst function)
{
    JSValueConst name = JS_UNDEFINED;

    if (JS_IsObject(function) && JS_VALUE_GET_OBJ(function)->class_id != JS_CLASS_PROXY)
        name = plain_property(JS_VALUE_GET_OBJ(function), JS_ATOM_name);
    if (JS_VALUE_GET_TAG(name) != JS_TAG_STRING || !JS_VALUE_GET_STRING(name)->len)
        return false;
    text_string(out, name);
    return true;
}

static void put_object(JSContext *ctx, struct words_text *out, JSObject *p)
{
    JSObject *proto = p->class_id == JS_CLASS_PROXY ? NULL : p->shape->proto;
    JSValueConst made_by = JS_UNDEFINED;

    if (p->class_id == JS_CLASS_ARRAY) {
        text_str(out, "[object Array]");
        return;
    }
    if (JS_IsFunction(ctx, JS_MKPTR(JS_TAG_OBJECT, p)) &&
        put_function_name(out, JS_MKPTR(JS_TAG_OBJECT, p)))
        return;
    if (proto && proto->class_id != JS_CLASS_PROXY)
        made_by = plain_property(proto, JS_ATOM_constructor);
    text_str(out, "#<");
    if (!put_function_name(out, made_by))
        text_str(out, "Object");
    text_str(out, ">");
}

/* Writes |value| as V8 does inside of a message. */
static void put_value(JSContext *ctx, struct words_text *out, JSValueConst value)
{
    switch (JS_VALUE_GET_NORM_TAG(value)) {
    case JS_TAG_OBJECT:
        put_object(ctx, out, JS_VALUE_GET_OBJ(value));
        break;
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE:
        text_string(out, value);
        break;
    case JS_TAG_INT:
    case JS_TAG_FLOAT64:
        text_number(ctx, out, value);
        break;
    case JS_TAG_BOOL:
        text_str(out, JS_VALUE_GET_BOOL(value) ? "true" : "false");
        break;
    case JS_TAG_NULL:
        text_str(out, "null");
        break;
    case JS_TAG_SYMBOL:
        text_str(out, "Symbol(");
        text_atom(ctx, out, js_get_atom_index(ctx->rt, JS_VALUE_GET_PTR(value)));
        text_str(out, ")");
        break;
    case JS_TAG_SHORT_BIG_INT:
    case JS_TAG_BIG_INT:
        text_str(out, "a BigInt");
        break;
    default:
        text_str(out, "undefined");
    }
}

/* Writes |value| as V8 does if it has no expression for it: `number 5`, `object null`. */
static void put_described(JSContext *ctx, struct words_text *out, JSValueConst value)
{
    switch (JS_VALUE_GET_NORM_TAG(value)) {
    case JS_TAG_OBJECT:
        text_str(out, JS_IsFunction(ctx, value) ? "function" : "object");
        break;
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE:
        text_str(out, "string \"");
        text_string(out, value);
        text_str(out, "\"");
        break;
    case JS_TAG_SYMBOL:
        text_str(out, "symbol");
        break;
    case JS_TAG_SHORT_BIG_INT:
    case JS_TAG_BIG_INT:
        text_str(out, "bigint");
        break;
    case JS_TAG_INT:
    case JS_TAG_FLOAT64:
        text_str(out, "number ");
        put_value(ctx, out, value);
        break;
    case JS_TAG_BOOL:
        text_str(out, "boolean ");
        put_value(ctx, out, value);
        break;
    case JS_TAG_NULL:
        text_str(out, "object ");
        put_value(ctx, out, value);
        break;
    default:
        text_str(out, "undefined");
    }
}
