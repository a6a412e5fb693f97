/*
 * ending.c - tells whether the last statement of the code is an expression whose value the code
 * drops: its author has probably forgotten `return`.
 *
 * A value is certain only for some expressions. A call may be made only for its effect, and return
 * undefined. So a call does not count, unless it calls a tool or Promise.all().
 */

/* Is |op| an expression without an effect of its own? */
static bool is_plain_value(uint8_t op)
{
    switch (op) {
    case OP_get_field:
    case OP_get_length:
    case OP_get_array_el:
    case OP_get_private_field:
    case OP_get_loc:
    case OP_get_loc8:
    case OP_get_loc_check:
    case OP_get_arg:
    case OP_get_var:
    case OP_get_var_ref:
    case OP_get_var_ref_check:
    case OP_array_from:
    case OP_object:
    case OP_define_field:
    case OP_push_i32:
    case OP_push_const:
    case OP_push_const8:
    case OP_push_i8:
    case OP_push_i16:
    case OP_push_false:
    case OP_push_true:
    case OP_push_atom_value:
        return true;
    default:
        return (op >= OP_get_loc0 && op <= OP_get_loc3) ||
               (op >= OP_get_arg0 && op <= OP_get_arg3) ||
               (op >= OP_get_var_ref0 && op <= OP_get_var_ref3) ||
               (op >= OP_push_minus1 && op <= OP_push_7) || operands_of(op);
    }
}

/* Does the `await` at |place| wait for the answer of a tool, or for several promises? */
static bool awaits_value(JSContext *ctx, const JSFunctionBytecode *b, uint32_t place)
{
    char text[EXPRESSION_BYTES + 8];
    const char *call;

    expression_at(ctx, b, place, -1, text);
    call = strstr(text, "(...)");
    return call && !call[5] &&
           (strncmp(text, "mcp.", 4) == 0 || strncmp(text, "mcp[", 4) == 0 ||
            strcmp(text, "Promise.all(...)") == 0 || strcmp(text, "Promise.allSettled(...)") == 0);
}

/* Is the end, from |place| on, reached by a jump, or is there another return before it? */
static bool has_other_end(const JSFunctionBytecode *b, uint32_t place)
{
    for (uint32_t at = 0; at < place; at += short_opcode_info(b->byte_code_buf[at]).size)
        if (jump_target(at) >= (int64_t)place || op_at(at) == OP_return_async)
            return true;
    return false;
}

bool crw_engine_drops_value(JSContext *ctx, JSValueConst function)
{
    const JSFunctionBytecode *b = JS_GetFunctionBytecode(function);
    int last;

    if (!b)
        return false;
    walk.b = b;
    decode_window((uint32_t)b->byte_code_len);
    last = (int)walk.count - 1;
    if (last < 3 || op_before(last, 0) != OP_return_async || op_before(last, 1) != OP_undefined ||
        op_before(last, 2) != OP_drop || has_other_end(b, walk.places[last - 2]))
        return false;
    return op_before(last, 3) == OP_await ? awaits_value(ctx, b, walk.places[last - 3])
                                          : is_plain_value(op_before(last, 3));
}
