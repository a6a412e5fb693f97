/*
 * stack.c - prepares stack traces for a capability and its author: removes the frames of our own
 * code, and corrects columns.
 */

/* Reads the number that ends at |end|, not before |begin|. Returns where it begins. */
static const char *number_before(const char *begin, const char *end, int *ret)
{
    const char *at = end;
    int place = 1;

    *ret = 0;
    for (; at > begin && at[-1] >= '0' && at[-1] <= '9' && place <= 100000000; place *= 10)
        *ret += (*--at - '0') * place;
    return at;
}

/* Splits a frame ending in ":LINE:COLUMN" or ":LINE:COLUMN)". Returns the rest's length, or 0. */
static size_t split_frame(const char *frame, size_t len, int *ret_line, int *ret_column)
{
    const char *end = frame + len, *at;

    if (len && end[-1] == ')')
        end--;
    at = number_before(frame, end, ret_column);
    if (at == end || at == frame || *--at != ':')
        return 0;
    end = at;
    at = number_before(frame, end, ret_line);
    return at == end || at == frame || at[-1] != ':' ? 0 : (size_t)(at - frame) - 1;
}

/* Appends a frame. Line 0 is the head that we put before a body: shown as the code's beginning. */
static void put_frame(DynBuf *out, const char *frame, size_t len)
{
    int line, column;
    size_t kept = split_frame(frame, len, &line, &column);

    if (!kept) {
        dbuf_put(out, (const uint8_t *)frame, len);
        return;
    }
    dbuf_put(out, (const uint8_t *)frame, kept);
    if (line == 0)
        line = column = 1;
    else
        column = source_column_at(line, column);
    dbuf_printf(out, ":%d:%d%s", line, column, frame[len - 1] == ')' ? ")" : "");
}

static bool is_native(const char *frame, size_t len)
{
    static const char ending[] = " (native)";

    return len > sizeof(ending) && !memcmp(frame + len - (sizeof(ending) - 1), ending, 9);
}

/* Copies |text| without the frames of our own code and of native functions that it called. */
static JSValue without_our_frames(JSContext *ctx, const char *text)
{
    static const char ours[] = " (" CRW_ENGINE_OURS;
    DynBuf kept;
    JSValue result;
    size_t certain = 0; /* the text after this is removed if a frame of our code follows */

    js_dbuf_init(ctx, &kept);
    while (*text) {
        size_t len = strcspn(text, "\n");

        if (memmem(text, len, ours, sizeof(ours) - 1)) {
            kept.size = certain;
        } else {
            if (kept.size)
                dbuf_putc(&kept, '\n');
            put_frame(&kept, text, len);
            if (!is_native(text, len))
                certain = kept.size;
        }
        text += len + (text[len] == '\n');
    }
    result = JS_NewStringLen(ctx, (const char *)kept.buf, kept.size);
    dbuf_free(&kept);
    return result;
}

bool crw_engine_is_error(JSValueConst value)
{
    return JS_IsError(value) || JS_GetClassID(value) == JS_CLASS_DOM_EXCEPTION;
}

/* Returns the unfiltered stack of |error|. */
static JSValue raw_stack(JSContext *ctx, JSValueConst error)
{
    JSPropertyDescriptor own;

    if (JS_IsError(error))
        return js_error_get_stack(ctx, error);
    if (!crw_engine_is_error(error) || JS_GetOwnProperty(ctx, &own, error, JS_ATOM_stack) <= 0)
        return JS_UNDEFINED;
    JS_FreeValue(ctx, own.getter);
    JS_FreeValue(ctx, own.setter);
    return own.value;
}

JSValue crw_engine_error_stack(JSContext *ctx, JSValueConst error)
{
    JSValue stack = raw_stack(ctx, error), clean;
    const char *text, *frames;

    if (!JS_IsString(stack))
        return stack;
    text = JS_ToCString(ctx, stack);
    frames = text;
    /* a stack in a property already has the header: skip it */
    while (frames && !JS_IsError(error) && *frames && strncmp(frames, "    at ", 7) != 0) {
        frames += strcspn(frames, "\n");
        frames += *frames == '\n';
    }
    clean = frames ? without_our_frames(ctx, frames) : JS_EXCEPTION;
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, stack);
    return clean;
}

