/*
 * tool_pins.c - compares tools with their pins, and explains what has changed.
 *
 * A server's text is untrusted. It is shown as JSON, on one line, after a label, with hidden
 * characters escaped, so that it cannot imitate a line of caprun. Caprun's own words in that place
 * are not valid JSON ("absent") or outside of the JSON ("…").
 */
#include "registry/tool_pins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "base/words.h"
#include "registry/lockfile_parts.h"

#define TEXT_MAX ((size_t)8 * CR_LOCKFILE_MIB << 20) /* escapes are up to six times as long */
#define NAME_MAX_SHOWN 128u                          /* bytes of a tool's name */
#define VALUE_MAX_SHOWN 240u
#define BEFORE 60u /* bytes that are shown before the first difference */

static const struct cJSON *find_pin(const struct cr_lockfile *lock, const char *server,
                                    const char *tool)
{
    return cr_json_get(cr_json_get(cr_json_get(lock->doc.root, "servers"), server), tool);
}

static enum cr_tool_state compare(const struct cJSON *pin, const struct cr_tool_now *now)
{
    char hash[CR_LOCKFILE_HASH + 1];

    if (!pin)
        return CR_TOOL_NEW;
    cr_lockfile_hash(now->definition, now->len, hash);
    return strcmp(cr_json_text(cr_json_get(pin, "sha256")), hash) == 0 ? CR_TOOL_PINNED
                                                                       : CR_TOOL_CHANGED;
}

static int by_name(const void *a, const void *b)
{
    const struct cJSON *const *x = a, *const *y = b;

    return strcmp(cr_json_key(*x), cr_json_key(*y));
}

static int name_to_pin(const void *name, const void *pin)
{
    const struct cJSON *const *p = pin;

    return strcmp(name, cr_json_key(*p));
}

int cr_tool_pins_index(const struct cr_lockfile *lock, const char *server,
                       struct cr_tool_pins_index *ret)
{
    const struct cJSON *pins = cr_json_get(cr_json_get(lock->doc.root, "servers"), server);
    const struct cJSON **list = calloc(cr_json_count(pins) + 1, sizeof(const void *));
    size_t n = 0;

    if (!list)
        return CAPRUN_E_NOMEM;
    for (const struct cJSON *pin = cr_json_first(pins); pin; pin = cr_json_next(pin))
        list[n++] = pin;
    qsort(list, n, sizeof(const void *), by_name);
    *ret = (struct cr_tool_pins_index){.pins = list, .count = n};
    return 0;
}

void cr_tool_pins_index_clear(struct cr_tool_pins_index *index)
{
    free(index->pins);
}

enum cr_tool_state cr_tool_pins_check(const struct cr_tool_pins_index *index,
                                      const struct cr_tool_now *now)
{
    const struct cJSON *const *pin =
        bsearch(now->name, index->pins, index->count, sizeof(const void *), name_to_pin);

    return compare(pin ? *pin : NULL, now);
}

int cr_tool_pins_pin(const char *dir, const char *server, const struct cr_tool_now *now,
                     size_t count, bool accept, struct cr_err *why)
{
    struct cr_lockfile_news news = {
        .server = server, .tools = now, .count = count, .accept = accept};

    return cr_lockfile_try_write(dir, &news, why);
}

void cr_tool_pins_each(const struct cr_lockfile *lock,
                       void (*each)(void *data, const char *server, const char *tool,
                                    const char *hash),
                       void *data)
{
    const struct cJSON *servers = cr_json_get(lock->doc.root, "servers");

    for (const struct cJSON *s = cr_json_first(servers); s; s = cr_json_next(s))
        for (const struct cJSON *tool = cr_json_first(s); tool; tool = cr_json_next(tool))
            each(data, cr_json_key(s), cr_json_key(tool),
                 cr_json_text(cr_json_get(tool, "sha256")));
}

/* --- what differs --------------------------------------------------------------------------- */

/* Returns the length of the escape or character at |text|, which must not be cut. */
static size_t unit_len(const uint8_t *text, size_t len)
{
    size_t n = text[0] != '\\' ? 0 : len > 1 && text[1] == 'u' ? 6 : 2;
    uint32_t c;

    if (n == 0)
        n = cr_utf8_decode(text, len, &c);
    return n == 0 ? 1 : n < len ? n : len;
}

