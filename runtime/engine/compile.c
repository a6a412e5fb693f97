/*
 * compile.c - compiles the code of the job once, explains syntax errors, and then disables the
 * compiler.
 */
#define BODY_HEAD "(async function (mcp, args) {\"use strict\";\n"
#define BODY_TAIL "\n})"

static struct crw_engine_denied denied;
static bool import_was_refused;

/* Returns the API through which the code reached the compiler: eval or a constructor. */
static const char *compiler_api(JSContext *ctx)
{
    static const char *const constructors[] = {
        [JS_FUNC_NORMAL] = "Function",
        [JS_FUNC_GENERATOR] = "GeneratorFunction",
        [JS_FUNC_ASYNC] = "AsyncFunction",
        [JS_FUNC_ASYNC_GENERATOR] = "AsyncGeneratorFunction",
    };
    const JSStackFrame *sf = ctx->rt->current_stack_frame;
    const JSObject *p = sf ? JS_VALUE_GET_OBJ(sf->cur_func) : NULL;

    if (p && p->class_id == JS_CLASS_C_FUNCTION &&
        p->u.cfunc.c_function.constructor_magic == js_function_constructor)
        return constructors[p->u.cfunc.magic];
    return "eval";
}

static JSValue refuse_eval(JSContext *ctx, JSValueConst this_obj, const char *input,
                           size_t input_len, const char *filename, int line, int flags,
                           int scope_idx)
{
    denied.compile(ctx, compiler_api(ctx));
    return JS_EXCEPTION;
}

static char *refuse_import(JSContext *ctx, const char *base, const char *name, void *opaque)
{
    import_was_refused = true;
    denied.import(ctx, name);
    return NULL;
}

void crw_engine_set_denied(JSContext *ctx, const struct crw_engine_denied *functions)
{
    denied = *functions;
    JS_SetModuleLoaderFunc(ctx->rt, refuse_import, NULL, NULL);
}

void crw_engine_close_compiler(JSContext *ctx)
{
    ctx->eval_internal = refuse_eval;
}

/* --- syntax errors ------------------------------------------------------------------------ */

static const char ends_wrong[] = "the code ends too early, or closes a brace that it did not open";

/* Gets the position of a SyntaxError from the stack that the parser gave it. */
static void error_place(JSContext *ctx, JSValueConst error, int *ret_line, int *ret_column)
{
    JSValue stack = js_error_get_stack(ctx, error);
    const char *text = JS_ToCString(ctx, stack);

    *ret_line = *ret_column = 0;
    (void)split_frame(text, strcspn(text, "\n"), ret_line, ret_column);
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, stack);
}

/* Cuts a long line to the part around |column|, in bytes from 1, without cutting characters. */
static void cut_line(const char **line, size_t *len, int *column)
{
    enum { BEFORE = 60, WIDTH = 100 };
    size_t from = *column > BEFORE ? (size_t)(*column - BEFORE) : 0;
    size_t to;

    while (from < *len && ((*line)[from] & 0xc0) == 0x80)
        from++;
    if (from > *len)
        from = *len;
    to = *len - from > WIDTH ? from + WIDTH : *len;
    while (to < *len && ((*line)[to] & 0xc0) == 0x80)
        to++;
    *line += from;
    *len = to - from;
    *column -= (int)from;
}

/* Appends the line with spaces for tabs, so that the caret below is at the right place. */
static void put_line(DynBuf *out, const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++)
        dbuf_putc(out, (uint8_t)(line[i] == '\t' ? ' ' : line[i]));
}

/* Returns "    at NAME:2:7", the line, and a caret below it. */
static JSValue excerpt(JSContext *ctx, const char *name, int number, int column)
{
    size_t len = 0;
    const char *line = source_line(number, &len);
    JSValue text;
    DynBuf out;

    js_dbuf_init(ctx, &out);
    /* the column is in bytes, like the engine's: reading the stack converts it */
    dbuf_printf(&out, "    at %s:%d:%d", name, number, column);
    cut_line(&line, &len, &column);
    dbuf_printf(&out, "\n%7d | ", number);
    put_line(&out, line, len);
    dbuf_printf(&out, "\n        | %*s", source_column(line, len, column), "^");
    text = JS_NewStringLen(ctx, (const char *)out.buf, out.size);
    dbuf_free(&out);
    return text;
}

/* Gets the last position in the code, for errors in the text that we put after it. */
static void last_place(int *ret_line, int *ret_column)
{
    size_t at = 0, next, end = source_line_end(0, &next);

    for (*ret_line = 1; next > end; ++*ret_line) {
        at = next;
        end = source_line_end(at, &next);
    }
    *ret_column = (int)(end - at) + 1;
}

