/* text.c - names, literals and comments: no text of a stranger becomes code. */
#include "types/text.h"

#include <string.h>

#include "base/escape.h"

#define MAX_LITERAL_JSON (256u * 1024)
#define MAX_COMMENT_SHOWN (2u << 20)

void cr_types_spaces(struct cr_buf *out, unsigned count)
{
    cr_buf_fmt(out, "%*s", (int)count, "");
}

bool cr_types_is_identifier(const char *name)
{
    size_t len = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$0123456789");

    return name[0] && !name[len] && !strchr("0123456789", name[0]);
}

void cr_types_literal(struct cr_buf *out, const char *text)
{
    cr_autobuf struct cr_buf json = CR_BUF(MAX_LITERAL_JSON);

    cr_escape_json_str(&json, text);
    if (cr_buf_err(&json))
        cr_buf_str(out, "string");
    else
        cr_escape_pretty(out, json.data, json.len);
}

void cr_types_name(struct cr_buf *out, const char *name)
{
    if (cr_types_is_identifier(name))
        cr_buf_str(out, name);
    else
        cr_types_literal(out, name);
}

/* Appends a line of a comment, which neither ends the comment nor is an order to a compiler. */
static void add_comment_line(struct cr_buf *out, const char *text, size_t len)
{
    cr_autobuf struct cr_buf shown = CR_BUF(MAX_COMMENT_SHOWN);
    const char *at;

    cr_escape_terminal(&shown, text, len);
    at = cr_buf_text(&shown);
    for (; at && *at; at++) {
        cr_buf_add(out, at, 1);
        if (*at == '*' && at[1] == '/')
            cr_buf_str(out, "\\");
        if (*at == '@')
            cr_buf_str(out, " ");
    }
}

void cr_types_comment(struct cr_buf *out, const char *text, size_t most, unsigned indent)
{
    size_t len = strlen(text);
    bool is_cut = len > most;

    if (is_cut)
        for (len = most; len > 0 && ((uint8_t)text[len] & 0xc0) == 0x80; len--)
            ;
    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        len--;
    if (!len)
        return;
    if (!memchr(text, '\n', len)) {
        cr_buf_str(out, "/** ");
        add_comment_line(out, text, len);
        cr_buf_str(out, is_cut ? " … */\n" : " */\n");
    } else {
        cr_buf_str(out, "/**\n");
        for (size_t at = 0, end; at < len; at = end + 1) {
            const char *eol = memchr(text + at, '\n', len - at);

            end = eol ? (size_t)(eol - text) : len;
            cr_types_spaces(out, indent);
            cr_buf_str(out, end > at ? " * " : " *");
            add_comment_line(out, text + at, end - at - (end > at && text[end - 1] == '\r'));
            cr_buf_str(out, end >= len && is_cut ? " …\n" : "\n");
        }
        cr_types_spaces(out, indent);
        cr_buf_str(out, " */\n");
    }
    cr_types_spaces(out, indent);
}
