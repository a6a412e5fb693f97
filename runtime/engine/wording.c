/*
 * wording.c - words the errors of the engine as V8 does, because people and models know those
 * words: `o.foo is not a function`.
 *
 * The engine formats each message in word_error(). A table has V8's words for the engine's. For
 * some errors they name a value (blame.c) or the expression that made it (expression.c). Wording an
 * error runs no code of the capability: no getter, no trap, no toString. Runs that were recorded
 * with the engine's own words keep them: crw_engine_set_wording().
 */
#define ENGINE_BYTES 256 /* of a message in the engine's own words */

/* --- the place of the error --------------------------------------------------------------- */

struct error_place {
    const JSFunctionBytecode *b; /* NULL: a native function threw */
    uint32_t place;              /* of the instruction that threw */
    uint8_t op;
};

/* Gets the instruction that runs now. It is the last one that begins before |cur_pc|. */
static struct error_place find_place(JSContext *ctx)
{
    const JSStackFrame *sf = ctx->rt->current_stack_frame;
    struct error_place found = {NULL, 0, OP_invalid};
    const JSFunctionBytecode *b = sf ? JS_GetFunctionBytecode(sf->cur_func) : NULL;
    uint32_t end, place = 0;

    if (!b || !sf->cur_pc)
        return found;
    end = (uint32_t)(sf->cur_pc - b->byte_code_buf);
    while (place < end) {
        found.place = place;
        place += short_opcode_info(b->byte_code_buf[place]).size;
    }
    found.b = b;
    found.op = b->byte_code_buf[found.place];
    return found;
}

/* Writes the expression that an instruction calls. Returns false if the instruction is no call. */
static bool put_callee(JSContext *ctx, struct words_text *out, const struct error_place *at)
{
    char text[EXPRESSION_BYTES + 8];
    int slot;

    if (!at->b)
        return false;
    walk.b = at->b;
    slot = callee_slot(at->place);
    if (!slot)
        return false;
    expression_at(ctx, at->b, at->place, -slot, text);
    text_str(out, text);
    return true;
}

/* Returns the jump back to |target| from code behind it, or -1. */
static int64_t jump_back(const JSFunctionBytecode *b, uint32_t target)
{
    walk.b = b;
    for (uint32_t place = target; place < (uint32_t)b->byte_code_len;) {
        if (is_goto(place) && jump_target(place) == (int64_t)target)
            return place;
        place += short_opcode_info(b->byte_code_buf[place]).size;
    }
    return -1;
}

/*
 * Writes the expression that a pattern, `{a}` or `[a]`, is matched with. In a declaration its code
 * is behind that of the pattern, and jumps back to it. Returns false if the value has no expression
 * of its own: it is an argument, or part of another pattern.
 */
static bool put_source(JSContext *ctx, struct words_text *out, const struct error_place *at)
{
    char text[EXPRESSION_BYTES + 8];
    uint32_t begin = at->place;
    int64_t back;
    int last;

    walk_from(at->b, begin);
    last = (int)walk.count - 1;
    if (op_before(last, 0) == OP_dup && last > 0 && is_goto(walk.places[last - 1]))
        begin = walk.places[last];
    else if (last < 0 || !is_branch(walk.places[last]) || op_before(last, 1) != OP_is_undefined)
        return false;
    back = jump_back(at->b, begin);
    if (back < 0)
        return false;
    expression_at(ctx, at->b, (uint32_t)back, -1, text);
    text_str(out, text);
    return true;
}

/* --- the messages that name something ----------------------------------------------------- */

/* Each function writes a message into |out|, or returns false: the engine's own words are used. */
typedef bool word_function(JSContext *ctx, struct words_text *out, va_list ap);

static bool put_not_iterable(JSContext *ctx, struct words_text *out, const struct error_place *at);

/* Does the native function `Promise` run? */
static bool is_in_promise(JSContext *ctx)
{
    const JSStackFrame *sf = ctx->rt->current_stack_frame;

    return sf && JS_IsObject(ctx->promise_ctor) &&
           JS_VALUE_GET_PTR(sf->cur_func) == JS_VALUE_GET_PTR(ctx->promise_ctor);
}

