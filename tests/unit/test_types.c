/* test_types.c - JSON Schemas as types of TypeScript. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "tap.h"
#include "types/declare.h"
#include "types/schema.h"

static struct cr_buf out, declarations;

/* Writes the type of |json|, with "; " and its declarations, on one line. */
static const char *type_of(const char *json)
{
    struct cr_json_doc doc = {0};

    cr_buf_clear(&out);
    cr_buf_clear(&declarations);
    cr_buf_init(&out, 1 << 20);
    cr_buf_init(&declarations, 1 << 20);
    if (cr_json_parse(json, strlen(json), &doc, NULL) < 0)
        return "bad JSON";
    cr_types_schema(&out, &declarations, "T", doc.root, 0);
    cr_json_clear(&doc);
    if (declarations.len)
        cr_buf_str(&out, "; ");
    cr_buf_add(&out, declarations.data, declarations.len);
    for (size_t i = 0; i < out.len; i++)
        if (out.data[i] == '\n')
            out.data[i] = ' ';
    return cr_buf_text(&out);
}

#define OBJECT(more) "{\"type\":\"object\"," more "}"

static const struct {
    const char *schema, *type;
} cases[] = {
    {"true", "unknown"},
    {"{}", "unknown"},
    {"false", "never"},
    {"5", "unknown"},
    {"{\"type\":\"string\"}", "string"},
    {"{\"type\":\"integer\"}", "number"},
    {"{\"type\":\"null\"}", "null"},
    {"{\"type\":\"strang\"}", "unknown"},
    {"{\"type\":[\"string\",\"null\"]}", "string | null"},
    {"{\"type\":\"string\",\"nullable\":true}", "string | null"},
    {"{\"const\":\"a\\\"b\"}", "\"a\\\"b\""},
    {"{\"enum\":[\"a\",1,null,true,{}]}", "\"a\" | 1 | null | true | unknown"},
    {"{\"const\":\"\\u202e\\u2028\\n\"}", "\"\\u202e\\u2028\\n\""},
    {"{\"type\":\"array\"}", "unknown[]"},
    {"{\"items\":{\"type\":\"string\"}}", "string[]"},
    {"{\"items\":{\"enum\":[1,2]}}", "(1 | 2)[]"},
    {"{\"items\":{\"anyOf\":[{\"enum\":[1,2]}]}}", "(1 | 2)[]"},
    {"{\"items\":{\"type\":\"string\",\"nullable\":true}}", "(string | null)[]"},
    {"{\"items\":{\"allOf\":[{\"type\":\"string\"},{\"enum\":[\"a\"]}]}}", "(string & \"a\")[]"},
    {"{\"prefixItems\":[{\"type\":\"string\"},{\"enum\":[1,2]}],\"minItems\":1,\"items\":false}",
     "[string, (1 | 2)?]"},
    {"{\"items\":[{\"type\":\"string\"}]}", "[string?, ...unknown[]]"},
    {"{\"type\":\"object\"}", "Record<string, unknown>"},
    {OBJECT("\"properties\":{}"), "Record<string, never>"},
    {OBJECT("\"additionalProperties\":false"), "Record<string, never>"},
    {OBJECT("\"additionalProperties\":{\"type\":\"string\"}"), "{ [name: string]: string }"},
    {OBJECT("\"properties\":{\"a\":{\"type\":\"string\"},\"b "
            "c\":{}},\"required\":[\"a\",\"z\",\"z\"]"),
     "{   a: string;   \"b c\"?: unknown;   z: unknown; }"},
    {OBJECT("\"properties\":{\"a\":{}},\"additionalProperties\":{\"type\":\"string\"}"),
     "{   a?: unknown;   [name: string]: unknown; }"},
    {OBJECT("\"properties\":{\"a\":{\"description\":\"x */ y\\nz @ts-ignore\"}}"),
     "{   /**    * x *\\/ y    * z @ ts-ignore    */   a?: unknown; }"},
    {"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"number\"}]}", "string | number"},
    {"{\"anyOf\":[{\"type\":\"string\"},{}]}", "unknown"},
    {"{\"type\":\"string\",\"anyOf\":[{\"required\":[\"a\"]}]}", "string"},
    {"{\"enum\":[1,2],\"oneOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}",
     "(1 | 2) & (string | null)"},
    {"{\"allOf\":[{\"type\":\"string\"},{\"not\":{}}]}", "string"},
    {"{\"$ref\":\"#\"}", "unknown"},
    {"{\"$ref\":\"https://x.example/y\"}", "unknown"},
    {"{\"$ref\":\"#/$defs/a~1b%20c\",\"$defs\":{\"a/b c\":{\"type\":\"string\"}}}", "string"},
    {OBJECT("\"properties\":{\"me\":{\"$ref\":\"#\"}}"),
     "{   me?: T_1; }; type T_1 = {   me?: T_1; }; "},
    {"{\"items\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":{\"anyOf\":[{\"$ref\":\"#/$defs/b\"},"
     "{\"type\":\"null\"}]},\"b\":{\"anyOf\":[{\"$ref\":\"#/$defs/a\"},{\"type\":\"string\"}]}}}",
     "T_1[]; type T_1 = unknown | string | null; "},
    {"{\"items\":[{\"items\":{\"$ref\":\"#\"}}]}", "[unknown[]?, ...unknown[]]"},
    {"{\"allOf\":5,\"anyOf\":{},\"oneOf\":[],\"enum\":[],\"required\":\"x\"}", "unknown"},
};

TEST(each_schema_has_its_type)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *got = type_of(cases[i].schema);
        bool same = got && strcmp(got, cases[i].type) == 0;

        if (!same)
            printf("# %s\n#   got %s\n#   not %s\n", cases[i].schema, got ? got : "nothing",
                   cases[i].type);
        CHECK(same);
    }
}

