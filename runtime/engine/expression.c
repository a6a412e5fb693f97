/*
 * expression.c - finds the expression that made a value, in the bytecode, and writes it as V8 does
 * in its messages: `o.f(...)[k].g`. wording.c uses it when an error is thrown.
 *
 * The instructions before a place are decoded from the beginning of the function; the last ones are
 * kept. From there a walk goes back along the flow and computes the depth of the stack, relative to
 * that place. The instruction that made the value in a slot is then the last one that reached down
 * to that slot. No code runs and no memory is allocated: names come from the function, which is
 * untrusted, so each name, the text and the nesting are bounded.
 */
#define EXPRESSION_WINDOW 512 /* instructions that are looked at */
#define EXPRESSION_NESTED 12
#define EXPRESSION_BYTES 160 /* of the text in a message */

struct words_text {
    char *bytes;
    size_t len, size;
    bool full;
};

/* Instructions in the order of a walk back: step 0 is before |at|. */
static struct {
    const JSFunctionBytecode *b;
    uint32_t at;                        /* the walk begins before this instruction */
    uint32_t places[EXPRESSION_WINDOW]; /* all instructions before |at|, the last ones, in order */
    unsigned count;
    struct {
        uint32_t place;
        int depth;      /* of the stack before it, relative to |at| */
        bool is_option; /* the walk came here from the far end of a `?.` */
    } steps[EXPRESSION_WINDOW];
    int step_count;
} walk;

static void text_put(struct words_text *out, const char *bytes, size_t len)
{
    if (out->full || len >= out->size - out->len) {
        out->full = true;
        return;
    }
    memcpy(out->bytes + out->len, bytes, len);
    out->len += len;
    out->bytes[out->len] = '\0';
}

static void text_str(struct words_text *out, const char *text)
{
    text_put(out, text, strlen(text));
}

/* Writes a name of at most ATOM_GET_STR_BUF_SIZE bytes. */
static void text_atom(JSContext *ctx, struct words_text *out, JSAtom atom)
{
    char name[ATOM_GET_STR_BUF_SIZE];

    text_str(out, JS_AtomGetStr(ctx, name, sizeof(name), atom));
}

static void text_string(struct words_text *out, JSValueConst value)
{
    char text[ATOM_GET_STR_BUF_SIZE] = "...";
    const JSString *p = JS_VALUE_GET_STRING(value);

    if (JS_VALUE_GET_TAG(value) == JS_TAG_STRING && p->is_wide_char)
        (void)utf8_encode_buf16(text, sizeof(text), str16((JSString *)p), p->len);
    else if (JS_VALUE_GET_TAG(value) == JS_TAG_STRING)
        (void)utf8_encode_buf8(text, sizeof(text), str8((JSString *)p), p->len);
    text_str(out, text);
}

static void text_number(JSContext *ctx, struct words_text *out, JSValueConst value)
{
    JSDTOATempMem temp;
    char text[64];

    if (JS_VALUE_GET_TAG(value) == JS_TAG_INT)
        (void)snprintf(text, sizeof(text), "%d", JS_VALUE_GET_INT(value));
    else
        (void)js_dtoa(text, JS_VALUE_GET_FLOAT64(value), 10, 0, JS_DTOA_FORMAT_FREE, &temp);
    (void)ctx;
    text_str(out, text);
}

/* --- instructions ------------------------------------------------------------------------- */

static int instruction_pops(uint32_t place)
{
    const uint8_t *at = walk.b->byte_code_buf + place;
    const JSOpCode *info = &short_opcode_info(*at);

    if (info->fmt == OP_FMT_npop || info->fmt == OP_FMT_npop_u16)
        return info->n_pop + get_u16(at + 1);
    if (info->fmt == OP_FMT_npopx)
        return info->n_pop + *at - OP_call0;
    return info->n_pop;
}

static bool is_goto(uint32_t place)
{
    uint8_t op = walk.b->byte_code_buf[place];

    return op == OP_goto || op == OP_goto8 || op == OP_goto16;
}

static bool is_branch(uint32_t place)
{
    uint8_t op = walk.b->byte_code_buf[place];

    return op == OP_if_true || op == OP_if_true8 || op == OP_if_false || op == OP_if_false8;
}

/* Returns where a goto or branch goes, or -1 for any other instruction. */
static int64_t jump_target(uint32_t place)
{
    const uint8_t *at = walk.b->byte_code_buf + place;

    if (!is_goto(place) && !is_branch(place))
        return -1;
    if (*at == OP_goto8 || *at == OP_if_true8 || *at == OP_if_false8)
        return (int64_t)place + 1 + (int8_t)at[1];
    if (*at == OP_goto16)
        return (int64_t)place + 1 + (int16_t)get_u16(at + 1);
    return (int64_t)place + 1 + (int32_t)get_u32(at + 1);
}