static bool word_not_function(JSContext *ctx, struct words_text *out, va_list ap)
{
    struct error_place at = find_place(ctx);

    if (at.op == OP_for_await_of_start && put_not_iterable(ctx, out, &at))
        return true;
    if (put_callee(ctx, out, &at)) {
        text_str(out, is_construction(at.place) ? " is not a constructor" : " is not a function");
        return true;
    }
    if (!blamed.is_set)
        return false;
    if (is_in_promise(ctx)) {
        text_str(out, "Promise resolver ");
        put_value(ctx, out, blamed.value);
    } else {
        put_described(ctx, out, blamed.value);
    }
    text_str(out, " is not a function");
    return true;
}

/* `super()` calls the prototype of the running class. */
static bool put_super(JSContext *ctx, struct words_text *out, const struct error_place *at)
{
    JSValueConst self = ctx->rt->current_stack_frame->cur_func;
    int step;

    walk_from(at->b, at->place);
    step = maker_of(0, -callee_slot(at->place));
    if (at->op != OP_init_ctor && (step < 0 || op_at(walk.steps[step].place) != OP_get_super))
        return false;
    text_str(out, "Super constructor ");
    /* a class that extends null has Function.prototype as its prototype */
    put_value(ctx, out,
              js_same_value(ctx, blamed.value, ctx->function_proto) ? JS_NULL : blamed.value);
    text_str(out, " of ");
    if (!put_function_name(out, self))
        text_str(out, "anonymous class");
    return true;
}

static bool word_not_constructor(JSContext *ctx, struct words_text *out, va_list ap)
{
    struct error_place at = find_place(ctx);
    bool is_new = at.op == OP_call_constructor || at.op == OP_apply;

    if (!blamed.is_set)
        return false;
    if (!at.b || !((is_new || at.op == OP_init_ctor) && put_super(ctx, out, &at))) {
        if (!at.b || !is_new || !put_callee(ctx, out, &at))
            put_value(ctx, out, blamed.value);
    }
    text_str(out, " is not a constructor");
    return true;
}

/* Writes `x is not iterable` if the place is a loop, a pattern or a spread. */
static bool put_not_iterable(JSContext *ctx, struct words_text *out, const struct error_place *at)
{
    char text[EXPRESSION_BYTES + 8];
    size_t len;

    if (at->op != OP_for_of_start && at->op != OP_for_await_of_start && at->op != OP_append)
        return false;
    if (!put_source(ctx, out, at)) {
        expression_at(ctx, at->b, at->place, -1, text);
        if (strcmp(text, "(intermediate value)") == 0)
            return false;
        text_str(out, text);
    }
    len = out->len;
    if (len > 5 && strcmp(out->bytes + len - 5, "(...)") == 0) {
        out->len -= 5;
        text_str(out, " is not a function or its return value");
    }
    text_str(out, at->op == OP_for_await_of_start ? " is not async iterable" : " is not iterable");
    return true;
}

static bool put_any_not_iterable(JSContext *ctx, struct words_text *out, JSValueConst value)
{
    struct error_place at = find_place(ctx);

    if (at.b && put_not_iterable(ctx, out, &at))
        return true;
    put_described(ctx, out, value);
    text_str(out, " is not iterable (cannot read property Symbol(Symbol.iterator))");
    return true;
}

static bool word_not_iterable(JSContext *ctx, struct words_text *out, va_list ap)
{
    return blamed.is_set && put_any_not_iterable(ctx, out, blamed.value);
}

static bool word_read(JSContext *ctx, struct words_text *out, const char *name, const char *of)
{
    bool is_undefined = *of == 'u';

    if (strcmp(name, "Symbol(Symbol.iterator)") == 0)
        return put_any_not_iterable(ctx, out, is_undefined ? JS_UNDEFINED : JS_NULL);
    if (strcmp(name, "Symbol(Symbol.asyncIterator)") == 0) {
        struct error_place at = find_place(ctx);

        if (at.b && put_not_iterable(ctx, out, &at))
            return true;
    }
    text_str(out, "Cannot read properties of ");
    text_str(out, of);
    text_str(out, " (reading '");
    text_str(out, name);
    text_str(out, "')");
    return true;
}

static bool word_read_undefined(JSContext *ctx, struct words_text *out, va_list ap)
{
    return word_read(ctx, out, va_arg(ap, const char *), "undefined");
}

static bool word_read_null(JSContext *ctx, struct words_text *out, va_list ap)
{
    return word_read(ctx, out, va_arg(ap, const char *), "null");
}

