/* test_wider.c - what a configuration starts or allows beyond the accepted one. */
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

#include "config/wider.h"
#include "failing.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct found {
    char text[4096];
    size_t count;
};

static const char *const kinds[] = {
    [CR_WIDER_SERVER] = "server",     [CR_WIDER_REVEALED] = "revealed",
    [CR_WIDER_ALLOW] = "allow",       [CR_WIDER_ASK] = "ask",
    [CR_WIDER_NO_ASK] = "no_ask",     [CR_WIDER_NO_DENY] = "no_deny",
    [CR_WIDER_RULE] = "rule",         [CR_WIDER_NO_RULE] = "no_rule",
    [CR_WIDER_REGISTRY] = "registry", [CR_WIDER_GRANT] = "grant",
    [CR_WIDER_VARIABLE] = "variable", [CR_WIDER_SETTING] = "setting"};

static void note(void *data, const struct cr_wider *found)
{
    struct found *f = data;
    size_t len = strlen(f->text);

    f->count++;
    (void)snprintf(f->text + len, sizeof(f->text) - len, "%s%s%s%s", len ? " " : "",
                   kinds[found->kind], found->name ? ":" : "", found->name ? found->name : "");
}

static bool parse(const char *text, struct cr_json_doc *doc)
{
    struct cr_err err;

    *doc = (struct cr_json_doc){0};
    return !text || cr_json_parse(text, strlen(text), doc, &err) == 0;
}

/* Compares, and writes what was found. Returns false if that failed, or the count is wrong. */
static bool look(const char *was, const char *now, const char *users, struct found *ret)
{
    struct cr_json_doc a = {0}, b = {0}, c = {0};
    size_t count = 0;
    bool ok;

    *ret = (struct found){0};
    ok = parse(was, &a) && parse(now, &b) && parse(users, &c) &&
         cr_wider_find(a.root, b.root, c.root, note, ret, &count) == 0 && count == ret->count;
    cr_json_clear(&a);
    cr_json_clear(&b);
    cr_json_clear(&c);
    return ok;
}

struct row {
    const char *was, *now, *wanted;
};

static bool check_rows(const struct row *rows, size_t count)
{
    bool all = true;

    for (size_t i = 0; i < count; i++) {
        struct found found;

        if (look(rows[i].was, rows[i].now, NULL, &found) && strcmp(found.text, rows[i].wanted) == 0)
            continue;
        (void)fprintf(stderr, "# %s\n#   -> %s\n#   found %s, wanted %s\n",
                      rows[i].was ? rows[i].was : "nothing", rows[i].now, found.text,
                      rows[i].wanted);
        all = false;
    }
    return all;
}

#define P(inside) "{\"permissions\":{" inside "}}"
#define S(inside) "{\"mcpServers\":{" inside "}}"
#define R(inside) P("\"rules\":[" inside "]")
#define G(inside) "{\"registries\":[" inside "]}"

TEST(a_file_that_starts_and_allows_nothing_needs_no_acceptance)
{
    static const struct row rows[] = {
        {NULL, "{}", ""},
        {NULL, "{\"$schema\":\"x\"}", ""},
        {NULL, P("\"ask\":[\"*\"],\"deny\":[\"a:b\"]"), ""},
        {NULL, P("\"allow\":[],\"rules\":[]"), ""},
        {NULL, R("{\"tool\":\"a:b\",\"then\":\"deny\"}"), ""},
        {NULL, "{\"onDenied\":\"stop\"}", ""},
        {NULL, "{\"onDenied\":\"continue\"}", ""},
        {NULL, "{\"mcpServers\":{},\"env\":{},\"registries\":[],\"limits\":{},\"pool\":{}}", ""},
        {NULL, G("\"registry\",\"./registry\",\"a/b\",\".\",\"a..b\",\"..a\",\"~\""), ""},
        {NULL,
         "{\"limits\":{\"timeoutMs\":300000,\"cpuMs\":1,\"rpcTimeoutMs\":30000,\"memoryMB\":512,"
         "\"resultBytes\":16777216,\"logBytes\":1048576,\"maxCalls\":10000,"
         "\"maxConcurrentCalls\":256,\"maxDepth\":8}}",
         ""},
        {NULL, "{\"limits\":{\"memoryMB\":0}}", ""},
    };

    CHECK(check_rows(rows, COUNT(rows)));
}