/* Does the flow never continue behind this instruction, or at a depth that the walk cannot know? */
static bool ends_flow(uint32_t place)
{
    switch (walk.b->byte_code_buf[place]) {
    case OP_tail_call:
    case OP_tail_call_method:
    case OP_return:
    case OP_return_undef:
    case OP_return_async:
    case OP_throw:
    case OP_throw_error:
    case OP_ret:
    case OP_gosub:
    case OP_catch:
    case OP_nip_catch:
        return true;
    default:
        return false;
    }
}

static uint8_t op_at(uint32_t place)
{
    return walk.b->byte_code_buf[place];
}

/* Returns the number of the instruction at |place| in the window, or -1. */
static int number_of(uint32_t place)
{
    for (unsigned i = walk.count; i-- > 0;)
        if (walk.places[i] == place)
            return (int)i;
    return -1;
}

/* Returns the instruction |back| before number |i|, or OP_invalid. */
static uint8_t op_before(int i, int back)
{
    return i >= back ? op_at(walk.places[i - back]) : OP_invalid;
}

/* Returns the last branch before number |i| that jumps to |place|, or -1. */
static int branch_to(int i, uint32_t place)
{
    while (i-- > 0)
        if (is_branch(walk.places[i]) && jump_target(walk.places[i]) == (int64_t)place)
            return i;
    return -1;
}

static void decode_window(uint32_t at)
{
    static uint32_t last[EXPRESSION_WINDOW];
    unsigned n = 0;

    for (uint32_t place = 0; place < at; n++) {
        last[n % EXPRESSION_WINDOW] = place;
        place += short_opcode_info(op_at(place)).size;
    }
    walk.count = n < EXPRESSION_WINDOW ? n : EXPRESSION_WINDOW;
    for (unsigned i = 0; i < walk.count; i++)
        walk.places[i] = last[(n - walk.count + i) % EXPRESSION_WINDOW];
}

/* Prepares the walk back from the instruction at |at| of |b|. */
static void walk_from(const JSFunctionBytecode *b, uint32_t at)
{
    int i, depth = 0;
    uint32_t next = at;

    walk.b = b;
    walk.at = at;
    walk.step_count = 0;
    decode_window(at);
    for (i = (int)walk.count - 1; i >= 0; i--) {
        bool is_option = false;

        if (is_goto(walk.places[i])) {
            i = branch_to(i, next);
            is_option = i > 0 && op_before(i, 1) == OP_is_undefined_or_null;
        }
        if (i < 0 || ends_flow(walk.places[i]))
            return;
        next = walk.places[i];
        depth += instruction_pops(next) - short_opcode_info(op_at(next)).n_push;
        walk.steps[walk.step_count].place = next;
        walk.steps[walk.step_count].depth = depth;
        walk.steps[walk.step_count++].is_option = is_option;
    }
}

/* --- expressions -------------------------------------------------------------------------- */

/* Returns the step, from |step| on, that made the value in the slot |level|, or -1. */
static int maker_of(int step, int level)
{
    for (; step < walk.step_count; step++)
        if (walk.steps[step].depth - instruction_pops(walk.steps[step].place) <= level)
            return step;
    return -1;
}

static void put_expression(JSContext *ctx, struct words_text *out, int step, int level, int nested);

static void put_unknown(struct words_text *out)
{
    text_str(out, "(intermediate value)");
}

static void put_variable(JSContext *ctx, struct words_text *out, unsigned index, bool is_arg)
{
    const JSFunctionBytecode *b = walk.b;
    JSAtom name = JS_ATOM_NULL;

    if (b->vardefs && index < (unsigned)(is_arg ? b->arg_count : b->var_count))
        name = b->vardefs[is_arg ? index : b->arg_count + index].var_name;
    if (name == JS_ATOM_NULL)
        put_unknown(out);
    else
        text_atom(ctx, out, name);
}