/* Returns the first property that the pattern at |at| reads, or JS_ATOM_NULL. */
static JSAtom first_property(const struct error_place *at)
{
    const uint8_t *op = at->b->byte_code_buf + at->place + 1;

    if (*op == OP_dup)
        op++;
    return *op == OP_get_field || *op == OP_get_field2 ? get_u32(op + 1) : JS_ATOM_NULL;
}

/* Is the value that the pattern at |at| is matched with an argument of the function? */
static bool is_argument(const struct error_place *at)
{
    uint8_t op;

    walk_from(at->b, at->place);
    op = op_before((int)walk.count - 1, 0);
    return op == OP_get_arg || (op >= OP_get_arg0 && op <= OP_get_arg3);
}

static bool word_no_object(JSContext *ctx, struct words_text *out, va_list ap)
{
    struct error_place at = find_place(ctx);
    char source[EXPRESSION_BYTES + 8] = "";
    struct words_text text = {source, 0, sizeof(source), false};
    JSAtom name;
    bool is_null;

    if (!blamed.is_set || at.op != OP_to_object) {
        text_str(out, "Cannot convert undefined or null to object");
        return true;
    }
    is_null = JS_IsNull(blamed.value);
    name = first_property(&at);
    if (!put_source(ctx, &text, &at)) {
        if (name != JS_ATOM_NULL && !is_argument(&at)) {
            char part[ATOM_GET_STR_BUF_SIZE];

            atom_for_message(ctx, part, sizeof(part), name);
            return word_read(ctx, out, part, is_null ? "null" : "undefined");
        }
        put_described(ctx, &text, blamed.value);
    }
    text_str(out, "Cannot destructure ");
    if (name != JS_ATOM_NULL) {
        text_str(out, "property '");
        text_atom(ctx, out, name);
        text_str(out, "' of ");
    }
    text_str(out, "'");
    text_str(out, source);
    text_str(out, is_null ? "' as it is null." : "' as it is undefined.");
    return true;
}

static bool word_read_only(JSContext *ctx, struct words_text *out, va_list ap)
{
    struct error_place at = find_place(ctx);
    const char *name = va_arg(ap, const char *);

    if (at.op == OP_throw_error && !blamed.is_set) {
        if (*name != '#') {
            text_str(out, "Assignment to constant variable.");
            return true;
        }
        text_str(out, "'");
        text_str(out, name);
        text_str(out, "' was defined without a setter");
        return true;
    }
    text_str(out, "Cannot assign to read only property '");
    text_str(out, name);
    text_str(out, "'");
    if (blamed.is_set) {
        text_str(out, JS_IsObject(blamed.value) ? " of object '" : " of string '");
        put_value(ctx, out, blamed.value);
        text_str(out, "'");
    }
    return true;
}

static bool word_not_initialized(JSContext *ctx, struct words_text *out, va_list ap)
{
    const char *name = va_arg(ap, const char *);

    if (strcmp(name, "this") == 0) {
        text_str(out, "Must call super constructor in derived class before accessing 'this' or "
                      "returning from derived constructor");
        return true;
    }
    if (strcmp(name, "lexical variable") == 0)
        return false;
    text_str(out, "Cannot access '");
    text_str(out, name);
    text_str(out, "' before initialization");
    return true;
}

static bool word_class_called(JSContext *ctx, struct words_text *out, va_list ap)
{
    const JSStackFrame *sf = ctx->rt->current_stack_frame;
    size_t len;

    text_str(out, "Class constructor ");
    len = out->len;
    if (!sf || !put_function_name(out, sf->cur_func)) {
        out->len = len - 1;
        text_str(out, "s");
    }
    text_str(out, " cannot be invoked without 'new'");
    return true;
}

static bool word_needs_new(JSContext *ctx, struct words_text *out, va_list ap)
{
    const JSStackFrame *sf = ctx->rt->current_stack_frame;

    text_str(out, "Constructor ");
    if (!sf || !put_function_name(out, sf->cur_func))
        return false;
    text_str(out, " requires 'new'");
    return true;
}

static bool word_extends(JSContext *ctx, struct words_text *out, va_list ap)
{
    if (!blamed.is_set)
        return false;
    text_str(out, "Class extends value ");
    put_value(ctx, out, blamed.value);
    text_str(out, " is not a constructor or null");
    return true;
}