TEST(everything_else_needs_acceptance)
{
    static const struct row rows[] = {
        {NULL, S("\"a\":{\"command\":\"x\"}"), "server:a"},
        {NULL, S("\"a\":{\"url\":\"https://x\"},\"b\":{}"), "server:a server:b"},
        {NULL, "{\"mcpServers\":[]}", ""},
        {NULL, "{\"mcpServers\":[1]}", "setting:mcpServers"},
        {NULL, "{\"mcpServers\":\"x\"}", "setting:mcpServers"},
        {NULL, P("\"allow\":[\"a\",\"b:c\"]"), "allow allow"},
        {NULL, P("\"allow\":\"a\""), "setting:permissions.allow"},
        {NULL, P("\"allow\":[1]"), "allow"},
        {NULL, P("\"later\":[1]"), "setting:permissions.later"},
        {NULL, "{\"permissions\":[\"x\"]}", "setting:permissions"},
        {NULL, R("{\"tool\":\"a:b\",\"then\":\"allow\"}"), "rule"},
        {NULL, R("{\"tool\":\"a:b\",\"then\":\"ask\"}"), "rule"},
        {NULL, R("{\"tool\":\"a:b\",\"then\":\"Deny\"}"), "rule"},
        {NULL, R("{\"tool\":\"a:b\"}"), "rule"},
        {NULL, R("\"deny\""), "rule"},
        {NULL, G("\"/x\""), "registry"},
        {NULL, G("\"../x\""), "registry"},
        {NULL, G("\"a/..\""), "registry"},
        {NULL, G("\"a/../../b\""), "registry"},
        {NULL, G("\"..\""), "registry"},
        {NULL, G("\"\""), "registry"},
        {NULL, G("\"https://x/y\""), "registry"},
        {NULL, G("\"HTTP://x/y\""), "registry"},
        {NULL, G("{\"path\":\"./a\"}"), "registry"},
        {NULL, G("{\"path\":\"./a\",\"dev\":true}"), "registry"},
        {NULL, G("\"${A}\""), "registry variable"},
        {NULL, "{\"env\":{\"a.b.c.d\":[\"X\",\"Y\"]}}", "grant:a.b.c.d grant:a.b.c.d"},
        {NULL, "{\"limits\":{\"timeoutMs\":300001}}", "setting:limits.timeoutMs"},
        {NULL, "{\"limits\":{\"maxCalls\":10001,\"memoryMB\":1}}", "setting:limits.maxCalls"},
        {NULL, "{\"limits\":{\"memoryMB\":1e3}}", "setting:limits.memoryMB"},
        {NULL, "{\"limits\":{\"memoryMB\":-1}}", "setting:limits.memoryMB"},
        {NULL, "{\"limits\":{\"later\":1}}", "setting:limits.later"},
        {NULL, "{\"sandbox\":{\"uidBase\":65536}}", "setting:sandbox.uidBase"},
        {NULL, "{\"record\":\"none\"}", "setting:record"},
        {NULL, "{\"recordLimits\":{\"days\":1}}", "setting:recordLimits.days"},
        {NULL, "{\"audit\":\"/etc/x\"}", "setting:audit"},
        {NULL, "{\"audit\":{\"off\":true}}", "setting:audit.off"},
        {NULL, "{\"routing\":{\"cloud\":{\"url\":\"x\"}}}", "setting:routing.cloud"},
        {NULL, "{\"unheard\":1}", "setting:unheard"},
        {NULL, "{\"$schema\":\"${A}\"}", "variable"},
        {NULL, P("\"ask\":[\"${A}\"]"), "variable"},
        {NULL, P("\"deny\":[\"${A}\"]"), "setting:permissions.deny variable"},
        {NULL, R("{\"id\":\"${A}\",\"tool\":\"*\",\"then\":\"deny\"}"), "rule variable"},
        {NULL, "[]", "setting:the configuration"},
    };

    CHECK(check_rows(rows, COUNT(rows)));
}

