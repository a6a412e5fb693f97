/* test_metadata.c - each field of a capability's metadata: valid values, and errors for others. */
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "registry/metadata.h"

static struct cr_err why;

static int parse(const char *json, struct cr_metadata *ret)
{
    struct cr_buf text;

    cr_buf_init(&text, CR_METADATA_MAX);
    cr_buf_str(&text, json);
    return cr_metadata_parse(&text, "here.json", ret, &why);
}

/* The required fields, and |fields|. */
static int parse_with(const char *fields, struct cr_metadata *ret)
{
    char json[100 << 10];

    (void)snprintf(json, sizeof(json), "{\"fqdn\":\"a.b.c.d.1234\",\"type\":\"js\"%s%s}",
                   fields[0] ? "," : "", fields);
    return parse(json, ret);
}

static bool passes(const char *fields)
{
    struct cr_metadata meta;

    if (parse_with(fields, &meta) < 0)
        return false;
    cr_metadata_clear(&meta);
    return true;
}

/* Is the metadata refused, with |place| and |words| in the message? */
static bool is_refused(const char *fields, const char *place, const char *words)
{
    struct cr_metadata meta;

    if (parse_with(fields, &meta) == 0) {
        cr_metadata_clear(&meta);
        return false;
    }
    if (why.outcome == CAPRUN_OUTCOME_METADATA_INVALID && strstr(why.text, place) &&
        strstr(why.text, words) && strstr(why.text, "'here.json'") && why.hint[0])
        return true;
    printf("# %s\n", why.text);
    return false;
}

TEST(the_least_metadata_is_a_name_and_a_type)
{
    struct cr_metadata meta;

    CHECK(parse_with("", &meta) == 0);
    CHECK(strcmp(meta.fqdn.full, "a.b.c.d.1234") == 0);
    CHECK(meta.type == CR_METADATA_CODE);
    CHECK(!meta.tools && !meta.env && !meta.schema && !meta.code_url && !meta.has_integrity);
    CHECK(meta.published_ms == INT64_MIN);
    cr_metadata_clear(&meta);
    CHECK(parse("{\"type\":\"js\"}", &meta) < 0);
    CHECK(strstr(why.text, "/: \"fqdn\" is missing"));
    CHECK(parse("{\"fqdn\":\"a.b.c.d\"}", &meta) < 0);
    CHECK(strstr(why.text, "\"type\""));
}

TEST(metadata_that_is_not_a_json_object_is_refused)
{
    struct cr_metadata meta;

    CHECK(parse("[]", &meta) < 0 && strstr(why.text, "expected an object, found an array"));
    CHECK(parse("null", &meta) < 0);
    CHECK(parse("", &meta) < 0);
    CHECK(parse("{\"fqdn\":\n oops}", &meta) < 0);
    CHECK(why.outcome == CAPRUN_OUTCOME_METADATA_INVALID && strstr(why.text, "line 2, column 2"));
    CHECK(parse("{\"type\":\"js\",\"type\":\"http\",\"fqdn\":\"a.b.c.d\"}", &meta) < 0);
    CHECK(strstr(why.text, "duplicate key"));
}

/* The field "env" with |count| names, each of |len| characters. */
static const char *env_of(size_t count, size_t len)
{
    static char json[300 * 300];
    char *at = stpcpy(json, "\"env\":[");

    for (size_t i = 0; i < count; i++) {
        *at++ = i ? ',' : ' ';
        *at++ = '"';
        memset(at, 'A', len);
        at = stpcpy(at + len, "\"");
    }
    (void)stpcpy(at, "]");
    return json;
}