/* Writes the variable that an instruction reads or sets. Returns false for other instructions. */
static bool put_variable_of(JSContext *ctx, struct words_text *out, uint32_t place, int slot)
{
    const uint8_t *at = walk.b->byte_code_buf + place;
    uint8_t op = *at, fmt = short_opcode_info(op).fmt;
    unsigned closed = op >= OP_get_var_ref0 && op <= OP_get_var_ref3 ? op - OP_get_var_ref0 : 0;

    if (op == OP_get_loc0_loc1)
        put_variable(ctx, out, (unsigned)slot, false);
    else if (op >= OP_get_loc0 && op <= OP_get_loc3)
        put_variable(ctx, out, op - OP_get_loc0, false);
    else if (op >= OP_set_loc0 && op <= OP_set_loc3)
        put_variable(ctx, out, op - OP_set_loc0, false);
    else if (op >= OP_get_arg0 && op <= OP_get_arg3)
        put_variable(ctx, out, op - OP_get_arg0, true);
    else if (op >= OP_set_arg0 && op <= OP_set_arg3)
        put_variable(ctx, out, op - OP_set_arg0, true);
    else if (fmt == OP_FMT_loc8)
        put_variable(ctx, out, at[1], false);
    else if (fmt == OP_FMT_loc)
        put_variable(ctx, out, get_u16(at + 1), false);
    else if (fmt == OP_FMT_arg)
        put_variable(ctx, out, get_u16(at + 1), true);
    else if (op == OP_get_var || op == OP_get_var_undef)
        text_atom(ctx, out, get_u32(at + 1));
    else if (fmt == OP_FMT_var_ref && get_u16(at + 1) < walk.b->closure_var_count)
        text_atom(ctx, out, walk.b->closure_var[get_u16(at + 1)].var_name);
    else if (op >= OP_get_var_ref0 && op <= OP_get_var_ref3 && closed < walk.b->closure_var_count)
        text_atom(ctx, out, walk.b->closure_var[closed].var_name);
    else
        return false;
    return true;
}

static void put_constant(JSContext *ctx, struct words_text *out, JSValueConst value)
{
    if (JS_IsString(value)) {
        text_str(out, "\"");
        text_string(out, value);
        text_str(out, "\"");
    } else if (JS_IsNumber(value)) {
        text_number(ctx, out, value);
    } else {
        put_unknown(out);
    }
}

/* Writes a literal. Returns false for other instructions. */
static bool put_literal(JSContext *ctx, struct words_text *out, uint32_t place)
{
    static const char *const words[] = {
        [OP_undefined] = "undefined",    [OP_null] = "null",      [OP_push_false] = "false",
        [OP_push_true] = "true",         [OP_push_this] = "this", [OP_object] = "{}",
        [OP_push_empty_string] = "\"\"",
    };
    const uint8_t *at = walk.b->byte_code_buf + place;
    uint8_t op = *at;

    if (op < countof(words) && words[op])
        text_str(out, words[op]);
    else if (op >= OP_push_minus1 && op <= OP_push_7)
        text_number(ctx, out, js_int32(op - OP_push_0));
    else if (op == OP_push_i8)
        text_number(ctx, out, js_int32((int8_t)at[1]));
    else if (op == OP_push_i16)
        text_number(ctx, out, js_int32((int16_t)get_u16(at + 1)));
    else if (op == OP_push_i32)
        text_number(ctx, out, js_int32((int32_t)get_u32(at + 1)));
    else if (op == OP_push_const)
        put_constant(ctx, out, walk.b->cpool[get_u32(at + 1)]);
    else if (op == OP_push_const8)
        put_constant(ctx, out, walk.b->cpool[at[1]]);
    else if (op == OP_push_atom_value) {
        text_str(out, "\"");
        text_atom(ctx, out, get_u32(at + 1));
        text_str(out, "\"");
    } else
        return false;
    return true;
}

/* Writes `.x`, `?.x`, `[k]` or `?.[k]`, for an object that was made by the step |object|. */
static void put_key(JSContext *ctx, struct words_text *out, int step, int level, bool is_option,
                    int nested)
{
    int key = maker_of(step + 1, level);
    uint32_t place = key < 0 ? 0 : walk.steps[key].place;

    if (key >= 0 && op_at(place) == OP_push_atom_value) {
        text_str(out, is_option ? "?." : ".");
        text_atom(ctx, out, get_u32(walk.b->byte_code_buf + place + 1));
        return;
    }
    text_str(out, is_option ? "?.[" : "[");
    put_expression(ctx, out, step + 1, level, nested + 1);
    text_str(out, "]");
}

/* Does a `?.` lead from the slot |level| to |step|? */
static bool is_optional(int step, int level)
{
    int maker = maker_of(step + 1, level);

    for (int i = step + 1; maker >= 0 && i < maker; i++)
        if (walk.steps[i].is_option && walk.steps[i].depth == level + 2)
            return true;
    return false;
}