/* Takes |stack|. Puts "TypeError: message" above it, as code written for V8 expects. */
static JSValue with_header(JSContext *ctx, JSValueConst error, JSValue stack)
{
    JSValue header;

    if (!JS_IsString(stack))
        return stack;
    header = js_error_toString(ctx, error, 0, NULL);
    if (JS_IsException(header)) {
        JS_FreeValue(ctx, JS_GetException(ctx)); /* a getter of untrusted code threw */
        return stack;
    }
    return JS_ConcatString(ctx, JS_ConcatString3(ctx, "", header, "\n"), stack);
}

/* Removes our frames from the stack of an error that has it as an own property. */
static void clean_own_stack(JSContext *ctx, JSValueConst error)
{
    if (JS_GetClassID(error) == JS_CLASS_DOM_EXCEPTION)
        JS_DefinePropertyValue(ctx, error, JS_ATOM_stack,
                               with_header(ctx, error, crw_engine_error_stack(ctx, error)),
                               JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
}

JSValue crw_engine_running_stack(JSContext *ctx)
{
    JSStackFrame *sf = ctx->rt->current_stack_frame;
    JSValue error, stack;

    /* a function that has called nothing yet: show its beginning */
    if (sf && !sf->cur_pc && js_class_has_bytecode(JS_VALUE_GET_OBJ(sf->cur_func)->class_id))
        sf->cur_pc = JS_VALUE_GET_OBJ(sf->cur_func)->u.func.function_bytecode->byte_code_buf + 1;
    error = JS_NewError(ctx);
    stack = crw_engine_error_stack(ctx, error);
    JS_FreeValue(ctx, error);
    return stack;
}

static JSValue get_stack(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    if (!JS_IsObject(this_val))
        return JS_ThrowTypeError(ctx, "not an object");
    return with_header(ctx, this_val, crw_engine_error_stack(ctx, this_val));
}

static JSValue set_stack(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    return js_error_set_stack(ctx, this_val, argc > 0 ? argv[0] : JS_UNDEFINED);
}

static int replace_stack_property(JSContext *ctx)
{
    return JS_DefinePropertyGetSet(ctx, ctx->class_proto[JS_CLASS_ERROR], JS_ATOM_stack,
                                   JS_NewCFunction(ctx, get_stack, "get stack", 0),
                                   JS_NewCFunction(ctx, set_stack, "set stack", 1),
                                   JS_PROP_CONFIGURABLE);
}

/*
 * Stores the running function and the position in it. That is much cheaper than formatting a stack.
 */
void crw_engine_place(JSContext *ctx, struct crw_engine_place *ret)
{
    JSStackFrame *sf = ctx->rt->current_stack_frame;

    while (sf && !js_class_has_bytecode(JS_VALUE_GET_OBJ(sf->cur_func)->class_id))
        sf = sf->prev_frame;
    ret->function = sf ? js_dup(sf->cur_func) : JS_UNDEFINED;
    ret->at = sf && sf->cur_pc ? sf->cur_pc : NULL;
}

/* Returns the line of a stack trace for |place|. */
static JSValue place_text(JSContext *ctx, const struct crw_engine_place *place)
{
    const JSFunctionBytecode *b = JS_VALUE_GET_OBJ(place->function)->u.func.function_bytecode;
    const char *function = get_func_name(ctx, place->function);
    const char *file = JS_AtomToCString(ctx, b->filename);
    int column, line;
    char text[512];

    line = find_line_num(ctx, (JSFunctionBytecode *)b, (uint32_t)(place->at - b->byte_code_buf - 1),
                         &column);
    snprintf(text, sizeof(text), "    at %.200s (%s:%d:%d)",
             function && *function ? function : "<anonymous>", file, line, column);
    JS_FreeCString(ctx, function);
    JS_FreeCString(ctx, file);
    return JS_NewString(ctx, text);
}

void crw_engine_throw_dom(JSContext *ctx, const char *name, const char *message)
{
    (void)JS_ThrowDOMException(ctx, name, "%s", message);
    clean_own_stack(ctx, ctx->rt->current_exception);
}

void crw_engine_set_place(JSContext *ctx, JSValueConst error, const struct crw_engine_place *place)
{
    JSObject *p = JS_VALUE_GET_OBJ(error);

    if (!JS_IsObject(place->function) || !place->at)
        return;
    JS_FreeValue(ctx, p->u.object_data);
    p->u.object_data = place_text(ctx, place);
}