/* Returns the type of a schema whose definitions each refer to the next one |fan| times. */
static size_t length_of_chain(int count, int fan)
{
    struct cr_buf json;
    size_t len;

    cr_buf_init(&json, 1 << 20);
    cr_buf_str(&json, "{\"$ref\":\"#/$defs/0\",\"$defs\":{");
    for (int i = 0; i < count; i++) {
        cr_buf_fmt(&json, "%s\"%d\":{\"anyOf\":[", i ? "," : "", i);
        for (int j = 0; j < fan; j++)
            cr_buf_fmt(&json, "%s{\"$ref\":\"#/$defs/%d\"}", j ? "," : "", i + 1);
        cr_buf_str(&json, "]}");
    }
    cr_buf_fmt(&json, ",\"%d\":{\"type\":\"string\"}}}", count);
    (void)type_of(cr_buf_text(&json));
    len = out.len;
    cr_buf_clear(&json);
    return len;
}

TEST(schemas_that_grow_without_bounds_are_cut)
{
    CHECK(length_of_chain(3, 3) == strlen("string") * 27 + strlen(" | ") * 26);
    CHECK(length_of_chain(30, 3) < 4 * CR_TYPES_MAX_STEPS * strlen(" | unknown"));
    CHECK(length_of_chain(1000, 1) < 100);
}

/* Returns how many tools of a list have the args {a: string}. */
static size_t count_types(size_t tools)
{
    static const char one[] = "    a?: string;";
    struct cr_json_doc doc = {0};
    struct cr_types types;
    struct cr_buf json;
    size_t count = 0;

    cr_buf_init(&json, 16 << 20);
    cr_buf_str(&json, "[");
    for (size_t i = 0; i < tools; i++)
        cr_buf_fmt(&json,
                   "%s{\"name\":\"t-%zu\",\"inputSchema\":{\"properties\":{\"a\":{\"type\":"
                   "\"string\"}}}}",
                   i ? "," : "", i);
    cr_buf_str(&json, "]");
    cr_types_begin(&types, 64 << 20);
    if (cr_json_parse(json.data, json.len, &doc, NULL) == 0)
        cr_types_server(&types, "s", NULL, "", doc.root);
    for (const char *at = cr_types_end(&types); at && (at = strstr(at, one)) != NULL; at++)
        count++;
    cr_types_clear(&types);
    cr_json_clear(&doc);
    cr_buf_clear(&json);
    return count;
}

TEST(the_last_of_many_tools_has_its_types)
{
    CHECK(count_types(10000) == 10000); /* far over the bytes for one tool */
}

/* Returns the length of the type of an object with so many members, all required. */
static size_t length_of_object(size_t members)
{
    struct cr_buf json;
    size_t len;

    cr_buf_init(&json, 64 << 20);
    cr_buf_str(&json, "{\"properties\":{");
    for (size_t i = 0; i < members; i++)
        cr_buf_fmt(&json, "%s\"m%zu\":{}", i ? "," : "", i);
    cr_buf_str(&json, "},\"required\":[");
    for (size_t i = 0; i < members; i++)
        cr_buf_fmt(&json, "%s\"m%zu\"", i ? "," : "", i);
    cr_buf_str(&json, "]}");
    len = type_of(cr_buf_text(&json)) ? out.len : 0;
    cr_buf_clear(&json);
    return len;
}

TEST(a_wide_object_is_cut_and_then_says_that_it_has_more_members)
{
    CHECK(length_of_object(1000) > 15000 && strstr(cr_buf_text(&out), "m999: unknown;"));
    CHECK(!strstr(cr_buf_text(&out), "[name: string]"));
    CHECK(length_of_object(100000) > 100000 && out.len < CR_TYPES_MAX_BYTES + 1000);
    CHECK(strstr(cr_buf_text(&out), "[name: string]: unknown;"));
}

TEST(names_that_code_cannot_call_are_left_out_and_aliases_are_unique)
{
    static const char json[] =
        "[{\"name\":\"then\"},{\"name\":\"raw\"},{\"name\":\"a-b\"},{\"name\":\"a.b\"},{\"name\":"
        "\"c-d\"},{\"name\":"
        "\"__proto__\"},{\"name\":\"e/f\"},{\"name\":\"e_f\"},{\"name\":5},{}]";
    struct cr_json_doc doc = {0};
    struct cr_types types;
    const char *text;

    CHECK(cr_json_parse(json, sizeof(json) - 1, &doc, NULL) == 0);
    cr_types_begin(&types, 1 << 20);
    cr_types_server(&types, "my-s", "my_s", "", doc.root);
    text = cr_types_end(&types);
    CHECK(text && !strstr(text, "then") && !strstr(text, "__proto__"));
    CHECK(text && strstr(text, "    raw: McpTool"));
    CHECK(text && strstr(text, "c_d: Mcp[\"my-s\"][\"c-d\"];") &&
          strstr(text, "my_s: Mcp[\"my-s\"];"));
    CHECK(text && !strstr(text, "a_b") &&
          strstr(text, "\"a-b\": McpToolWithoutArgs<unknown, any>;"));
    CHECK(text && !strstr(text, "e_f: Mcp["));
    cr_types_clear(&types);
    cr_json_clear(&doc);
}

int main(int argc, char **argv)
{
    int status = tap_main(argc, argv);

    cr_buf_clear(&out);
    cr_buf_clear(&declarations);
    return status;
}