static void put_member(JSContext *ctx, struct words_text *out, int step, int nested)
{
    uint32_t place = walk.steps[step].place;
    uint8_t op = op_at(place);
    bool by_name = op == OP_get_field || op == OP_get_field2 || op == OP_get_length;
    int object = walk.steps[step].depth - (by_name ? 1 : 2);
    bool is_option = is_optional(step, object);

    put_expression(ctx, out, step + 1, object, nested + 1);
    if (!by_name) {
        put_key(ctx, out, step, object + 1, is_option, nested);
        return;
    }
    text_str(out, is_option ? "?." : ".");
    text_atom(ctx, out,
              op == OP_get_length ? (JSAtom)JS_ATOM_length
                                  : get_u32(walk.b->byte_code_buf + place + 1));
}

static void put_array(JSContext *ctx, struct words_text *out, int step, int nested)
{
    int n = instruction_pops(walk.steps[step].place);

    text_str(out, "[");
    for (int i = 0; i < n && !out->full; i++) {
        text_str(out, i ? "," : "");
        put_expression(ctx, out, step + 1, walk.steps[step].depth - n + i, nested + 1);
    }
    text_str(out, "]");
}

static const char *const operators[] = {
    [OP_mul] = " * ",         [OP_div] = " / ",
    [OP_mod] = " % ",         [OP_add] = " + ",
    [OP_sub] = " - ",         [OP_shl] = " << ",
    [OP_sar] = " >> ",        [OP_shr] = " >>> ",
    [OP_and] = " & ",         [OP_xor] = " ^ ",
    [OP_or] = " | ",          [OP_pow] = " ** ",
    [OP_lt] = " < ",          [OP_lte] = " <= ",
    [OP_gt] = " > ",          [OP_gte] = " >= ",
    [OP_eq] = " == ",         [OP_neq] = " != ",
    [OP_in] = " in ",         [OP_instanceof] = " instanceof ",
    [OP_strict_eq] = " === ", [OP_strict_neq] = " !== ",
    [OP_neg] = "-",           [OP_plus] = "+",
    [OP_not] = "~",           [OP_lnot] = "!",
    [OP_typeof] = "typeof ",
};

/* Returns the operands of a unary or binary operator, or 0. */
static int operands_of(uint8_t op)
{
    return op < countof(operators) && operators[op] ? short_opcode_info(op).n_pop : 0;
}

static void put_operator(JSContext *ctx, struct words_text *out, int step, int nested)
{
    uint8_t op = op_at(walk.steps[step].place);
    int top = walk.steps[step].depth - 1;

    text_str(out, "(");
    if (operands_of(op) == 2)
        put_expression(ctx, out, step + 1, top - 1, nested + 1);
    text_str(out, operators[op]);
    put_expression(ctx, out, step + 1, top, nested + 1);
    text_str(out, ")");
}

/* Returns the slot, below the |depth| of the stack, of what a call instruction calls; or 0. */
static int callee_slot(uint32_t place)
{
    int pops = instruction_pops(place);

    switch (op_at(place)) {
    case OP_call:
    case OP_call0:
    case OP_call1:
    case OP_call2:
    case OP_call3:
    case OP_tail_call:
    case OP_eval:
    case OP_apply:
    case OP_call_constructor:
        return pops;
    case OP_call_method:
    case OP_tail_call_method:
        return pops - 1;
    default:
        return 0;
    }
}

static bool is_construction(uint32_t place)
{
    return op_at(place) == OP_call_constructor ||
           (op_at(place) == OP_apply && get_u16(walk.b->byte_code_buf + place + 1) & 1);
}

/* Is a call part of a template literal? The engine calls `concat` of its first text. */
static bool is_template(int step, int callee)
{
    int function = maker_of(step + 1, walk.steps[step].depth - callee);
    uint32_t place = function < 0 ? 0 : walk.steps[function].place;
    int text;

    if (function < 0 || op_at(place) != OP_get_field2 ||
        get_u32(walk.b->byte_code_buf + place + 1) != JS_ATOM_concat)
        return false;
    text = maker_of(function + 1, walk.steps[function].depth - 1);
    return text >= 0 && (op_at(walk.steps[text].place) == OP_push_atom_value ||
                         op_at(walk.steps[text].place) == OP_push_empty_string ||
                         op_at(walk.steps[text].place) == OP_push_const ||
                         op_at(walk.steps[text].place) == OP_push_const8);
}