static bool word_instanceof(JSContext *ctx, struct words_text *out, va_list ap)
{
    if (!blamed.is_set)
        return false;
    text_str(out, "Right-hand side of 'instanceof' is not ");
    text_str(out, JS_IsObject(blamed.value) ? "callable" : "an object");
    return true;
}

static bool word_in(JSContext *ctx, struct words_text *out, va_list ap)
{
    if (!blamed.is_set)
        return false;
    text_str(out, "Cannot use 'in' operator to search for '");
    put_value(ctx, out, blamed.has_key ? blamed.key : JS_UNDEFINED);
    text_str(out, "' in ");
    put_value(ctx, out, blamed.value);
    return true;
}

static bool word_private(JSContext *ctx, struct words_text *out, va_list ap)
{
    struct error_place at = find_place(ctx);
    bool is_write = at.op == OP_put_private_field;

    text_str(out, is_write ? "Cannot write private member " : "Cannot read private member ");
    text_str(out, va_arg(ap, const char *));
    text_str(out, is_write ? " to" : " from");
    text_str(out, " an object whose class did not declare it");
    return true;
}

/* Writes the name of the property that is set, deleted or defined. */
static bool put_property(JSContext *ctx, struct words_text *out, const char *before)
{
    struct error_place at = find_place(ctx);
    char name[ATOM_GET_STR_BUF_SIZE];

    if (blamed.name == JS_ATOM_NULL && at.op == OP_put_field)
        blamed.name = get_u32(at.b->byte_code_buf + at.place + 1);
    if (blamed.name == JS_ATOM_NULL)
        return false;
    atom_for_message(ctx, name, sizeof(name), blamed.name);
    text_str(out, before);
    text_str(out, name);
    return true;
}

static bool word_not_extensible(JSContext *ctx, struct words_text *out, va_list ap)
{
    if (!put_property(ctx, out, "Cannot add property "))
        return false;
    text_str(out, ", object is not extensible");
    return true;
}

static bool word_not_configurable(JSContext *ctx, struct words_text *out, va_list ap)
{
    return put_property(ctx, out, "Cannot redefine property: ");
}

static bool word_not_deleted(JSContext *ctx, struct words_text *out, va_list ap)
{
    if (!blamed.is_set || !put_property(ctx, out, "Cannot delete property '"))
        return false;
    text_str(out, "' of ");
    put_value(ctx, out, blamed.value);
    return true;
}

/* A property of a primitive value is set, or an iterator is no object. */
static bool word_not_object(JSContext *ctx, struct words_text *out, va_list ap)
{
    struct error_place at = find_place(ctx);

    if (at.op == OP_for_of_start || at.op == OP_append) {
        text_str(out, "Result of the Symbol.iterator method is not an object");
        return true;
    }
    if (!blamed.is_set || !put_property(ctx, out, "Cannot create property '"))
        return false;
    text_str(out, JS_IsString(blamed.value)   ? "' on string '"
                  : JS_IsNumber(blamed.value) ? "' on number '"
                  : JS_IsBool(blamed.value)   ? "' on boolean '"
                  : JS_IsSymbol(blamed.value) ? "' on symbol '"
                                              : "' on value '");
    put_value(ctx, out, blamed.value);
    text_str(out, "'");
    return true;
}

static bool word_no_setter(JSContext *ctx, struct words_text *out, va_list ap)
{
    if (!blamed.is_set || !put_property(ctx, out, "Cannot set property "))
        return false;
    text_str(out, " of ");
    put_value(ctx, out, blamed.value);
    text_str(out, " which has only a getter");
    return true;
}

static bool word_bigint(JSContext *ctx, struct words_text *out, va_list ap)
{
    struct error_place at = find_place(ctx);

    text_str(out, operands_of(at.op) == 2
                      ? "Cannot mix BigInt and other types, use explicit conversions"
                      : "Cannot convert a BigInt value to a number");
    return true;
}

static bool word_digits(JSContext *ctx, struct words_text *out, va_list ap)
{
    const JSStackFrame *sf = ctx->rt->current_stack_frame;
    size_t begin = out->len;

    if (!sf || !put_function_name(out, sf->cur_func))
        return false;
    text_str(out, strcmp(out->bytes + begin, "toFixed") == 0
                      ? "() digits argument must be between 0 and 100"
                  : strcmp(out->bytes + begin, "toPrecision") == 0
                      ? "() argument must be between 1 and 100"
                      : "() argument must be between 0 and 100");
    return true;
}