#define FULL                                                                                   \
    "{\"$schema\":\"s\",\"registries\":[\"./r\",\"https://x/y\",\"../z\"],\"mcpServers\":"     \
    "{\"a\":{\"command\":\"x\",\"args\":[\"1\",\"2\"],\"env\":{\"T\":\"${T}\",\"U\":\"u\"},"   \
    "\"cwd\":\"d\"},\"b\":{\"command\":\"y\"}},\"permissions\":{\"allow\":[\"a:*\",\"b\"],"    \
    "\"ask\":"                                                                                 \
    "[\"a:x\"],\"deny\":[\"b:z\"]},\"env\":{\"a.b.c.d\":[\"V\",\"W\"]},\"onDenied\":\"stop\"," \
    "\"limits\":{\"timeoutMs\":5},\"sandbox\":{\"requireAllLayers\":true}}"

TEST(the_same_in_another_spelling_is_no_difference)
{
    static const struct row rows[] = {
        {FULL, FULL, ""},
        {"{\"a\":1,\"b\":{\"c\":[1,2],\"d\":\"\\u0041\"}}",
         " { \"b\" : {\"d\":\"A\", \"c\": [1, 2]}, \"a\": 1 } ", ""},
        {S("\"a\":{\"command\":\"x\",\"args\":[\"1\"]},\"b\":{}"),
         S("\"b\":{},\"a\":{\"args\":[\"1\"],\"command\":\"x\"}"), ""},
        {P("\"allow\":[\"a\",\"b\"]"), P("\"allow\":[\"b\",\"a\",\"b\"]"), ""},
        {P("\"ask\":[\"a\",\"b\"]"), P("\"ask\":[\"b\",\"a\"]"), ""},
        {"{\"$schema\":\"x\"}", "{}", ""},
        {"{}", "{\"$schema\":\"x\"}", ""},
        {"{\"limits\":{\"a\":1,\"b\":2}}", "{\"limits\":{\"b\":2,\"a\":1}}", ""},
    };

    CHECK(check_rows(rows, COUNT(rows)));
}

TEST(only_to_remove_or_to_deny_is_narrower)
{
    static const struct row rows[] = {
        {FULL,
         "{\"permissions\":{\"ask\":[\"a:x\"],\"deny\":[\"b:z\"]},\"onDenied\":\"stop\","
         "\"limits\":{\"timeoutMs\":5},\"sandbox\":{\"requireAllLayers\":true}}",
         ""},
        {S("\"a\":{},\"b\":{}"), S("\"b\":{}"), ""},
        {S("\"a\":{}"), S(""), ""},
        {S("\"a\":{}"), "{}", ""},
        {P("\"allow\":[\"a\",\"b\"]"), P("\"allow\":[\"b\"]"), ""},
        {P("\"allow\":[\"a\"]"), "{}", ""},
        {P("\"deny\":[\"a\"]"), P("\"deny\":[\"b:*\",\"a\"]"), ""},
        {"{}", P("\"deny\":[\"a\"]"), ""},
        {"{}", R("{\"tool\":\"a:b\",\"then\":\"deny\"}"), ""},
        {R("{\"tool\":\"a\",\"then\":\"allow\"}"),
         R("{\"tool\":\"b\",\"then\":\"deny\"},{\"then\":\"allow\",\"tool\":\"a\"}"), ""},
        {R("{\"tool\":\"a\",\"then\":\"allow\"},{\"tool\":\"b\",\"then\":\"allow\"}"),
         R("{\"tool\":\"b\",\"then\":\"allow\"}"), ""},
        {R("{\"tool\":\"a\",\"when\":{\"/p\":{\"under\":\"d\"}},\"then\":\"allow\"}"), R(""), ""},
        {R("{\"id\":\"i\",\"tool\":\"a\",\"maxCalls\":1,\"then\":\"allow\"}"),
         R("{\"tool\":\"x\",\"then\":\"deny\"},"
           "{\"id\":\"i\",\"tool\":\"a\",\"maxCalls\":1,\"then\":\"allow\"}"),
         ""},
        {G("\"a\",\"b\",\"c\""), G("\"a\",\"c\""), ""},
        {G("\"a\",\"b\""), G("\"b\""), ""},
        {G("\"https://x\""), "{}", ""},
        {G("{\"path\":\"a\",\"dev\":true}"), G(""), ""},
        {"{\"env\":{\"a.b.c.d\":[\"X\",\"Y\"],\"e.f.g.h\":[\"Z\"]}}",
         "{\"env\":{\"a.b.c.d\":[\"Y\"]}}", ""},
        {"{\"env\":{\"a.b.c.d\":[\"X\"]}}", "{}", ""},
    };

    CHECK(check_rows(rows, COUNT(rows)));
}