/* Appends at most |max| bytes of |text| from |start| on, with "…" where text is left out. */
static void add_cut(struct cr_buf *out, const struct cr_buf *text, size_t start, size_t max)
{
    size_t end = start, n = 0;

    for (; end < text->len; end += n) {
        n = unit_len(text->data + end, text->len - end);
        if (end + n - start > max)
            break;
    }
    cr_buf_str(out, start ? "…" : "");
    cr_buf_add(out, text->data + start, end - start);
    cr_buf_str(out, end < text->len ? "…" : "");
}

/* Returns where to begin in both |a| and |b|, so that their first difference is shown. */
static size_t start_of(const struct cr_buf *a, const struct cr_buf *b)
{
    size_t same = 0, start = 0;

    if (a->len <= VALUE_MAX_SHOWN && b->len <= VALUE_MAX_SHOWN)
        return 0;
    while (same < a->len && same < b->len && a->data[same] == b->data[same])
        same++;
    while (start + BEFORE < same)
        start += unit_len(a->data + start, a->len - start);
    return start;
}

static void add_value(struct cr_buf *out, const char *label, const struct cr_buf *text,
                      size_t start)
{
    cr_buf_fmt(out, "\n    %s", label);
    if (text->len)
        add_cut(out, text, start, VALUE_MAX_SHOWN);
    else
        cr_buf_str(out, "absent");
}

/* Appends nothing for NULL. Escapes before cutting: else escapes could push out the change. */
static void add_escaped(struct cr_buf *out, const struct cJSON *value)
{
    struct cr_buf text;

    if (!value)
        return;
    cr_buf_init(&text, out->max);
    cr_json_canonical(&text, value);
    if (cr_buf_err(&text))
        out->err = cr_buf_err(&text);
    else
        cr_escape_terminal(out, (const char *)text.data, text.len);
    cr_buf_clear(&text);
}

/* Appends the part |name|, unless |was| and |is| are equal. */
static void add_part(struct cr_buf *out, const char *name, const struct cJSON *was,
                     const struct cJSON *is)
{
    struct cr_buf before, after;
    size_t start;

    cr_buf_init(&before, out->max);
    cr_buf_init(&after, out->max);
    add_escaped(&before, was);
    add_escaped(&after, is);
    if (cr_buf_err(&before) || cr_buf_err(&after)) {
        out->err = CAPRUN_E_NOMEM;
    } else if (before.len != after.len ||
               (before.len && memcmp(before.data, after.data, before.len) != 0)) {
        start = start_of(&before, &after);
        cr_buf_fmt(out, "\n  %s", name);
        add_value(out, "was:    ", &before, start);
        add_value(out, "is now: ", &after, start);
    }
    cr_buf_clear(&before);
    cr_buf_clear(&after);
}

static void add_parts(struct cr_buf *out, const struct cJSON *was, const struct cJSON *is)
{
    static const char *const parts[] = {"name",        "title",        "description",
                                        "inputSchema", "outputSchema", "annotations"};
    size_t before = out->len;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        add_part(out, parts[i], cr_json_get(was, parts[i]), cr_json_get(is, parts[i]));
    if (out->len == before) /* the difference is in another part of the pinned definition */
        add_part(out, "definition", was, is);
}

static bool is_plain(const char *name)
{
    size_t len = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-/");

    return len > 0 && len <= NAME_MAX_SHOWN && !name[len];
}

/* Appends a plain name unchanged; any other name in quotes, escaped and truncated. */
static void add_name(struct cr_buf *out, const char *name)
{
    struct cr_buf quoted, text;

    if (is_plain(name)) {
        cr_buf_str(out, name);
        return;
    }
    cr_buf_init(&quoted, TEXT_MAX);
    cr_buf_init(&text, TEXT_MAX);
    cr_escape_json(&quoted, name, strnlen(name, 2 * (size_t)NAME_MAX_SHOWN));
    cr_escape_terminal(&text, (const char *)quoted.data, quoted.len);
    if (cr_buf_err(&quoted) || cr_buf_err(&text))
        out->err = CAPRUN_E_NOMEM;
    else
        add_cut(out, &text, 0, NAME_MAX_SHOWN);
    cr_buf_clear(&quoted);
    cr_buf_clear(&text);
}