/* --- the table ---------------------------------------------------------------------------- */

/* V8's words may have the same arguments as the engine's, or none. */
static const struct {
    const char *engine, *v8;
    word_function *make; /* instead of |v8| */
} wordings[] = {
    {"not a function", NULL, word_not_function},
    {"not a constructor", NULL, word_not_constructor},
    {"%s is not a constructor", NULL, word_not_constructor},
    {"value is not iterable", NULL, word_not_iterable},
    {"cannot read property '%s' of undefined", NULL, word_read_undefined},
    {"cannot read property '%s' of null", NULL, word_read_null},
    {"cannot set property '%s' of undefined", "Cannot set properties of undefined (setting '%s')",
     NULL},
    {"cannot set property '%s' of null", "Cannot set properties of null (setting '%s')", NULL},
    {"Cannot convert undefined or null to object", NULL, word_no_object},
    {"cannot convert to object", "Cannot convert undefined or null to object", NULL},
    {"value has no property", "Cannot destructure the value as it is undefined or null.", NULL},
    {"'%s' is read-only", NULL, word_read_only},
    {"%s is not initialized", NULL, word_not_initialized},
    {"class constructors must be invoked with 'new'", NULL, word_class_called},
    {"must be called with new", NULL, word_needs_new},
    {"constructor requires 'new'", NULL, word_needs_new},
    {"Constructor requires 'new'", NULL, word_needs_new},
    {"parent class must be constructor", NULL, word_extends},
    {"invalid 'instanceof' right operand", NULL, word_instanceof},
    {"invalid 'in' operand", NULL, word_in},
    {"private class field '%s' does not exist", NULL, word_private},
    {"object is not extensible", NULL, word_not_extensible},
    {"no setter for property", NULL, word_no_setter},
    {"not configurable", NULL, word_not_configurable},
    {"property is not configurable", NULL, word_not_configurable},
    {"could not delete property", NULL, word_not_deleted},
    {"not an object", NULL, word_not_object},
    {"invalid number of digits", NULL, word_digits},
    {"private class field '%s' already exists", "Cannot initialize %s twice on the same object",
     NULL},
    {"derived class constructor must return an object or undefined",
     "Derived constructors may only return object or undefined", NULL},
    {"'this' can be initialized only once", "Super constructor may only be called once", NULL},
    {"cannot convert symbol to string", "Cannot convert a Symbol value to a string", NULL},
    {"cannot convert symbol to number", "Cannot convert a Symbol value to a number", NULL},
    {"cannot convert BigInt to number", NULL, word_bigint},
    {"bigint argument with unary +", "Cannot convert a BigInt value to a number", NULL},
    {"BigInt division by zero", "Division by zero", NULL},
    {"BigInt negative exponent", "Exponent must be positive", NULL},
    {"BigInt are forbidden in JSON.stringify", "Do not know how to serialize a BigInt", NULL},
    {"circular reference", "Converting circular structure to JSON", NULL},
    {"circular prototype chain", "Cyclic __proto__ value", NULL},
    {"toPrimitive", "Cannot convert object to primitive value", NULL},
    {"empty array", "Reduce of empty array with no initial value", NULL},
    {"invalid array length", "Invalid array length", NULL},
    {"invalid array buffer length", "Invalid array buffer length", NULL},
    {"invalid string length", "Invalid string length", NULL},
    {"Date value is NaN", "Invalid time value", NULL},
    {"bad normalization form", "The normalization form should be one of NFC, NFD, NFKC, NFKD.",
     NULL},
    {"cannot invoke a running generator", "Generator is already running", NULL},
    {"not a Date object", "this is not a Date object.", NULL},
};

static void word_error(JSContext *ctx, char *buf, size_t size, const char *format, va_list ap)
{
    struct words_text out = {buf, 0, size, false};
    va_list copy;
    bool done = false;

    for (size_t i = 0; words_are_v8() && !done && i < countof(wordings); i++) {
        if (strcmp(format, wordings[i].engine) != 0)
            continue;
        if (wordings[i].make) {
            va_copy(copy, ap);
            done = wordings[i].make(ctx, &out, copy);
            va_end(copy);
        } else {
            format = wordings[i].v8;
        }
        break;
    }
    blame_nothing();
    if (!done)
        (void)vsnprintf(buf, words_are_v8() || size < ENGINE_BYTES ? size : ENGINE_BYTES, format,
                        ap);
}