TEST(every_other_change_is_wider)
{
    static const struct row rows[] = {
        /* servers */
        {S("\"a\":{}"), S("\"a\":{},\"b\":{}"), "server:b"},
        {S("\"a\":{}"), S("\"A\":{}"), "server:A"},
        {S("\"a\":{\"command\":\"x\"}"), S("\"a\":{\"command\":\"y\"}"), "server:a"},
        {S("\"a\":{\"command\":\"x\",\"cwd\":\"c\"}"), S("\"a\":{\"command\":\"x\"}"), "server:a"},
        {S("\"a\":{\"command\":\"x\",\"cwd\":\"c\"}"), S("\"a\":{\"command\":\"x\",\"cwd\":\"d\"}"),
         "server:a"},
        {S("\"a\":{\"args\":[\"1\",\"2\"]}"), S("\"a\":{\"args\":[\"2\",\"1\"]}"), "server:a"},
        {S("\"a\":{\"args\":[\"1\",\"2\"]}"), S("\"a\":{\"args\":[\"1\"]}"), "server:a"},
        {S("\"a\":{\"env\":{\"A\":\"1\"}}"), S("\"a\":{\"env\":{}}"), "server:a"},
        {S("\"a\":{\"env\":{\"A\":\"1\"}}"), S("\"a\":{\"env\":{\"A\":\"2\"}}"), "server:a"},
        {S("\"a\":{\"command\":\"x\"}"), S("\"a\":{\"url\":\"https://x\"}"), "server:a"},
        {S("\"a\":{\"idempotent\":[]}"), S("\"a\":{}"), "server:a"},
        {S("\"a\":{\"command\":\"x\"}"), S("\"a\":{\"command\":\"x\",\"unheard\":1}"), "server:a"},
        {S("\"a\":{},\"b\":{\"command\":\"x\"}"), S("\"a\":{\"command\":\"x\"}"), "server:a"},
        /* patterns */
        {P("\"allow\":[\"a:b\"]"), P("\"allow\":[\"a\"]"), "allow"},
        {P("\"allow\":[\"a\"]"), P("\"allow\":[\"a:b\"]"), "allow"},
        {P("\"deny\":[\"a\"]"), P("\"deny\":[]"), "no_deny"},
        {P("\"deny\":[\"a\"]"), P(""), "no_deny"},
        {P("\"deny\":[\"a\"]"), "{}", "no_deny"},
        {P("\"deny\":[\"a\",\"b\"]"), P("\"deny\":[\"b\",\"c\"]"), "no_deny"},
        {P("\"deny\":[\"a\"]"), P("\"ask\":[\"a\"]"), "ask no_deny"},
        {P("\"ask\":[\"a\"]"), "{}", "no_ask"},
        {P("\"ask\":[\"a\"]"), P("\"deny\":[\"a\"]"), "no_ask"},
        {P("\"deny\":[\"a:*\"]"), P("\"deny\":[\"a:*\"],\"ask\":[\"a:b\"]"), "ask"},
        {P("\"allow\":[\"a\"]"), P("\"later\":[\"a\"]"), "setting:permissions.later"},
        {P("\"later\":[\"a\"]"), P(""), "setting:permissions.later"},
        /* rules */
        {R("{\"tool\":\"a\",\"then\":\"deny\"}"), R(""), "no_rule"},
        {R("{\"tool\":\"a\",\"then\":\"ask\"}"), R(""), "no_rule"},
        {R("{\"tool\":\"a\",\"maxCalls\":1,\"then\":\"allow\"}"), R(""), "no_rule"},
        {R("{\"tool\":\"a\",\"rate\":{\"calls\":1,\"perMs\":1},\"then\":\"allow\"}"), "{}",
         "no_rule"},
        {R("{\"tool\":\"a\",\"maxCalls\":1,\"then\":\"allow\"}"),
         R("{\"tool\":\"a\",\"maxCalls\":2,\"then\":\"allow\"}"), "rule no_rule"},
        {R("{\"tool\":\"a\",\"for\":\"exec\",\"then\":\"allow\"}"),
         R("{\"tool\":\"a\",\"then\":\"allow\"}"), "rule"},
        {R("{\"tool\":\"a\",\"when\":{\"/p\":{\"under\":\"./d\"}},\"then\":\"allow\"}"),
         R("{\"tool\":\"a\",\"when\":{\"/p\":{\"under\":\"/\"}},\"then\":\"allow\"}"), "rule"},
        {R("{\"tool\":\"a\",\"then\":\"deny\"}"), R("{\"tool\":\"a\",\"then\":\"ask\"}"),
         "rule no_rule"},
        {R("{\"tool\":\"a\",\"then\":\"deny\"}"),
         R("{\"tool\":\"a\",\"when\":{\"/p\":{\"equals\":1}},\"then\":\"deny\"}"), "no_rule"},
        {R("{\"tool\":\"a\",\"then\":\"allow\"},{\"tool\":\"b\",\"then\":\"allow\"}"),
         R("{\"tool\":\"b\",\"then\":\"allow\"},{\"tool\":\"a\",\"then\":\"allow\"}"), "rule"},
        {R("{\"tool\":\"a\",\"maxCalls\":1,\"then\":\"allow\"}"),
         R("{\"tool\":\"x\",\"then\":\"deny\"},{\"tool\":\"a\",\"maxCalls\":1,\"then\":\"allow\"}"),
         "rule"},
        {"{}", R("{\"tool\":\"${A}\",\"then\":\"deny\"}"), "rule variable"},
        /* registries: the first that has a name wins */
        {G("\"a\""), G("\"b\",\"a\""), "registry"},
        {G("\"a\""), G("\"a\",\"./b\""), "registry"},
        {G("\"a\",\"b\""), G("\"b\",\"a\""), "registry"},
        {G("\"a\""), G("{\"path\":\"a\",\"dev\":true}"), "registry"},
        {G("{\"path\":\"a\",\"dev\":true}"), G("{\"path\":\"a\"}"), "registry"},
        {G("\"a\""), G("\"a/\""), "registry"},
        {"{}", G("\"./a\""), "registry"},
        /* granted variables */
        {"{\"env\":{\"a.b.c.d\":[\"X\"]}}", "{\"env\":{\"a.b.c.d\":[\"X\",\"Y\"]}}",
         "grant:a.b.c.d"},
        {"{\"env\":{\"a.b.c.d\":[\"X\"]}}", "{\"env\":{\"a.b.c.e\":[\"X\"]}}", "grant:a.b.c.e"},
        /* settings */
        {"{\"onDenied\":\"stop\"}", "{}", "setting:onDenied"},
        {"{\"onDenied\":\"stop\"}", "{\"onDenied\":\"continue\"}", "setting:onDenied"},
        {"{}", "{\"limits\":{\"timeoutMs\":1}}", "setting:limits"},
        {"{\"limits\":{\"timeoutMs\":2}}", "{\"limits\":{\"timeoutMs\":1}}",
         "setting:limits.timeoutMs"},
        {"{\"limits\":{\"timeoutMs\":2}}", "{\"limits\":{}}", "setting:limits.timeoutMs"},
        {"{\"limits\":{\"timeoutMs\":2}}", "{}", "setting:limits"},
        {"{\"sandbox\":{\"requireAllLayers\":true}}", "{}", "setting:sandbox"},
        {"{\"sandbox\":{\"requireAllLayers\":true}}", "{\"sandbox\":{\"requireAllLayers\":false}}",
         "setting:sandbox.requireAllLayers"},
        {"{\"record\":\"all\"}", "{}", "setting:record"},
        {"{\"audit\":\"x\"}", "{\"audit\":{\"off\":true}}", "setting:audit"},
        {"{}", "{\"unheard\":1}", "setting:unheard"},
        {"{\"unheard\":1}", "{}", "setting:unheard"},
        {"{\"unheard\":1}", "{\"unheard\":1.0}", "setting:unheard"},
        {"{\"mcpServers\":{}}", "{\"mcpServers\":[1]}", "setting:mcpServers"},
        /* variables */
        {"{}", "{\"$schema\":\"${A}\"}", "variable"},
        {S("\"a\":{\"command\":\"${A}\"}"), S("\"a\":{\"command\":\"${B}\"}"), "server:a variable"},
        {S("\"a\":{\"command\":\"${A}\"}"), P("\"deny\":[\"${A}\"]"), "setting:permissions.deny"},
        {S("\"a\":{\"command\":\"${AB}\"}"), "{\"$schema\":\"${A}\"}", "variable"},
        {"{}", "[1]", "setting:the configuration"},
        {"{}", "null", "setting:the configuration"},
        {"[]", "{}", "setting:the configuration"},
    };

    CHECK(check_rows(rows, COUNT(rows)));
}