/* Throws |error| with its position in the message and the source line in the stack. */
static JSValue throw_with_place(JSContext *ctx, JSValue error, const char *name, int line,
                                int column)
{
    JSObject *p = JS_VALUE_GET_OBJ(error);
    JSValue words = JS_GetProperty(ctx, error, JS_ATOM_message);
    const char *text = JS_ToCString(ctx, words);
    char message[512];
    size_t len = 0;
    const char *code = source_line(line, &len);

    snprintf(message, sizeof(message), "%s, at line %d, column %d", text, line,
             source_column(code, len, column));
    JS_DefinePropertyValue(ctx, error, JS_ATOM_message, JS_NewString(ctx, message),
                           JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, words);
    JS_FreeValue(ctx, p->u.object_data);
    p->u.object_data = excerpt(ctx, name, line, column);
    return JS_Throw(ctx, error);
}

static JSValue new_syntax_error(JSContext *ctx, const char *message)
{
    JS_ThrowSyntaxError(ctx, "%s", message);
    return JS_GetException(ctx);
}

/* Is |column| of |line| directly after |word|, or after |word| and spaces? */
static bool is_after(const char *line, int column, const char *word)
{
    size_t end = (size_t)column - 1, len = strlen(word);

    while (end > 0 && line[end - 1] == ' ')
        end--;
    return end >= len && !memcmp(line + end - len, word, len);
}

/* Returns a clearer message for the parser's error at a position, or NULL. May move it. */
static const char *better_words(int *line, int *column)
{
    int last_line, last_column;
    size_t len;
    const char *text = source_line(*line, &len);

    last_place(&last_line, &last_column);
    if (!text || (*line == last_line && *column >= last_column)) {
        *line = last_line;
        *column = last_column;
        return ends_wrong;
    }
    if (*column <= (int)len && is_after(text, *column, "await"))
        return "`await` needs an async function around it";
    return NULL;
}

static JSValue throw_syntax_error(JSContext *ctx, JSValue error, const char *name)
{
    const char *words;
    int line, column;

    error_place(ctx, error, &line, &column);
    if (line == 0)
        return JS_Throw(ctx, error); /* in a regular expression, a private name, deep nesting */
    words = better_words(&line, &column);
    if (words) {
        JS_FreeValue(ctx, error);
        error = new_syntax_error(ctx, words);
    }
    return throw_with_place(ctx, error, name, line, column);
}

/* --- a body ------------------------------------------------------------------------------- */

/* Does the first function of |script| span from the first parenthesis to the last? */
static bool is_one_function(JSValueConst script, size_t text_len)
{
    const JSFunctionBytecode *b = JS_VALUE_GET_PTR(script);

    for (int i = 0; i < b->cpool_count; i++) {
        const JSFunctionBytecode *inner;

        if (JS_VALUE_GET_TAG(b->cpool[i]) != JS_TAG_FUNCTION_BYTECODE)
            continue;
        inner = JS_VALUE_GET_PTR(b->cpool[i]);
        return (size_t)inner->source_len == text_len - 2;
    }
    return false;
}

JSValue crw_engine_compile_body(JSContext *ctx, const char *code, size_t len, const char *name)
{
    size_t head = sizeof(BODY_HEAD) - 1, tail = sizeof(BODY_TAIL) - 1;
    size_t text_len = head + len + tail;
    char *text = js_malloc(ctx, text_len + 1);
    JSValue script;

    memcpy(text, BODY_HEAD, head);
    memcpy(text + head, code, len);
    memcpy(text + head + len, BODY_TAIL, tail + 1);
    if (len > 1 && code[0] == '#' && code[1] == '!')
        memcpy(text + head, "//", 2); /* hide a hashbang line, which only modules allow */
    /* our head is line 0, so that the code's own lines count from 1 */
    script = JS_EvalInternal(ctx, JS_UNDEFINED, text, text_len, name, 0,
                             JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY, -1);
    js_free(ctx, text);
    if (JS_IsException(script))
        return script;
    if (!is_one_function(script, text_len)) {
        JS_FreeValue(ctx, script);
        return JS_ThrowSyntaxError(ctx, "%s", ends_wrong);
    }
    return JS_EvalFunction(ctx, script);
}

/* --- a module ----------------------------------------------------------------------------- */

static JSValue compile_module(JSContext *ctx, const char *code, size_t len, const char *name)
{
    char *text = js_malloc(ctx, len + 1);
    JSValue module;

    memcpy(text, code, len);
    text[len] = '\0';
    module = JS_EvalInternal(ctx, JS_UNDEFINED, text, len, name, 1,
                             JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY, -1);
    js_free(ctx, text);
    return module;
}

static bool exports_default(const JSModuleDef *m)
{
    for (int i = 0; i < m->export_entries_count; i++)
        if (m->export_entries[i].export_name == JS_ATOM_default)
            return true;
    return false;
}

JSValue crw_engine_default_export(JSContext *ctx, JSValueConst module)
{
    JSValue names = JS_GetModuleNamespace(ctx, JS_VALUE_GET_PTR(module));
    JSValue value = JS_IsException(names) ? names : JS_GetProperty(ctx, names, JS_ATOM_default);

    if (!JS_IsException(names))
        JS_FreeValue(ctx, names);
    return value;
}

