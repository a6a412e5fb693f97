/* grant.c - proposes patterns and rules that would allow a call, from its tool, caller and args. */
#include "policy/grant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/web_host.h"

#define MAX_RULE 1024u       /* bytes of a proposal */
#define MAX_ARGS (16u << 10) /* longer args are not parsed */
#define MAX_EXACT 300u       /* of args that a rule repeats */
#define MAX_VALUE 256u       /* of a path or a URL */
#define MAX_VALUES 1000u     /* in args */
#define MAX_PLACES 4u        /* paths and URLs in one rule */

/* May |text| be in a rule? Not if a terminal shows it in another way, or if it would be expanded.
 */
static bool is_plain(const char *text)
{
    cr_autobuf struct cr_buf shown = CR_BUF(4 * MAX_RULE);

    cr_escape_terminal(&shown, text, strlen(text));
    return !cr_buf_err(&shown) && shown.len == strlen(text) && !strchr(text, '\t') &&
           !strstr(text, "${");
}

/* --- the beginning and the end of a rule ------------------------------------------------------ */

static void begin_rule(struct cr_buf *out, const struct cr_question *q, const char *tool)
{
    cr_buf_str(out, "{\"for\": ");
    cr_escape_json_str(out, q->caller);
    cr_buf_str(out, ", \"tool\": ");
    cr_escape_json_str(out, tool);
}

/* Returns the rule, or NULL if it is too long or there is no memory. */
static char *end_rule(struct cr_buf *out)
{
    cr_buf_str(out, ", \"then\": \"allow\"}");
    if (cr_buf_text(out))
        return (char *)out->data;
    cr_buf_clear(out);
    return NULL;
}

/* --- these args ------------------------------------------------------------------------------- */

/* Do the conditions |when| hold for |args|? No for numbers that servers round. */
static bool holds(const char *when, const struct cJSON *args)
{
    struct cr_conditions *conditions;
    bool is;

    if (cr_conditions_new(when, "/", &conditions, NULL) < 0)
        return false;
    is = cr_conditions_hold(conditions, args, NULL) == CR_TRUTH_YES;
    cr_conditions_free(conditions);
    return is;
}

static char *propose_args(const struct cr_question *q, const char *tool, const struct cJSON *args)
{
    cr_autobuf struct cr_buf when = CR_BUF(MAX_RULE);
    struct cr_buf out;

    cr_buf_str(&when, "{\"\": {\"equals\": ");
    cr_json_print(&when, args);
    cr_buf_str(&when, "}}");
    if (!cr_buf_text(&when) || when.len > MAX_EXACT || !is_plain(cr_buf_text(&when)) ||
        !holds(cr_buf_text(&when), args))
        return NULL;
    cr_buf_init(&out, MAX_RULE);
    begin_rule(&out, q, tool);
    cr_buf_fmt(&out, ", \"when\": %s", cr_buf_text(&when));
    return end_rule(&out);
}

/* --- the directory of a path, the host of a URL ----------------------------------------------- */

/* Is |path| the same for every reader: no "..", no "~", no empty parts, no blanks around it? */
static bool is_clear_path(const char *path)
{
    size_t len = strlen(path);

    for (const char *at = path; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || !at[2]))
            return false;
        if (*at == '/')
            return false;
    }
    return len && path[0] != '~' && path[0] != ' ' && path[len - 1] != ' ' && !strchr(path, ':') &&
           !strchr(path, '\\');
}

static bool is_named_as_path(const char *key)
{
    static const char *const names[] = {
        "path", "file",   "filename",    "file_path", "filepath", "directory", "folder",
        "dir",  "source", "destination", "cwd",       "root",     "filePath",  "uri"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], key) == 0)
            return true;
    return false;
}

static bool is_path(const char *key, const char *text)
{
    return (text[0] == '/' || strncmp(text, "./", 2) == 0 || is_named_as_path(key)) &&
           is_clear_path(text);
}

/*
 * Appends the directory of |path| as a rule has it: relative to |from| if it is below it. Returns
 * false for the directory "/", and for a relative path without a known beginning.
 */
static bool add_directory(struct cr_buf *out, const char *path, const char *base, const char *from)
{
    cr_autobuf struct cr_buf whole = CR_BUF(2 * MAX_RULE), shown = CR_BUF(2 * MAX_RULE);
    size_t from_len = from ? strlen(from) : 0;
    const char *dir;
    char *slash;

    if (path[0] != '/' && !base)
        return false;
    if (path[0] != '/')
        cr_buf_fmt(&whole, "%s/", strcmp(base, "/") == 0 ? "" : base);
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    cr_buf_str(&whole, strcmp(path, ".") == 0 ? "" : path);
    if (!cr_buf_text(&whole))
        return false;
    slash = strrchr((char *)whole.data, '/');
    *slash = '\0'; /* "a/b/" is a directory already */
    dir = (const char *)whole.data;
    if (!*dir)
        return false;
    if (from_len > 1 && strncmp(dir, from, from_len) == 0 &&
        (dir[from_len] == '/' || !dir[from_len]))
        cr_buf_fmt(&shown, ".%s", dir + from_len);
    else
        cr_buf_str(&shown, dir);
    if (!cr_buf_text(&shown) || !is_plain(cr_buf_text(&shown)))
        return false;
    cr_buf_str(out, "{\"under\": ");
    cr_escape_json_str(out, cr_buf_text(&shown));
    cr_buf_str(out, "}");
    return true;
}

