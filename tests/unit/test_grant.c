/* test_grant.c - which permissions would allow a call: the proposals, from call to JSON. */
#include "tap.h"

#include "policy/grant.h"

#define FORM "{\"for\": \"exec\", \"tool\": \"s:t\", \"when\": {"
#define THEN "}, \"then\": \"allow\"}"
#define UNDER(key, dir) FORM "\"" key "\": {\"under\": \"" dir "\"}" THEN
#define HOST(key, host) FORM "\"" key "\": {\"host\": \"" host "\"}" THEN

static struct cr_grants grants;

static bool make(const char *tool, const char *args, const char *caller)
{
    const struct cr_question q = {.called = "s:t",
                                  .tool = tool,
                                  .args = args,
                                  .args_len = strlen(args),
                                  .caller = caller,
                                  .dir = "/srv/app/data"};

    return cr_grants_make(&q, "/srv/app", &grants) == 0;
}

static bool is(enum cr_grant_kind kind, const char *json)
{
    const char *got = grants.json[kind];

    if (got && json ? strcmp(got, json) == 0 : got == json)
        return true;
    (void)fprintf(stderr, "# %d: %s, not %s\n", (int)kind, got ? got : "NULL",
                  json ? json : "NULL");
    return false;
}

TEST(proposals_go_from_these_args_to_everybody)
{
    CHECK(make("s:t", "{\"path\":\"a/b.txt\",\"n\":1}", "a.b.c.d"));
    CHECK(is(CR_GRANT_ARGS,
             "{\"for\": \"a.b.c.d\", \"tool\": \"s:t\", \"when\": {\"\": {\"equals\": "
             "{\"path\":\"a/b.txt\",\"n\":1}}}, \"then\": \"allow\"}"));
    CHECK(is(CR_GRANT_PLACE, "{\"for\": \"a.b.c.d\", \"tool\": \"s:t\", \"when\": {\"/path\": "
                             "{\"under\": \"./data/a\"}}, \"then\": \"allow\"}"));
    CHECK(is(CR_GRANT_CALLER, "{\"for\": \"a.b.c.d\", \"tool\": \"s:t\", \"then\": \"allow\"}"));
    CHECK(is(CR_GRANT_TOOL, "\"s:t\""));
    cr_grants_clear(&grants);
    CHECK(make(NULL, "{}", "exec") && is(CR_GRANT_TOOL, "\"s:t\""));
    CHECK(is(CR_GRANT_PLACE, NULL));
    cr_grants_clear(&grants);
}

static const struct {
    const char *args, *place;
} places[] = {
    {"{\"path\":\"x\"}", UNDER("/path", "./data")},
    {"{\"path\":\".\"}", UNDER("/path", "./data")},
    {"{\"path\":\"./x\"}", UNDER("/path", "./data")},
    {"{\"any\":\"/srv/app/x\"}", UNDER("/any", ".")},
    {"{\"any\":\"/srv/application/x\"}", UNDER("/any", "/srv/application")},
    {"{\"any\":\"/srv/app/x/\"}", UNDER("/any", "./x")},
    {"{\"a/b~\":\"/etc/passwd\"}", UNDER("/a~1b~0", "/etc")},
    {"{\"source\":\"/a/b\",\"n\":2,\"destination\":\"/c/d\"}",
     FORM "\"/source\": {\"under\": \"/a\"}, \"/destination\": {\"under\": \"/c\"}" THEN},
    {"{\"url\":\"https://API.example.com/x?y#z\"}", HOST("/url", "api.example.com")},
    {"{\"url\":\"https://u:p@api.example.com:8080\"}", HOST("/url", "api.example.com:8080")},
    {"{\"q\":\"http://[::1]/\"}", HOST("/q", "[::1]")},
    /* nothing to propose */
    {"{\"q\":\"text\",\"n\":1,\"l\":[\"/x/y\"]}", NULL},
    {"{\"path\":\"/x\"}", NULL},
    {"{\"path\":\"\"}", NULL},
    {"{\"path\":\"../x/y\"}", NULL},
    {"{\"path\":\"/a/../b/c\"}", NULL},
    {"{\"path\":\"/a//b\"}", NULL},
    {"{\"path\":\"~/x\"}", NULL},
    {"{\"path\":\" /a/b\"}", NULL},
    {"{\"path\":\"/a/${HOME}/b\"}", NULL},
    {"{\"path\":\"/a/\\u202eb/c\"}", NULL},
    {"{\"path\":\"/a/\\u001b[2J/c\"}", NULL},
    {"{\"/a\\nb\":\"/a/b\"}", NULL},
    {"{\"url\":\"https://exa mple.com/\"}", NULL},
    {"{\"url\":\"https://a@b@c/\"}", NULL},
    {"{\"url\":\"https://*.example.com/\"}", NULL},
    {"{\"url\":\"file:///etc/passwd\"}", NULL},
    {"[\"/a/b\"]", NULL},
};

TEST(only_clear_paths_and_urls_become_conditions)
{
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        CHECK(make("s:t", places[i].args, "exec"));
        if (!is(CR_GRANT_PLACE, places[i].place))
            (void)fprintf(stderr, "# for %s\n", places[i].args);
        CHECK(is(CR_GRANT_PLACE, places[i].place) && is(CR_GRANT_TOOL, "\"s:t\""));
        cr_grants_clear(&grants);
    }
}

TEST(long_or_unclear_args_are_not_repeated)
{
    static char args[40000];

    CHECK(make("s:t", "{\"n\":9007199254740993}", "exec") && is(CR_GRANT_ARGS, NULL));
    cr_grants_clear(&grants);
    CHECK(make("s:t", "{\"n\":1}", "exec") && grants.json[CR_GRANT_ARGS]);
    cr_grants_clear(&grants);
    CHECK(make("s:t", "{\"n\":\"${A}\"}", "exec") && is(CR_GRANT_ARGS, NULL));
    cr_grants_clear(&grants);
    for (size_t len = 200; len < sizeof(args) - 100; len *= 2) {
        (void)snprintf(args, sizeof(args), "{\"path\":\"/%0*d/x\",\"u\":\"https://a.%0*d/\"}",
                       (int)len, 0, (int)len, 0);
        CHECK(make("s:t", args, "exec") && is(CR_GRANT_ARGS, NULL));
        CHECK(len < 400 || is(CR_GRANT_PLACE, NULL));
        CHECK(is(CR_GRANT_TOOL, "\"s:t\""));
        cr_grants_clear(&grants);
    }
}

TEST(a_tool_that_no_pattern_can_spell_has_no_proposal)
{
    static const char *const names[] = {"s:a b", "s:*", "s:a?", "s:\x1b[2J", "s:a\"b", "s"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        CHECK(make(names[i], "{\"path\":\"/a/b\"}", "exec"));
        for (int kind = 0; kind < CR_GRANT_KINDS; kind++)
            CHECK(!grants.json[kind]);
    }
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