/* Writes the value that the instruction of |step| made in its slot number |slot|. */
static void put_made(JSContext *ctx, struct words_text *out, int step, int slot, int nested)
{
    uint32_t place = walk.steps[step].place;
    uint8_t op = op_at(place);
    int base = walk.steps[step].depth - instruction_pops(place);
    int callee = callee_slot(place);

    if (op == OP_get_field || op == OP_get_array_el || op == OP_get_private_field ||
        op == OP_get_length || ((op == OP_get_field2 || op == OP_get_array_el2) && slot == 1))
        put_member(ctx, out, step, nested);
    else if (op == OP_dup || op == OP_get_field2 || op == OP_get_array_el2)
        put_expression(ctx, out, step + 1, base, nested);
    else if (op == OP_swap || op == OP_perm3)
        put_expression(ctx, out, step + 1, base + (slot == 2 ? 2 : !slot), nested);
    else if (callee && !is_construction(place) && !is_template(step, callee)) {
        put_expression(ctx, out, step + 1, walk.steps[step].depth - callee, nested + 1);
        text_str(out, "(...)");
    } else if (op == OP_array_from)
        put_array(ctx, out, step, nested);
    else if (operands_of(op))
        put_operator(ctx, out, step, nested);
    else if (!put_variable_of(ctx, out, place, slot) && !put_literal(ctx, out, place))
        put_unknown(out);
}

/*
 * Writes `(a || b)` for values that meet at the instruction |to|, the last of which |step| made.
 * Returns false if they meet in another way.
 */
static bool put_choice(JSContext *ctx, struct words_text *out, int branch, int step, int level,
                       int nested)
{
    uint32_t place = walk.places[branch];
    bool is_or = op_at(place) == OP_if_true || op_at(place) == OP_if_true8;
    bool is_default = op_before(branch, 1) == OP_is_undefined_or_null;
    int left = step;

    if (op_before(branch, is_default ? 2 : 1) != OP_dup)
        return false;
    while (left < walk.step_count && walk.steps[left].place != place)
        left++;
    text_str(out, "(");
    put_expression(ctx, out, left + (is_default ? 3 : 2), level, nested + 1);
    text_str(out, is_default ? " ?? " : is_or ? " || " : " && ");
    put_made(ctx, out, step,
             level - (walk.steps[step].depth - instruction_pops(walk.steps[step].place)),
             nested + 1);
    text_str(out, ")");
    return true;
}

/* Returns the number of the jump by which another value meets that of |step| at |place|, or -1. */
static int meeting_jump(int step, uint32_t place)
{
    int i = number_of(walk.steps[step].place);
    int before = number_of(place);

    if (before < 0)
        before = (int)walk.count;
    if (i < 0 || (before > 0 && is_goto(walk.places[before - 1])))
        return -1;
    while (i-- > 0)
        if (jump_target(walk.places[i]) == (int64_t)place &&
            !(is_goto(walk.places[i]) && op_before(i, 1) == OP_undefined))
            return i;
    return -1;
}

/*
 * Writes the expression whose value is in the slot |level| of the stack: it was made by |step| or
 * an earlier instruction.
 */
static void put_expression(JSContext *ctx, struct words_text *out, int step, int level, int nested)
{
    int maker = maker_of(step, level);

    if (out->full)
        return;
    if (maker < 0 || nested >= EXPRESSION_NESTED) {
        text_str(out, nested >= EXPRESSION_NESTED ? "..." : "(intermediate value)");
        return;
    }
    for (int i = step - 1; i < maker; i++) {
        int depth = i < 0 ? 0 : walk.steps[i].depth;
        int jump =
            depth < level + 1 ? -1 : meeting_jump(maker, i < 0 ? walk.at : walk.steps[i].place);

        if (jump < 0 || depth != level + 1)
            continue;
        if (is_branch(walk.places[jump]) && put_choice(ctx, out, jump, maker, level, nested))
            return;
        text_str(out, "(intermediate value)(intermediate value)(intermediate value)");
        return;
    }
    put_made(ctx, out, maker,
             level - (walk.steps[maker].depth - instruction_pops(walk.steps[maker].place)), nested);
}

/* Shortens |text| to its last part, without cutting a character. Returns where it begins. */
static const char *shorten(char *text, size_t len, size_t most)
{
    char *at = text + len - most;

    if (len <= most)
        return text;
    while ((*at & 0xc0) == 0x80)
        at++;
    return memcpy(at - 3, "...", 3);
}

/*
 * Writes into |ret| the expression whose value was in the slot |level|, counted down from the top
 * of the stack (-1), before the instruction at |place| of |b|.
 */
static void expression_at(JSContext *ctx, const JSFunctionBytecode *b, uint32_t place, int level,
                          char ret[EXPRESSION_BYTES + 8])
{
    static char text[1024];
    struct words_text out = {text, 0, sizeof(text), false};

    text[0] = '\0';
    walk_from(b, place);
    put_expression(ctx, &out, 0, level, 0);
    (void)snprintf(ret, EXPRESSION_BYTES + 8, "%s", shorten(text, out.len, EXPRESSION_BYTES));
}
