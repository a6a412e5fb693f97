# engine.sed - what is changed in the engine's source when it is compiled. In a source where these
# lines are others, nothing is changed, and the tests say so.

# Where a call is, for stack traces. The engine notes the place of a call before its arguments, and
# each argument notes its own, so that an error in a call is shown at its last argument, which may be
# lines away. Here the place of what is called is kept while the arguments are parsed, and noted
# again before the call itself.
/^static __exception int js_parse_postfix_expr(JSParseState \*s, int parse_flags)$/ {
    n
    a\    int called_line = s->token.line_num, called_col = s->token.col_num;
}
/^        parse_property:$/a\            called_line = s->token.line_num, called_col = s->token.col_num;
/^            emit_func_call:$/a\                emit_source_loc_at(s, called_line, called_col);
/^                \/\* apply function call \*\/$/i\                emit_source_loc_at(s, called_line, called_col);

# An async generator that has ended answers every request that waits, not only the first: the
# promises of the others stayed pending for ever, and the run stalled.
/^static void js_async_generator_resume_next(/,/^}$/ {
    /case JS_ASYNC_GENERATOR_STATE_COMPLETED:/,/goto done;/ s/goto done;/break;/
}
/^static JSValue js_async_generator_resolve_function(JSContext \*ctx,$/,/^}$/ {
    /js_async_generator_resolve(ctx, s, arg, true);/ {
        n
        a\        js_async_generator_resume_next(ctx, s);
    }
}

# The table of shapes grows wherever a shape is added. The engine let it grow only where a shape is made
# from nothing, and a program whose objects begin as others that are still there makes none: with as
# many keys as objects, each look-up went through thousands.
/^static void js_shape_hash_link(JSRuntime \*rt, JSShape \*sh)$/,/^}$/ {
    /^    h = get_shape_hash(sh->hash, rt->shape_hash_bits);$/i\    if (2 * (rt->shape_hash_count + 1) > rt->shape_hash_size)\n        resize_shape_hash(rt, rt->shape_hash_bits + 1);
}

# The first slab for objects of a size is a small one, and the last one is kept when it is empty, so
# that a run of a few objects stays on a few pages and makes its slabs once.
/^    n_blocks = (JS_ARENA_SIZE - sizeof(JSArena)) \/ block_size;$/ s/JS_ARENA_SIZE/(list_empty(\&rt->arena_state.arena_list[block_size_idx]) ? JS_ARENA_SIZE \/ 4 : JS_ARENA_SIZE)/
/^static void js_arena_free(JSRuntime \*rt, void \*ptr)$/,/^}$/ {
    s/if (unlikely(ar->n_used_blocks == 0)) {/if (unlikely(ar->n_used_blocks == 0) \&\& ar->link.next != ar->link.prev) {/
}

# Lists of every string, for a report of leaks that nobody asks for. Assertions stay.
/^#define ENABLE_DUMPS$/d

# A slab is cut into blocks as they are needed, and not all at once: a run touches what it uses. What
# allocates a block is inlined where the engine asks for one.
/^    uint16_t first_free_block;    \/\* JS_ARENA_FREE_NIL if none \*\/$/a\    uint16_t n_cut;
/^static no_inline JSArena \*arena_new(JSRuntime \*rt, int block_size_idx)$/,/^}$/ {
    /^    for (i = 0; i < n_blocks - 1; i++) {$/,/^    b->block_size_idx = block_size_idx;$/ c\    ar->n_cut = 0;
}
/^static void \*js_arena_malloc(JSRuntime \*rt, size_t size)$/,/^}$/ {
    s/^static void/static inline __attribute__((always_inline)) void/
    s/^        ar->first_free_block = b->u.free_next;$/        if (block_idx == ar->n_cut) {\n            ar->first_free_block = ++ar->n_cut;\n            b->block_size_idx = block_size_idx;\n        } else {\n            ar->first_free_block = b->u.free_next;\n        }/
}
s/^static size_t js_arena_usable_size(/static inline __attribute__((always_inline)) size_t js_arena_usable_size(/

# Long arrays are freed when the next object, or long string, is made: runtime/engine.c says why.
/^static void js_free_value_rt(JSRuntime \*rt, JSValue v)$/,/^}$/ {
    s/^            if (rt->gc_phase != JS_GC_PHASE_REMOVE_CYCLES) {$/            if (rt->gc_phase != JS_GC_PHASE_REMOVE_CYCLES \&\& !(tag == JS_TAG_OBJECT \&\& put_off(rt, p))) {/
}
/^static void js_trigger_gc(JSRuntime \*rt, size_t size)$/,/^}$/ {
    s/^    bool force_gc;$/    bool force_gc;\n    if (unlikely(put_off_count))\n        catch_up(rt);/
}
/^static JSString \*js_alloc_string(JSContext \*ctx, int max_len, int is_wide_char)$/,/^}$/ {
    s/^    JSString \*p;$/    JSString *p;\n    if (unlikely(put_off_count) \&\& max_len >= 65536)\n        catch_up(ctx->rt);/
}