TEST(a_server_that_is_gone_must_not_reveal_the_users_own)
{
    static const char was[] = S("\"my-a\":{},\"b\":{}");
    struct found found;

    CHECK(look(was, "{}", S("\"c\":{}"), &found) && !found.count);
    CHECK(look(was, "{}", S("\"b\":{}"), &found) && strcmp(found.text, "revealed:b") == 0);
    CHECK(look(was, S(""), S("\"my_a\":{}"), &found) && strcmp(found.text, "revealed:my-a") == 0);
    CHECK(look(was, was, S("\"b\":{}"), &found) && !found.count);
}

TEST(a_registry_below_must_not_take_a_name_to_which_the_user_has_given_rights)
{
    static const char now[] = G("\"./r\"");
    struct found found;

    CHECK(look(NULL, now, S("\"a\":{}"), &found) && !found.count);
    CHECK(look(NULL, now, P("\"allow\":[\"*\"],\"rules\":[{\"tool\":\"a\"}]"), &found) &&
          !found.count);
    CHECK(look(NULL, now, R("{\"tool\":\"a\"},{\"for\":\"a.b.c.d\"}"), &found));
    CHECK(strcmp(found.text, "registry") == 0);
    CHECK(look(NULL, now, "{\"env\":{\"a.b.c.d\":[\"X\"]}}", &found));
    CHECK(strcmp(found.text, "registry") == 0);
    CHECK(look(now, now, "{\"env\":{\"a.b.c.d\":[\"X\"]}}", &found) && !found.count);
}