TEST(each_field_is_checked_with_its_place)
{
    CHECK(passes("\"codeUrl\":\"x.js\",\"description\":\"\",\"publishedAt\":\"2026-01-01\""));
    CHECK(is_refused("\"codeUrl\":1", "/codeUrl:", "expected a string, found a number"));
    CHECK(is_refused("\"codeUrl\":\"\"", "/codeUrl:", "a string that is not empty"));
    CHECK(is_refused("\"description\":[]", "/description:", "a string"));
    CHECK(is_refused("\"publishedAt\":\"yesterday\"", "/publishedAt:", "found \"yesterday\""));
    CHECK(passes("\"tools\":[]"));
    CHECK(passes("\"tools\":[\"files:read\",\"a-b:c.d/e\"]"));
    CHECK(is_refused("\"tools\":\"files:read\"", "/tools:", "an array"));
    CHECK(is_refused("\"tools\":[\"files:read\",\"files\"]", "/tools/1:", "namespace:action"));
    CHECK(is_refused("\"tools\":[\"files:*\"]", "/tools/0:", "\"files:*\""));
    CHECK(is_refused("\"tools\":[null]", "/tools/0:", "found null"));
    CHECK(passes("\"routing\":\"client\""));
    CHECK(passes("\"routing\":\"local\""));
    CHECK(is_refused("\"routing\":\"moon\"", "/routing:", "\"moon\""));
    CHECK(passes("\"env\":[\"LANG\",\"_x1\"]"));
    CHECK(is_refused("\"env\":[\"A=B\"]", "/env/0:", "variable"));
    CHECK(is_refused("\"env\":[\"1A\"]", "/env/0:", "variable"));
    CHECK(is_refused("\"env\":{}", "/env:", "an array"));
    CHECK(passes(env_of(256, 256)));
    CHECK(is_refused(env_of(257, 1), "/env:", "256 of them at most"));
    CHECK(is_refused(env_of(2, 257), "/env/0:", "256 characters at most"));
    CHECK(passes("\"parametersSchema\":{}"));
    CHECK(passes("\"parametersSchema\":false"));
    CHECK(is_refused("\"parametersSchema\":\"{}\"", "/parametersSchema:", "JSON Schema"));
    CHECK(passes("\"whatever\":{\"else\":1}"));
}

/* The field "mcpDeps" with |count| servers. */
static const char *deps_of(size_t count)
{
    static char json[8192];
    char *at = stpcpy(json, "\"mcpDeps\":[");

    for (size_t i = 0; i < count; i++)
        at = stpcpy(at, i ? ",{\"name\":\"a\"}" : "{\"name\":\"a\"}");
    (void)stpcpy(at, "]");
    return json;
}

/* One server that needs |count| variables. */
static const char *variables_of(size_t count)
{
    static char json[8192];
    char *at = stpcpy(json, "\"mcpDeps\":[{\"name\":\"a\",\"envRequired\":[");

    for (size_t i = 0; i < count; i++)
        at = stpcpy(at, i ? ",\"A\"" : "\"A\"");
    (void)stpcpy(at, "]}]");
    return json;
}

TEST(dependencies_are_checked_and_kept)
{
    CHECK(passes(deps_of(64)));
    CHECK(is_refused(deps_of(65), "/mcpDeps:", "64 servers at most"));
    CHECK(is_refused(variables_of(257), "/mcpDeps/0/envRequired:", "256 of them at most"));
    CHECK(passes("\"mcpDeps\":[]"));
    CHECK(passes("\"mcpDeps\":[{\"name\":\"fs\",\"type\":\"stdio\",\"command\":\"npx\",\"args\":["
                 "\"-y\"],\"env\":{\"A\":\"${B}\"},\"envRequired\":[\"B\"],\"version\":\"1\"}]"));
    CHECK(passes("\"mcpDeps\":[{\"name\":\"web\",\"type\":\"http\",\"httpUrl\":\"https://x\","
                 "\"httpHeaders\":{\"k\":\"v\"}}]"));
    CHECK(is_refused("\"mcpDeps\":[{}]", "/mcpDeps/0:", "\"name\""));
    CHECK(is_refused("\"mcpDeps\":[{\"name\":\"a b\"}]", "/mcpDeps/0/name:", "\"a b\""));
    CHECK(is_refused("\"mcpDeps\":[{\"name\":\"a\",\"args\":[1]}]",
                     "/mcpDeps/0/args/0:", "a string"));
    CHECK(is_refused("\"mcpDeps\":[{\"name\":\"a\",\"env\":{\"X/Y\":1}}]",
                     "/mcpDeps/0/env/X~1Y:", "a string"));
    CHECK(is_refused("\"mcpDeps\":{\"name\":\"a\"}", "/mcpDeps:", "an array"));
    CHECK(passes("\"install\":{\"command\":\"npx\",\"args\":[],\"envRequired\":[]}"));
    CHECK(is_refused("\"install\":{}", "/install:", "\"command\""));
    CHECK(is_refused("\"install\":\"npx\"", "/install:", "an object"));
}

