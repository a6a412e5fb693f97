# engine.sed - what is changed in the engine's source: where a call is, for stack traces.
#
# The engine notes the place of a call before its arguments, and each argument notes its own, so
# that an error in a call is shown at its last argument, which may be lines away. Here the place of
# what is called is kept while the arguments are parsed, and noted again before the call itself.
# Nothing else is touched. In a source where these lines are others, nothing is changed.
/^static __exception int js_parse_postfix_expr(JSParseState \*s, int parse_flags)$/ {
    n
    a\    int called_line = s->token.line_num, called_col = s->token.col_num;
}
/^        parse_property:$/a\            called_line = s->token.line_num, called_col = s->token.col_num;
/^            emit_func_call:$/a\                emit_source_loc_at(s, called_line, called_col);
/^                \/\* apply function call \*\/$/i\                emit_source_loc_at(s, called_line, called_col);