/* Writes a list of |count| items of the form |item|, which has one %zu. */
static char *many(const char *before, const char *item, size_t count, const char *after)
{
    size_t room = strlen(before) + strlen(after) + count * (strlen(item) + 16) + 1, len = 0;
    char *text = malloc(room);

    if (!text)
        return NULL;

    len += (size_t)snprintf(text, room, "%s", before);
    for (size_t i = 0; i < count; i++) {
        const char *mark = strchr(item, '#');

        len += (size_t)snprintf(text + len, room - len, "%s%.*s%zu%s", i ? "," : "",
                                (int)(mark - item), item, i, mark + 1);
    }
    (void)snprintf(text + len, room - len, "%s", after);
    return text;
}

TEST(files_with_as_much_as_fits_are_compared)
{
    static const char *const forms[][3] = {
        {"{\"registries\":[", "\"dir#\"", "]}"},
        {"{\"permissions\":{\"allow\":[", "\"ns#:*\"", "]}}"},
        {"{\"mcpServers\":{", "\"s#\":{\"command\":\"${X#}\"}", "}}"},
        {"{\"permissions\":{\"rules\":[", "{\"tool\":\"t#:*\",\"then\":\"allow\"}", "]}}"},
    };

    for (size_t i = 0; i < COUNT(forms); i++) {
        char *was = many(forms[i][0], forms[i][1], 1000, forms[i][2]);
        char *now = many(forms[i][0], forms[i][1], 999, forms[i][2]);
        struct found a, b;
        bool narrower = look(was, now, NULL, &a), wider = look(now, was, NULL, &b);

        free(was);
        free(now);
        CHECK(narrower && !a.count && wider && b.count);
    }
}

TEST(without_memory_nothing_is_known)
{
    static const char now[] =
        "{\"mcpServers\":{\"a\":{\"command\":\"x\"}},\"registries\":[\"../r\"],\"permissions\":"
        "{\"allow\":[\"b\"],\"rules\":[{\"tool\":\"a\",\"then\":\"ask\"}]},\"env\":{\"a.b.c.d\":"
        "[\"Y\"]},\"limits\":{\"timeoutMs\":6}}";
    struct cr_json_doc a, b;
    int failed = 0;

    CHECK(parse(FULL, &a) && parse(now, &b));
    while (failing_more()) {
        size_t count = 77;
        int r = cr_wider_find(a.root, b.root, a.root, NULL, NULL, &count);

        failing_stop();
        CHECK(r == 0 ? count > 5 && count < 77 : r == CAPRUN_E_NOMEM && count == 77);
        failed += r < 0;
    }
    CHECK(!failing_works() || failed > 20);
    cr_json_clear(&a);
    cr_json_clear(&b);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