TEST(integrity_is_base64_or_hexadecimal)
{
    static const uint8_t empty[] = {0xe3, 0xb0, 0xc4, 0x42};
    struct cr_metadata meta;

    CHECK(parse_with("\"integrity\":\"sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\"",
                     &meta) == 0);
    CHECK(meta.has_integrity && memcmp(meta.integrity, empty, sizeof(empty)) == 0);
    cr_metadata_clear(&meta);
    CHECK(parse_with("\"integrity\":\"sha256-"
                     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
                     &meta) == 0);
    CHECK(meta.has_integrity && memcmp(meta.integrity, empty, sizeof(empty)) == 0);
    cr_metadata_clear(&meta);
    CHECK(is_refused("\"integrity\":\"\"", "/integrity:", "sha256-"));
    CHECK(is_refused("\"integrity\":\"sha512-47DE\"", "/integrity:", "sha256-"));
    CHECK(is_refused("\"integrity\":\"sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU\"",
                     "/integrity:", "sha256-"));
    CHECK(is_refused("\"integrity\":\"sha256-"
                     "x3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
                     "/integrity:", "sha256-"));
    CHECK(is_refused("\"integrity\":\"sha256-"
                     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b8 5\"",
                     "/integrity:", "sha256-"));
}

static bool is_same(const char *a, const char *b)
{
    struct cr_metadata x, y;
    struct cr_buf p, q;
    bool same;

    if (parse_with(a, &x) < 0 || parse_with(b, &y) < 0)
        abort();
    cr_buf_init(&p, 4096);
    cr_buf_init(&q, 4096);
    cr_metadata_essence(&x, &p);
    cr_metadata_essence(&y, &q);
    same = p.len == q.len && memcmp(p.data, q.data, p.len) == 0;
    cr_buf_clear(&p);
    cr_buf_clear(&q);
    cr_metadata_clear(&x);
    cr_metadata_clear(&y);
    return same;
}

TEST(only_changes_of_schema_and_permissions_count)
{
    CHECK(is_same("\"tools\":[\"a:b\"],\"env\":[\"A\"]",
                  "\"env\" : [ \"\\u0041\" ], \"tools\":[\"a:b\"]"));
    CHECK(is_same("\"parametersSchema\":{\"a\":1,\"b\":2}",
                  "\"parametersSchema\":{\"b\":2,\"a\":1}"));
    CHECK(is_same("\"description\":\"x\"", "\"description\":\"y\",\"publishedAt\":\"2026-01-01\""));
    CHECK(is_same("", "\"codeUrl\":\"elsewhere.js\",\"unknown\":1"));
    CHECK(!is_same("", "\"tools\":[]"));
    CHECK(!is_same("\"tools\":[\"a:b\"]", "\"tools\":[\"a:b\",\"a:c\"]"));
    CHECK(!is_same("\"parametersSchema\":{\"a\":1}", "\"parametersSchema\":{\"a\":1.0}"));
    CHECK(!is_same("\"env\":[\"A\"]", "\"env\":[\"B\"]"));
    CHECK(!is_same("\"routing\":\"client\"", "\"routing\":\"server\""));
    CHECK(!is_same("\"mcpDeps\":[{\"name\":\"a\",\"command\":\"x\"}]",
                   "\"mcpDeps\":[{\"name\":\"a\",\"command\":\"y\"}]"));
    CHECK(!is_same("\"install\":{\"command\":\"x\"}", "\"install\":{\"command\":\"y\"}"));
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