/* Returns CAPRUN_E_INVAL or CAPRUN_E_NOMEM. */
static int refuse(const char *server, const char *tool, const char *words, struct cr_err *why)
{
    struct cr_buf out;
    const char *text;
    int r = CAPRUN_E_INVAL;

    cr_buf_init(&out, TEXT_MAX);
    cr_buf_fmt(&out, "%s:", server);
    add_name(&out, tool);
    cr_buf_str(&out, words);
    text = cr_buf_text(&out);
    if (text)
        (void)cr_err_end(why, CAPRUN_OUTCOME_INTEGRITY_MISMATCH, NULL, "%s", text);
    else
        r = cr_err_memory(why);
    cr_buf_clear(&out);
    return r;
}

int cr_tool_pins_refuse_new(const char *server, const char *tool, struct cr_err *why)
{
    int r = refuse(server, tool, " is not pinned in " CR_LOCKFILE_NAME ", which is frozen", why);

    if (r == CAPRUN_E_NOMEM)
        return r;
    if (!is_plain(tool))
        return cr_err_hint(why, "call it once without %s", cr_words[CR_WORD_FROZEN]);
    return cr_err_hint(why, "call it once without %s, or: caprun lock --accept %s:%s",
                       cr_words[CR_WORD_FROZEN], server, tool);
}

/* Shows no command for a name that a shell or a reader could misread: the command may be copied. */
static int hint_accept(struct cr_err *why, const char *server, const char *tool)
{
    if (is_plain(tool))
        return cr_err_hint(why, "if you expected that: caprun lock --accept %s:%s", server, tool);
    return cr_err_hint(why,
                       "if you expected that, remove the tool from \"servers\" in " CR_LOCKFILE_NAME
                       ": the next use pins it again");
}

int cr_tool_pins_refuse_changed(const char *server, const char *tool, struct cr_err *why)
{
    int r = refuse(server, tool,
                   " is not what " CR_LOCKFILE_NAME " pins: the definition of the tool changed; "
                   "too many tools changed to show each change",
                   why);

    return r == CAPRUN_E_NOMEM ? r : hint_accept(why, server, tool);
}

static int explain(const struct cJSON *pin, const char *server, const struct cr_tool_now *now,
                   const struct cJSON *definition, struct cr_err *why)
{
    const struct cJSON *hash_was = cr_json_get(pin, "sha256");
    char hash[CR_LOCKFILE_HASH + 1];
    struct cr_buf out;
    const char *text;

    cr_lockfile_hash(now->definition, now->len, hash);
    cr_buf_init(&out, TEXT_MAX);
    cr_buf_fmt(&out, "%s:", server);
    add_name(&out, now->name);
    cr_buf_fmt(&out,
               " is not what " CR_LOCKFILE_NAME " pins: the definition of the tool changed\n"
               "  pinned: %s\n"
               "  now:    %s",
               hash_was ? cr_json_text(hash_was) : "nothing", hash);
    add_parts(&out, cr_json_get(pin, "definition"), definition);
    text = cr_buf_text(&out);
    if (text)
        (void)cr_err_end(why, CAPRUN_OUTCOME_INTEGRITY_MISMATCH, NULL, "%s", text);
    cr_buf_clear(&out);
    return text ? hint_accept(why, server, now->name) : cr_err_memory(why);
}

int cr_tool_pins_explain(const struct cr_lockfile *lock, const char *server,
                         const struct cr_tool_now *now, struct cr_err *why)
{
    const struct cJSON *pin = find_pin(lock, server, now->name);
    struct cr_json_doc doc = {0};
    struct cr_err err = {0};
    int r = cr_json_parse(now->definition, now->len, &doc, &err);

    if (r == CAPRUN_E_NOMEM)
        return cr_err_memory(why);
    r = explain(pin, server, now, doc.root, why); /* invalid JSON is shown as absent */
    cr_json_clear(&doc);
    return r;
}