/* Appends the host of |url|, if every reader finds the same host in it. */
static bool add_host(struct cr_buf *out, const char *url)
{
    const char *at = strstr(url, "://"), *user;
    struct cr_web_host host;
    char name[sizeof(host.name) + 16];
    size_t len;

    if (!at)
        return false;
    at += 3;
    len = strcspn(at, "/?#");
    user = memchr(at, '@', len);
    if (user) {
        len -= (size_t)(user + 1 - at);
        at = user + 1;
    }
    if (len == 0 || len >= sizeof(host.name) || at[0] == '*')
        return false;
    memcpy(name, at, len);
    name[len] = '\0';
    if (!cr_web_host_parse(name, &host) ||
        cr_web_host_holds(&host, url, strlen(url)) != CR_TRUTH_YES)
        return false;
    cr_buf_str(out, "{\"host\": ");
    (void)snprintf(name, sizeof(name), "%s", host.name);
    if (host.port)
        (void)snprintf(name, sizeof(name), "%s:%u", host.name, host.port);
    cr_escape_json_str(out, name);
    cr_buf_str(out, "}");
    return true;
}

/* Appends the JSON pointer of a member of the args. */
static void add_pointer(struct cr_buf *out, const char *key)
{
    cr_autobuf struct cr_buf pointer = CR_BUF(MAX_RULE);

    cr_buf_str(&pointer, "/");
    for (; *key; key++) {
        if (*key == '~' || *key == '/')
            cr_buf_str(&pointer, *key == '~' ? "~0" : "~1");
        else
            cr_buf_add(&pointer, key, 1);
    }
    cr_escape_json_str(out, cr_buf_text(&pointer) ? cr_buf_text(&pointer) : "");
    cr_buf_str(out, ": ");
}

/* Appends the condition for one member, if it is a path or a URL. */
static bool add_place(struct cr_buf *out, const struct cr_question *q, const struct cJSON *member,
                      const char *from)
{
    cr_autobuf struct cr_buf one = CR_BUF(MAX_RULE);
    const char *key = cr_json_key(member), *text = cr_json_text(member);

    if (!key || cr_json_type(member) != CR_JSON_STRING || strlen(text) > MAX_VALUE ||
        !is_plain(text) || !is_plain(key) ||
        !(add_host(&one, text) || (is_path(key, text) && add_directory(&one, text, q->dir, from))))
        return false;
    cr_buf_str(out, out->len ? ", " : "");
    add_pointer(out, key);
    cr_buf_str(out, cr_buf_text(&one) ? cr_buf_text(&one) : "");
    return !cr_buf_err(&one);
}

static char *propose_place(const struct cr_question *q, const char *tool, const struct cJSON *args,
                           const char *from)
{
    cr_autobuf struct cr_buf when = CR_BUF(MAX_RULE);
    struct cr_buf out;
    size_t places = 0;

    for (const struct cJSON *v = cr_json_first(args); v && places <= MAX_PLACES;
         v = cr_json_next(v))
        places += add_place(&when, q, v, from);
    if (!places || places > MAX_PLACES || !cr_buf_text(&when))
        return NULL;
    cr_buf_init(&out, MAX_RULE);
    begin_rule(&out, q, tool);
    cr_buf_fmt(&out, ", \"when\": {%s}", cr_buf_text(&when));
    return end_rule(&out);
}

/* --- all proposals ---------------------------------------------------------------------------- */

/* A capability whose name cannot be in "for" has no rule. */
static char *propose_caller(const struct cr_question *q, const char *tool)
{
    struct cr_buf out;

    cr_buf_init(&out, MAX_RULE);
    begin_rule(&out, q, tool);
    return end_rule(&out);
}

static char *propose_tool(const char *tool)
{
    struct cr_buf out;

    cr_buf_init(&out, MAX_RULE);
    cr_escape_json_str(&out, tool);
    if (cr_buf_text(&out))
        return (char *)out.data;
    cr_buf_clear(&out);
    return NULL;
}

int cr_grants_make(const struct cr_question *q, const char *from, struct cr_grants *ret)
{
    const char *tool = q->tool ? q->tool : q->called;
    struct cr_json_doc doc = {0};

    *ret = (struct cr_grants){0};
    if (!cr_pattern_is(tool) || !strchr(tool, ':') || strpbrk(tool, "*?"))
        return 0;
    ret->json[CR_GRANT_TOOL] = propose_tool(tool);
    if (!ret->json[CR_GRANT_TOOL])
        return CAPRUN_E_NOMEM;
    if (!q->caller || !is_plain(q->caller))
        return 0;
    ret->json[CR_GRANT_CALLER] = propose_caller(q, tool);
    if (q->args && q->args_len <= MAX_ARGS &&
        cr_json_parse_within(q->args, q->args_len, MAX_VALUES, &doc, NULL) == 0) {
        ret->json[CR_GRANT_PLACE] = propose_place(q, tool, doc.root, from);
        ret->json[CR_GRANT_ARGS] = propose_args(q, tool, doc.root);
    }
    cr_json_clear(&doc);
    return 0;
}

void cr_grants_clear(struct cr_grants *grants)
{
    for (size_t i = 0; i < CR_GRANT_KINDS; i++)
        free(grants->json[i]);
    *grants = (struct cr_grants){0};
}