/* Is |word| at this position, where the parser found an error? */
static bool is_at(int line, int column, const char *word)
{
    size_t len, word_len = strlen(word);
    const char *text = source_line(line, &len);

    return text && column > 0 && (size_t)column - 1 + word_len <= len &&
           !memcmp(text + column - 1, word, word_len);
}

/*
 * If the body failed at an import, throws the error for denied imports. Such code is neither a
 * valid body nor a valid module, for example if it also has `return` at the top level.
 */
static bool throw_for_import(JSContext *ctx, int line, int column)
{
    size_t len = 0;
    const char *text = source_line(line, &len), *end = source.text + source.len;
    const char *quote, *close;
    char specifier[512];

    if (!text || (size_t)column > len || !is_after(text, column, "import"))
        return false;
    quote = text + column - 1;
    while (quote < end && *quote != '"' && *quote != '\'' && *quote != ';' && *quote != '(')
        quote++;
    close = quote < end && (*quote == '"' || *quote == '\'')
                ? memchr(quote + 1, *quote, (size_t)(end - quote - 1))
                : NULL;
    if (!close)
        return false;
    len = min_int(sizeof(specifier) - 1, (int)(close - quote - 1));
    memcpy(specifier, quote + 1, len);
    specifier[len] = '\0';
    denied.import(ctx, specifier);
    return true;
}

/* Why code is neither a body nor a module that exports what to run. */
struct neither {
    JSValue body;   /* an error */
    JSValue module; /* an error; undefined: it is a module, without a default export */
};

/* Throws the error that explains most. Frees |why|. */
static JSValue throw_for_neither(JSContext *ctx, struct neither *why, const char *name)
{
    bool is_module = JS_IsUndefined(why->module), is_export;
    int line, column;

    error_place(ctx, why->body, &line, &column);
    is_export = is_at(line, column, "export");
    if (is_export || (!is_module && throw_for_import(ctx, line, column))) {
        JS_FreeValue(ctx, why->body);
        why->body = why->module;
        if (!is_export)
            return JS_EXCEPTION;
    }
    if (is_export && is_module) {
        why->body = new_syntax_error(ctx, "a module has to `export default` the function to run");
        return throw_with_place(ctx, why->body, name, line, column);
    }
    return throw_syntax_error(ctx, why->body, name);
}

/* Returns the compiled code; undefined if it is |neither|; or an exception. */
static JSValue compile_either(JSContext *ctx, const char *code, size_t len, const char *name,
                              struct neither *ret)
{
    JSValue compiled = crw_engine_compile_body(ctx, code, len, name);

    if (!JS_IsException(compiled))
        return compiled;
    ret->body = JS_GetException(ctx);
    source.text = code;
    source.len = len;
    compiled = compile_module(ctx, code, len, name);
    if (import_was_refused ||
        (!JS_IsException(compiled) && exports_default(JS_VALUE_GET_PTR(compiled)))) {
        JS_FreeValue(ctx, ret->body);
        return compiled;
    }
    ret->module = JS_IsException(compiled) ? JS_GetException(ctx) : JS_UNDEFINED;
    return JS_UNDEFINED;
}

JSValue crw_engine_compile(JSContext *ctx, const char *code, size_t len, const char *name,
                           crw_engine_erase_fn *erase)
{
    struct neither why;
    JSValue compiled = compile_either(ctx, code, len, name, &why), erased = JS_UNDEFINED;
    int line, column;

    if (JS_IsUndefined(compiled)) {
        if (erase && !JS_IsUndefined(why.module)) {
            error_place(ctx, why.body, &line, &column);
            erased = erase(ctx, code, len, name, line, column);
        }
        if (!JS_IsUndefined(erased)) {
            JS_FreeValue(ctx, why.body);
            JS_FreeValue(ctx, why.module);
            return crw_engine_compile_erased(ctx, erased, name);
        }
        compiled = throw_for_neither(ctx, &why, name);
    }
    source.text = NULL;
    if (!source_is_ascii(code, len))
        source_keep(ctx, code, len);
    return compiled;
}

JSValue crw_engine_compile_erased(JSContext *ctx, JSValue text, const char *name)
{
    size_t len;
    const char *code = JS_IsException(text) ? NULL : JS_ToCStringLen(ctx, &len, text);
    JSValue compiled = code ? crw_engine_compile(ctx, code, len, name, NULL) : JS_EXCEPTION;

    JS_FreeCString(ctx, code);
    JS_FreeValue(ctx, text);
    return compiled;
}

JSValue crw_engine_throw_syntax(JSContext *ctx, JSValueConst message, const char *code, size_t len,
                                const char *name, int line, int column)
{
    const char *words = JS_ToCString(ctx, message);

    source.text = code;
    source.len = len;
    (void)throw_with_place(ctx, new_syntax_error(ctx, words), name, line, column);
    source.text = NULL;
    JS_FreeCString(ctx, words);
    return JS_EXCEPTION;
}
