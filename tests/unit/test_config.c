/*
 * test_config.c - reading .caprun.json: every key, valid and invalid, and the place of an error.
 *
 * Each text is written to a file in a new folder. The owner and mode of the file, and how it is
 * found, are tested in tests/integration/config.t.
 */
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config.h"
#include "config/text.h"
#include "failing.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char folder[] = "/tmp/caprun-test-config-XXXXXX", path[64];
static struct cr_err why;

static bool write_file(const char *text, size_t len)
{
    FILE *file = fopen(path, "w");
    bool written = file && fwrite(text, 1, len, file) == len;

    return file && fclose(file) == 0 && written && chmod(path, 0600) == 0;
}

static int load(const char *text, struct cr_config *ret)
{
    memset(&why, 0, sizeof(why));
    if (!write_file(text, strlen(text)))
        return 1;
    return cr_config_load(path, ret, &why);
}

static bool accepts(const char *text)
{
    struct cr_config config;

    if (load(text, &config) != 0) {
        printf("# %s\n# %s\n", text, why.text);
        return false;
    }
    cr_config_clear(&config);
    return true;
}

/* |words|: "LINE:COLUMN: what", after the path. */
static bool grants(const struct cr_config *c, const char *name, const char *variable)
{
    char *const *list = cr_config_granted(c, name);

    while (list && *list && strcmp(*list, variable) != 0)
        list++;
    return list && *list;
}

static bool refuses(const char *text, const char *words)
{
    size_t len = strlen(path);
    struct cr_config config;

    if (load(text, &config) == 0) {
        printf("# accepted: %s\n", text);
        cr_config_clear(&config);
        return false;
    }
    if (why.outcome == CAPRUN_OUTCOME_CONFIG_ERROR && strncmp(why.text, path, len) == 0 &&
        why.text[len] == ':' && strcmp(why.text + len + 1, words) == 0)
        return true;
    printf("# %s\n# got    %s\n# wanted %s:%s\n", text, why.text, path, words);
    return false;
}

/* --- a whole file ------------------------------------------------------------------------- */

static const char full[] =
    "{\n"
    "  \"$schema\": \"caprun.schema.json\",\n"
    "  \"registries\": [\"./registry\", \"/abs\", \".\", \"https://registry.example/mcp\"],\n"
    "  \"mcpServers\": {\n"
    "    \"filesystem\": {\"command\": \"npx\", \"args\": [\"-y\", \".\"], \"env\": {\"TOKEN\": "
    "\"${CAPRUN_TEST}\"},\n"
    "      \"cwd\": \".\", \"era\": \"auto\", \"maxConcurrent\": 16, \"idempotent\": "
    "[\"read_*\"]},\n"
    "    \"own-server\": {\"command\": \"./bin/server\", \"args\": [\"--key=${CAPRUN_TEST}\", "
    "\"./x\"],\n"
    "      \"env\": {\"A\": \"\", \"B\": \"a=b ${CAPRUN_TEST}\"}, \"cwd\": "
    "\"data-${CAPRUN_TEST}\", "
    "\"era\": \"legacy\"},\n"
    "    \"search\": {\"url\": \"https://tools.example/${CAPRUN_TEST}\", \"headers\": "
    "{\"x-api-key\": "
    "\"${CAPRUN_TEST}\"}, \"era\": \"modern\"}\n"
    "  },\n"
    "  \"routing\": {\"server\": [\"billing:*\"], \"cloud\": {\"url\": \"https://c.example\", "
    "\"headers\": {}}},\n"
    "  \"permissions\": {\n"
    "    \"allow\": [\"filesystem:read_*\"], \"ask\": [\"*\"], \"deny\": [\"shell:*\", "
    "\"${CAPRUN_TEST}:x\"],\n"
    "    \"rules\": []\n"
    "  },\n"
    "  \"onDenied\": \"stop\",\n"
    "  \"env\": {\"acme.tools.report.weekly\": [\"REPORT_LANG\", \"TZ\"]},\n"
    "  \"limits\": {\"timeoutMs\": 1, \"cpuMs\": 2, \"rpcTimeoutMs\": 3, \"memoryMB\": 4,\n"
    "    \"resultBytes\": 5, \"logBytes\": 6, \"maxCalls\": 7, \"maxConcurrentCalls\": 8, "
    "\"maxDepth\": 8},\n"
    "  \"pool\": {\"warm\": 9, \"maxWorkers\": 10, \"maxMemoryMB\": 11},\n"
    "  \"sandbox\": {\"requireAllLayers\": true, \"freshProgram\": true, \"uidBase\": 70000},\n"
    "  \"record\": \"all\",\n"
    "  \"audit\": \"./.caprun/audit.jsonl\"\n"
    "}\n";

TEST(every_key_is_read_into_its_field)
{
    struct cr_config c;
    char place[128];

    CHECK(load(full, &c) == 0);
    CHECK(strcmp(c.path, path) == 0 && strcmp(c.dir, folder) == 0);
    CHECK(c.limits.timeout_ms == 1 && c.limits.cpu_ms == 2 && c.limits.rpc_timeout_ms == 3);
    CHECK(c.limits.memory_mb == 4 && c.limits.result_bytes == 5 && c.limits.log_bytes == 6);
    CHECK(c.limits.max_calls == 7 && c.limits.max_concurrent_calls == 8 && c.limits.max_depth == 8);
    CHECK(c.warm == 9 && c.max_workers == 10 && c.max_memory_mb == 11 && c.uid_base == 70000);
    CHECK(c.require_all_layers && c.fresh_program && c.stop_when_denied);
    CHECK(c.registry_count == 4);
    (void)snprintf(place, sizeof(place), "%s/registry", folder);
    CHECK(strcmp(c.registries[0], place) == 0 && strcmp(c.registries[1], "/abs") == 0);
    CHECK(strcmp(c.registries[2], folder) == 0);
    CHECK(strcmp(c.registries[3], "https://registry.example/mcp") == 0);
    CHECK(grants(&c, "acme.tools.report.weekly", "TZ"));
    CHECK(!grants(&c, "acme.tools.report.weekly", "PATH"));
    CHECK(!grants(&c, "acme.tools.report.daily", "TZ"));
    cr_config_clear(&c);
}

/* Does |list| have exactly the |count| texts of |wanted|? */
static bool is_list(char *const *list, const char *const *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!list[i] || strcmp(list[i], wanted[i]) != 0)
            return false;
    return !list[count];
}

#define IS_LIST(list, ...) \
    is_list((list), (const char *const[]){__VA_ARGS__}, COUNT(((const char *const[]){__VA_ARGS__})))

/* Is |path| |name| in the folder of the file? */
static bool is_in_folder(const char *place, const char *name)
{
    size_t len = strlen(folder);

    return strncmp(place, folder, len) == 0 && place[len] == '/' &&
           strcmp(place + len + 1, name) == 0;
}

TEST(servers_are_read_expanded_and_in_their_order)
{
    const struct cr_config_server *s;
    struct cr_config c;

    CHECK(load(full, &c) == 0);
    CHECK(c.server_count == 3);
    s = &c.servers[0];
    CHECK(strcmp(s->name, "filesystem") == 0 && !s->url && s->era == CR_CONFIG_ERA_AUTO);
    CHECK(IS_LIST(s->argv, "npx", "-y", ".") && IS_LIST(s->env, "TOKEN=value"));
    CHECK(strcmp(s->cwd, folder) == 0 && s->max_concurrent == 16);
    s = &c.servers[1];
    CHECK(strcmp(s->name, "own-server") == 0 && !s->url && s->era == CR_CONFIG_ERA_LEGACY);
    CHECK(is_in_folder(s->argv[0], "bin/server") && IS_LIST(s->argv + 1, "--key=value", "./x"));
    CHECK(IS_LIST(s->env, "A=", "B=a=b value"));
    CHECK(is_in_folder(s->cwd, "data-value") && s->max_concurrent == 64);
    s = &c.servers[2];
    CHECK(strcmp(s->name, "search") == 0 && s->era == CR_CONFIG_ERA_MODERN);
    CHECK(strcmp(s->url, "https://tools.example/value") == 0);
    CHECK(!s->argv && !s->env && !s->cwd);
    cr_config_clear(&c);
    CHECK(!c.servers && !c.server_count && !c.allow);
}

/* Reads a file whose only server is |server|. Checks its command and its directory. */
static bool starts(const char *server, const char *command, bool command_in_folder, const char *cwd)
{
    struct cr_config c;
    char text[500];
    bool right;

    (void)snprintf(text, sizeof(text), "{\"mcpServers\": {\"a\": %s}}", server);
    if (load(text, &c) != 0)
        return false;
    right = command_in_folder ? is_in_folder(c.servers[0].argv[0], command)
                              : strcmp(c.servers[0].argv[0], command) == 0;
    right = right && !c.servers[0].argv[1] && !c.servers[0].env[0] &&
            (*cwd ? strcmp(c.servers[0].cwd, cwd) == 0 : strcmp(c.servers[0].cwd, folder) == 0);
    cr_config_clear(&c);
    return right;
}

TEST(a_command_with_a_slash_is_a_path_and_one_without_is_a_name)
{
    CHECK(starts("{\"command\": \"npx\"}", "npx", false, ""));
    CHECK(starts("{\"command\": \"bin/x\"}", "bin/x", true, ""));
    CHECK(starts("{\"command\": \"./x\"}", "x", true, ""));
    CHECK(starts("{\"command\": \"../x\"}", "../x", true, ""));
    CHECK(starts("{\"command\": \"/bin/x\", \"cwd\": \"/tmp\"}", "/bin/x", false, "/tmp"));
    CHECK(starts("{\"command\": \"~/x\"}", "~/x", true, ""));
    CHECK(starts("{\"command\": \"~\", \"args\": [], \"env\": {}}", "~", false, ""));
    CHECK(starts("{\"command\": \"a://b\", \"cwd\": \".\"}", "a://b", true, ""));
    CHECK(starts("{\"command\": \"${CAPRUN_TEST}\"}", "value", false, ""));
    CHECK(starts("{\"command\": \"${CAPRUN_TEST}/x\"}", "value/x", true, ""));
    CHECK(starts("{\"command\": \"${CAPRUN_TEST_REFERENCE}\"}", "${CAPRUN_TEST}", false, ""));
}

TEST(patterns_are_read_expanded_and_in_their_order)
{
    struct cr_config c;

    CHECK(load(full, &c) == 0);
    CHECK(IS_LIST(c.allow, "filesystem:read_*") && IS_LIST(c.ask, "*"));
    CHECK(IS_LIST(c.deny, "shell:*", "value:x"));
    cr_config_clear(&c);
    CHECK(load("{\"permissions\": {\"deny\": []}}", &c) == 0);
    CHECK(!c.allow[0] && !c.ask[0] && !c.deny[0] && !c.servers);
    cr_config_clear(&c);
}

TEST(an_empty_object_says_nothing)
{
    struct cr_config c;

    CHECK(load("{}", &c) == 0);
    CHECK(!c.servers && !c.server_count);
    CHECK(!c.registry_count && !c.limits.timeout_ms && !c.stop_when_denied && !c.fresh_program);
    CHECK(!grants(&c, "a.b.c.d", "TZ"));
    cr_config_clear(&c);
    cr_config_clear(&c);
    CHECK(accepts(" {\"limits\": {}, \"pool\": {}, \"sandbox\": {}, \"permissions\": {}, "
                  "\"routing\": {}, \"env\": {}, \"mcpServers\": {}, \"registries\": []}\r\n"));
}

/* --- what is refused ---------------------------------------------------------------------- */

static const char *const bad[][2] = {
    /* JSON */
    {"", "1:1: the text ends where a value should be"},
    {"{\n  \"limits\": {}\n  \"pool\": {}\n}", "3:3: expected ',' or '}', not '\"'"},
    {"{\"record\": \"all\", \"record\": \"all\"}", "1:19: duplicate key \"record\""},
    {"{\"limits\": {\"maxCalls\": 01}}", "1:26: expected ',' or '}', not '1'"},
    /* keys and types */
    {"[]", "1:1: the configuration has to be an object, not an array"},
    {"{\n    \"permisions\": {}}",
     "2:5: unknown key \"permisions\"; did you mean \"permissions\"?"},
    {"{\"Limits\": {}}", "1:2: unknown key \"Limits\"; did you mean \"limits\"?"},
    {"{\"pool\": {\"x\": 1}}",
     "1:11: unknown key \"x\"; the keys here are \"warm\", \"maxWorkers\", \"maxMemoryMB\""},
    {"{\"limits\": {\"timeoutMs\": \"1s\"}}",
     "1:26: \"timeoutMs\" has to be a whole number from 0 to 2073600000, not a string"},
    {"{\"limits\": []}", "1:12: \"limits\" has to be an object, not an array"},
    {"{\"registries\": \"x\"}", "1:16: \"registries\" has to be an array, not a string"},
    {"{\"registries\": [1]}",
     "1:17: each of \"registries\" has to be a string or an object, not 1"},
    {"{\"onDenied\": null}", "1:14: \"onDenied\" has to be a string, not null"},
    {"{\"sandbox\": {\"freshProgram\": 1}}",
     "1:30: \"freshProgram\" has to be true or false, not 1"},
    /* numbers */
    {"{\"limits\": {\"timeoutMs\": 2073600001}}",
     "1:26: \"timeoutMs\" has to be a whole number from 0 to 2073600000, not 2073600001"},
    {"{\"limits\": {\"cpuMs\": -1}}",
     "1:22: \"cpuMs\" has to be a whole number from 0 to 2073600000, not -1"},
    {"{\"limits\": {\"rpcTimeoutMs\": 1.5}}",
     "1:29: \"rpcTimeoutMs\" has to be a whole number from 0 to 2073600000, not 1.5"},
    {"{\"limits\": {\"memoryMB\": 1e3}}",
     "1:25: \"memoryMB\" has to be a whole number from 0 to 16384, not 1e3"},
    {"{\"limits\": {\"memoryMB\": 16385}}",
     "1:25: \"memoryMB\" has to be a whole number from 0 to 16384, not 16385"},
    {"{\"limits\": {\"resultBytes\": 67108865}}",
     "1:28: \"resultBytes\" has to be a whole number from 0 to 67108864, not 67108865"},
    {"{\"limits\": {\"logBytes\": 16777217}}",
     "1:25: \"logBytes\" has to be a whole number from 0 to 16777216, not 16777217"},
    {"{\"limits\": {\"maxCalls\": 1000001}}",
     "1:25: \"maxCalls\" has to be a whole number from 0 to 100000, not 1000001"},
    {"{\"limits\": {\"maxConcurrentCalls\": 4097}}",
     "1:35: \"maxConcurrentCalls\" has to be a whole number from 0 to 1024, not 4097"},
    {"{\"limits\": {\"maxDepth\": 9}}",
     "1:25: \"maxDepth\" has to be a whole number from 0 to 8, not 9"},
    {"{\"pool\": {\"warm\": 4097}}",
     "1:19: \"warm\" has to be a whole number from 0 to 4096, not 4097"},
    {"{\"pool\": {\"maxWorkers\": 99999999999999999999999}}",
     "1:25: \"maxWorkers\" has to be a whole number from 0 to 4096, not 99999999999999999999999"},
    {"{\"pool\": {\"maxMemoryMB\": 67108865}}",
     "1:26: \"maxMemoryMB\" has to be a whole number from 0 to 67108864, not 67108865"},
    {"{\"sandbox\": {\"uidBase\": 4294967295}}",
     "1:25: \"uidBase\" has to be 0 or a whole number from 65536 to 4294901758, not 4294967295"},
    /* words */
    {"{\"onDenied\": \"halt\"}",
     "1:14: \"onDenied\" has to be \"continue\" or \"stop\", not \"halt\""},
    {"{\"record\": \"\"}", "1:12: \"record\" has to be \"all\", \"failed\" or \"none\", not \"\""},
    {"{\"audit\": \"\"}", "1:11: \"audit\" has to be a text that is not empty, not \"\""},
    /* registries */
    {"{\"registries\": [\"\"]}",
     "1:17: each of \"registries\" has to be a directory, or a URL that begins with http:// or "
     "https://, without a user or a query"},
    {"{\"registries\": [\"a\", \"ftp://x\"]}",
     "1:22: each of \"registries\" has to be a directory, or a URL that begins with http:// or "
     "https://, without a user or a query"},
    {"{\"registries\": [\"https:///x\"]}",
     "1:17: each of \"registries\" has to be a directory, or a URL that begins with http:// or "
     "https://, without a user or a query"},
    /* servers */
    {"{\"mcpServers\": {\"a b\": {\"command\": \"x\"}}}",
     "1:17: a key of \"mcpServers\" has to be 1 to 64 letters, digits, _ and -, not \"a b\""},
    {"{\"mcpServers\": {\"a\": {}}}", "1:22: \"a\" needs either \"command\" or \"url\""},
    {"{\"mcpServers\": {\"a\": {\"args\": [], \"comand\": \"x\"}}}",
     "1:22: \"a\" needs either \"command\" or \"url\"; is \"comand\" meant to be \"command\"?"},
    {"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"url\": \"https://x\"}}}",
     "1:22: \"a\" needs either \"command\" or \"url\", and has both"},
    {"{\"mcpServers\": {\"a\": {\"command\": \"\"}}}",
     "1:34: \"command\" has to be a text that is not empty, not \"\""},
    {"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": [\"a\", 2]}}}",
     "1:53: each of \"args\" has to be a string, not 2"},
    {"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"env\": {\"A\": 1}}}}",
     "1:52: \"A\" has to be a string, not 1"},
    {"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"env\": {\"A=B\": \"\"}}}}",
     "1:47: a key of \"env\" has to be the name of a variable, without \"=\", not \"A=B\""},
    {"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"era\": \"old\"}}}",
     "1:46: \"era\" has to be \"auto\", \"modern\" or \"legacy\", not \"old\""},
    {"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"maxConcurrent\": 0}}}",
     "1:56: \"maxConcurrent\" has to be a whole number from 1 to 1024, not 0"},
    {"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"idempotent\": [\"a b\"]}}}",
     "1:54: each of \"idempotent\" has to be a pattern of letters, digits, _ - . / * and ?, like "
     "\"read_*\", not \"a b\""},
    {"{\"mcpServers\": {\"a\": {\"url\": \"tools.example\"}}}",
     "1:30: \"url\" has to be a URL that begins with http:// or https://, "
     "without a user, a password or a fragment"},
    {"{\"mcpServers\": {\"a\": {\"url\": \"https://x y\"}}}",
     "1:30: \"url\" has to be a URL that begins with http:// or https://, "
     "without a user, a password or a fragment"},
    {"{\"mcpServers\": {\"a\": {\"url\": \"https://x\", \"headers\": {\"a b\": \"\"}}}}",
     "1:55: a key of \"headers\" has to be the name of an HTTP header, and not one that "
     "caprun sets itself, not \"a b\""},
    {"{\"mcpServers\": {\"a\": {\"url\": \"https://x\", \"headers\": {\"Mcp-Method\": \"x\"}}}}",
     "1:55: a key of \"headers\" has to be the name of an HTTP header, and not one that "
     "caprun sets itself, not \"Mcp-Method\""},
    {"{\"mcpServers\": {\"a\": {\"url\": \"https://u:secret@x\"}}}",
     "1:30: \"url\" has to be a URL that begins with http:// or https://, without a user, a "
     "password or a fragment"},
    {"{\"mcpServers\": {\"a\": {\"url\": \"https://x\", \"tls\": {}}}}",
     "1:50: \"tls\" needs \"caFile\""},
    {"{\"mcpServers\": {\"a\": {\"url\": \"https://x\", \"proxy\": \"socks5://x\"}}}",
     "1:52: \"proxy\" has to be a URL that begins with http:// or https://, without a user, a "
     "password or a fragment"},
    {"{\"mcpServers\": {\"a\": {\"url\": \"https://x\", \"headers\": {\"a\": \"b\\r\\nc: d\"}}}}",
     "1:60: \"a\" has to be a text on one line, without controls"},
    {"{\"mcpServers\": {\"my-files\": {\"command\": \"x\"}, \"b\": {\"url\": \"https://x\"},\n"
     "  \"my_files\": {\"command\": \"y\"}}}",
     "2:3: \"my-files\" and \"my_files\" are the same name in code, which may write \"_\" for "
     "\"-\"; rename one of them"},
    {"{\"mcpServers\": {\"_\": {\"command\": \"x\"}, \"-\": {\"command\": \"y\"}}}",
     "1:40: \"_\" and \"-\" are the same name in code, which may write \"_\" for \"-\"; "
     "rename one of them"},
    {"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"env\": {\"\": \"\"}}}}",
     "1:47: a key of \"env\" has to be the name of a variable, without \"=\", not \"\""},
    /* routing */
    {"{\"routing\": {\"server\": [\"billing:\"]}}",
     "1:25: each of \"server\" has to be a pattern like \"ns:action\", \"ns:read_*\", \"ns\" or "
     "\"*\", not \"billing:\""},
    {"{\"routing\": {\"cloud\": {\"headers\": {}}}}", "1:23: \"cloud\" needs \"url\""},
    {"{\"routing\": {\"client\": []}}",
     "1:14: unknown key \"client\"; the keys here are \"server\", \"cloud\""},
    /* permissions */
    {"{\"permissions\": {\"deny\": [\"fs read\"]}}",
     "1:27: each of \"deny\" has to be a pattern like \"ns:action\", \"ns:read_*\", \"ns\" or "
     "\"*\", not \"fs read\""},
    {"{\"permissions\": {\"dney\": []}}", "1:18: unknown key \"dney\"; did you mean \"deny\"?"},
    {"{\"permissions\": {\"rules\": [{\"then\": \"allow\"}]}}",
     "1:28: each of \"rules\" needs \"tool\""},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\"}]}}",
     "1:28: each of \"rules\" needs \"then\""},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"then\": \"Allow\"}]}}",
     "1:50: \"then\" has to be \"allow\", \"ask\" or \"deny\", not \"Allow\""},
    {"{\"permissions\": {\"rules\": [\n{\"id\": \"a\", \"tool\": \"*\", \"then\": \"ask\"},\n"
     "{\"id\": \"a\", \"tool\": \"*\", \"then\": \"deny\"}]}}",
     "3:8: another has the \"id\" \"a\" already"},
    {"{\"permissions\": {\"rules\": [{\"id\": \"a b\", \"tool\": \"*\", \"then\": \"ask\"}]}}",
     "1:35: \"id\" has to be 1 to 64 letters, digits, _ - and ., not \"a b\""},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"then\": \"ask\", \"maxCalls\": 0}]}}",
     "1:69: \"maxCalls\" has to be a whole number from 1 to 100000, not 0"},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"then\": \"ask\", \"rate\": \"10/min\"}]}}",
     "1:65: \"rate\" has to be an object, not a string"},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"then\": \"ask\", \"rate\": {\"calls\": "
     "1}}]}}",
     "1:65: \"rate\" needs \"perMs\""},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"then\": \"ask\", \"when\": {}}]}}",
     "1:65: \"when\" is empty, so it could never match"},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"then\": \"ask\", \"when\": {\"path\": "
     "{\"absent\": true}}}]}}",
     "1:66: a key of \"when\" has to be a JSON pointer like \"/path\", with ~ and / in a key "
     "written as ~0 and ~1, not \"path\""},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"then\": \"ask\", \"when\": {\"/a~2\": "
     "{\"absent\": true}}}]}}",
     "1:66: a key of \"when\" has to be a JSON pointer like \"/path\", with ~ and / in a key "
     "written as ~0 and ~1, not \"/a~2\""},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"then\": \"ask\", \"when\": {\"/a\": "
     "{}}}]}}",
     "1:72: \"/a\" is empty, so it could never match"},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"then\": \"ask\", \"when\": {\"/a\": "
     "{\"equal\": 1}}}]}}",
     "1:73: unknown key \"equal\"; did you mean \"equals\"?"},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"then\": \"ask\", \"when\": {\"/a\": "
     "{\"in\": []}}}]}}",
     "1:79: \"in\" is empty, so it could never match"},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"then\": \"ask\", \"when\": {\"/a\": "
     "{\"min\": \"1\"}}}]}}",
     "1:80: \"min\" has to be a number, not a string"},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"then\": \"ask\", \"when\": {\"/a\": "
     "{\"absent\": 1}}}]}}",
     "1:83: \"absent\" has to be true or false, not 1"},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"then\": \"ask\", \"when\": {\"/a\": "
     "{\"under\": \"\"}}}]}}",
     "1:82: \"under\" has to be a text that is not empty, not \"\""},
    /* env */
    {"{\"env\": {\"a.b.c\": []}}", "1:10: a key of \"env\" has to be a name of four parts, "
                                   "org.project.namespace.action, not \"a.b.c\""},
    {"{\"env\": {\"a.b.c.d.1234\": []}}",
     "1:10: a key of \"env\" has to be a name of four parts, org.project.namespace.action, not "
     "\"a.b.c.d.1234\""},
    {"{\"env\": {\"a.b.c.d\": [\"A-B\"]}}",
     "1:22: each of \"a.b.c.d\" has to be the name of a variable, of letters, digits and _, like "
     "\"REPORT_LANG\", not \"A-B\""},
    /* ${NAME} */
    {"{\"audit\":\n\"${CAPRUN_TEST_UNSET}\"}", "2:1: \"${CAPRUN_TEST_UNSET}\": the environment has "
                                               "no variable \"CAPRUN_TEST_UNSET\""},
    {"{\"audit\": \"a${CAPRUN_TEST\"}", "1:11: \"${CAPRUN_TEST\": a \"${\" without a \"}\""},
    {"{\"audit\": \"${}\"}", "1:11: \"${}\": this is not the name of a variable"},
    {"{\"audit\": \"${env:X}\"}", "1:11: \"${env:X}\": this is not the name of a variable"},
    {"{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"then\": \"ask\", \"when\": {\"/a\": "
     "{\"equals\": [{\"b\": [\"${CAPRUN_TEST_UNSET}\"]}]}}}]}}",
     "1:91: \"${CAPRUN_TEST_UNSET}\": the environment has no variable \"CAPRUN_TEST_UNSET\""},
};

TEST(what_is_wrong_is_said_with_its_line_and_column)
{
    bool all = true;

    for (size_t i = 0; i < COUNT(bad); i++)
        all = refuses(bad[i][0], bad[i][1]) && all;
    CHECK(all);
}

TEST(what_is_within_the_ranges_is_accepted)
{
    static const char *const good[] = {
        "{\"limits\": {\"timeoutMs\": 2073600000, \"memoryMB\": 16384, \"resultBytes\": 67108864}}",
        "{\"limits\": {\"logBytes\": 16777216, \"maxCalls\": 100000, \"maxConcurrentCalls\": "
        "1024}}",
        "{\"pool\": {\"warm\": 4096, \"maxWorkers\": 4096, \"maxMemoryMB\": 67108864}}",
        "{\"sandbox\": {\"uidBase\": 4294901758}}",
        "{\"onDenied\": \"continue\", \"record\": \"failed\"}",
        "{\"record\": \"none\"}",
        "{\"registries\": [\"http://127.0.0.1:80/\", \"https://[::1]/x\", \"..\", \"a:b\"]}",
        "{\"mcpServers\": {\"a-B_9\": {\"command\": \"x\", \"env\": {\"a b\": \"\"}, \"era\": "
        "\"modern\"}}}",
        "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"era\": \"legacy\", \"maxConcurrent\": "
        "1}}}",
        "{\"permissions\": {\"allow\": [\"*\", \"ns\", \"ns:*\", \"*:read_*\", \"n?:a.b/c-d\"]}}",
        "{\"permissions\": {\"rules\": []}}",
        "{\"mcpServers\": {\"a-b\": {\"command\": \"x\"}, \"a-c\": {\"command\": \"x\"}, \"a\": "
        "{\"command\": \"x\"}, \"a-\": {\"command\": \"x\"}, \"A-B\": {\"command\": \"x\"}}}",
        "{\"env\": {\"_a.b-c.D9.e\": []}}",
        "{\"audit\": \"a $ b $NAME $$ {x} }\"}",
    };
    bool all = true;

    for (size_t i = 0; i < COUNT(good); i++)
        all = accepts(good[i]) && all;
    CHECK(all);
}

TEST(rules_are_taken_with_their_texts_expanded)
{
    struct cr_config c;

    CHECK(setenv("OUT", "o\"ut", 1) == 0);
    CHECK(load("{\"permissions\": {\"rules\": ["
               "{\"id\": \"own\", \"for\": \"acme.tools.a.b\", \"tool\": \"fs:write\", \"then\": "
               "\"allow\", \"when\": {\"/p\": {\"under\": \"./${OUT}\"}, \"/n~1${X}\": {\"in\": "
               "[1.50, \"a\", null, {\"k\": []}]}}, \"maxCalls\": 20},"
               "{\"for\": \"exec\", \"tool\": \"*\", \"then\": \"ask\", \"rate\": {\"calls\": 2, "
               "\"perMs\": 3}}, {\"tool\": \"shell\", \"then\": \"deny\"}]}}",
               &c) == 0);
    CHECK(c.rule_count == 3 && strcmp(c.rules[0].id, "own") == 0 && c.rules[0].at == 27);
    CHECK(strcmp(c.rules[0].caller, "acme.tools.a.b") == 0 && c.rules[0].max_calls == 20);
    CHECK(strcmp(c.rules[0].when, "{\"/p\":{\"under\":\"./o\\\"ut\"},\"/n~1${X}\":{\"in\":[1.50,"
                                  "\"a\",null,{\"k\":[]}]}}") == 0);
    CHECK(c.rules[0].then == CAPRUN_ALLOW && c.rules[1].then == CAPRUN_ASK);
    CHECK(!c.rules[1].id && !c.rules[1].when && c.rules[1].rate_calls == 2);
    CHECK(c.rules[1].rate_ms == 3 && c.rules[2].then == CAPRUN_DENY && !c.rules[2].caller);
    cr_config_clear(&c);
}

TEST(a_rule_that_could_not_do_what_it_says_is_refused)
{
    CHECK(refuses("{\"permissions\": {\"rules\": [\n {\"id\": \"x\", \"tool\": \"a\", \"then\": "
                  "\"deny\", \"maxCalls\": 1}]}}",
                  "2:2: the rule \"x\": a rule that denies cannot have \"maxCalls\" or \"rate\""));
    CHECK(refuses("{\"permissions\": {\"rules\": [{\"tool\": \"a\", \"then\": \"deny\", \"rate\": "
                  "{\"calls\": 1, \"perMs\": 1}}]}}",
                  "1:28: the rule: a rule that denies cannot have \"maxCalls\" or \"rate\""));
    CHECK(refuses(
        "{\"permissions\": {\"rules\": [{\"tool\": \"a\", \"then\": \"ask\", \"for\": "
        "\"a.b\"}]}}",
        "1:64: \"for\" has to be the four-part name of a capability, or \"exec\", not \"a.b\""));
    CHECK(refuses("{\"permissions\": {\"rules\": [{\"tool\": \"a\", \"then\": \"ask\", \"when\": "
                  "{\"/u\": {\"host\": \"https://x\"}}}]}}",
                  "1:81: \"host\" has to be a host like \"api.example.com\", \"*.example.com\" or "
                  "\"[::1]:8080\", not \"https://x\""));
}

TEST(there_may_be_a_thousand_servers)
{
    static char text[60000];
    size_t len = (size_t)snprintf(text, sizeof(text), "{\"mcpServers\":{");
    struct cr_config c;

    for (int i = 0; i < 1000; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "\"s%d\":{\"command\":\"x\"},", i);
    (void)snprintf(text + len - 1, sizeof(text) - len, "}}");
    CHECK(load(text, &c) == 0 && c.server_count == 1000);
    cr_config_clear(&c);
    (void)snprintf(text + len, sizeof(text) - len, "\"t\":{\"command\":\"x\"}}}");
    text[len - 1] = ',';
    CHECK(refuses(text, "1:15: \"mcpServers\" has 1001 items, and may have 1000 at most"));
}

TEST(a_server_behind_http_has_its_own_settings)
{
    struct cr_config c;

    CHECK(setenv("CAPRUN_TEST_TOKEN", "tok", 1) == 0);
    CHECK(load("{\"mcpServers\": {\"a\": {\"url\": \"https://x/mcp\", \"headers\": {\"x-key\": "
               "\"k ${CAPRUN_TEST_TOKEN}\", \"y\": \"\"}, \"tls\": {\"caFile\": \"ca.pem\"}, "
               "\"proxy\": \"http://p:8\"}, \"b\": {\"url\": \"https://y\"}}}",
               &c) == 0);
    CHECK(c.server_count == 2 && c.warnings.len == 0);
    CHECK(strcmp(c.servers[0].url, "https://x/mcp") == 0 && !c.servers[0].argv);
    CHECK(strcmp(c.servers[0].headers[0], "x-key: k tok") == 0);
    CHECK(strcmp(c.servers[0].headers[1], "y;") == 0 && !c.servers[0].headers[2]);
    CHECK(c.servers[0].ca_file[0] == '/' && strstr(c.servers[0].ca_file, "/ca.pem"));
    CHECK(strcmp(c.servers[0].proxy, "http://p:8") == 0);
    CHECK(!c.servers[1].headers[0] && !c.servers[1].ca_file && !c.servers[1].proxy);
    cr_config_clear(&c);
}

TEST(http_to_another_machine_is_a_warning)
{
    static const char *const fine[] = {"https://x", "http://127.0.0.1:1/", "http://localhost",
                                       "http://[::1]:8/x", "http://a.localhost:80"};
    static const char *const warned[] = {"http://x", "http://notlocalhost", "http://10.0.0.1/",
                                         "http://localhost.example"};
    struct cr_config c;
    char text[200];

    for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
        (void)snprintf(text, sizeof(text), "{\"mcpServers\": {\"a\": {\"url\": \"%s\"}}}", fine[i]);
        CHECK(load(text, &c) == 0 && c.warnings.len == 0);
        cr_config_clear(&c);
    }
    for (size_t i = 0; i < sizeof(warned) / sizeof(warned[0]); i++) {
        (void)snprintf(text, sizeof(text), "{\"mcpServers\": {\"a\": {\"url\": \"%s\"}}}",
                       warned[i]);
        CHECK(load(text, &c) == 0 && cr_buf_text(&c.warnings));
        CHECK(strstr((char *)c.warnings.data, ":1:23: \"url\" is not https: others may read"));
        cr_config_clear(&c);
    }
}

TEST(a_key_of_a_server_that_is_not_known_is_a_warning)
{
    struct cr_config c;
    char wanted[1024];

    CHECK(
        load("{\"mcpServers\": {\"a\": {\"command\": \"x\", \"type\": \"stdio\", \"evn\": {\"A\": "
             "\"${CAPRUN_TEST_UNSET}\"},\n\"headers\": {}, \"a\\nb\": 1}}}",
             &c) == 0);
    (void)snprintf(wanted, sizeof(wanted),
                   "%s:1:39: \"type\" is a key that caprun does not know, and is not used\n"
                   "%s:1:56: \"evn\" is a key that caprun does not know, and is not used; did you "
                   "mean \"env\"?\n"
                   "%s:2:1: \"headers\" is not used without \"url\"\n"
                   "%s:2:16: \"a\\nb\" is a key that caprun does not know, and is not used\n",
                   path, path, path, path);
    CHECK(c.warnings.len == strlen(wanted));
    CHECK(memcmp(c.warnings.data, wanted, strlen(wanted)) == 0);
    cr_config_clear(&c);
}

TEST(many_warnings_are_cut_and_every_line_is_whole)
{
    static char text[900000];
    struct cr_config c;
    size_t len = (size_t)snprintf(text, sizeof(text), "{\"mcpServers\":{\"a\":{\"command\":\"x\"");

    for (int i = 0; len < sizeof(text) - 32; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, ",\"%d\":0", i);
    (void)snprintf(text + len, sizeof(text) - len, "}}}");
    CHECK(load(text, &c) == 0);
    CHECK(c.warnings.len > 1000 && c.warnings.len <= 16384);
    CHECK(c.warnings.data[c.warnings.len - 1] == '\n');
    cr_config_clear(&c);
}

/* --- what comes from the environment ------------------------------------------------------ */

static bool expands(const char *text, const char *wanted)
{
    struct cr_err err;
    struct cr_buf out;
    bool same;

    cr_buf_init(&out, 4096);
    same = cr_config_expand(text, &out, &err) == 0 && strcmp((char *)out.data, wanted) == 0 &&
           out.len == strlen(wanted);
    cr_buf_clear(&out);
    return same;
}

TEST(a_reference_becomes_the_variable)
{
    CHECK(expands("${CAPRUN_TEST}", "value"));
    CHECK(expands("a${CAPRUN_TEST}b${CAPRUN_TEST}", "avaluebvalue"));
    CHECK(expands("", ""));
    CHECK(expands("$ {A} $CAPRUN_TEST $", "$ {A} $CAPRUN_TEST $"));
    CHECK(expands("${CAPRUN_TEST_EMPTY}", ""));
    CHECK(expands("${CAPRUN_TEST_REFERENCE}", "${CAPRUN_TEST}"));
}

TEST(what_is_expanded_has_a_ceiling)
{
    struct cr_err err;
    struct cr_buf out;

    cr_buf_init(&out, 5);
    CHECK(cr_config_expand("${CAPRUN_TEST}", &out, &err) == CAPRUN_E_TOOBIG);
    cr_buf_clear(&out);
}

/* A configuration with |count| times a variable of 1 MB. */
static const char *many_references(int count)
{
    static char text[8192];
    size_t len = (size_t)snprintf(text, sizeof(text), "{\"registries\": [\"a\"");

    for (int i = 0; i < count; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, ",\n\"${CAPRUN_TEST_LONG}\"");
    (void)snprintf(text + len, sizeof(text) - len, "]}");
    return text;
}

TEST(all_strings_together_have_a_ceiling_once_they_are_expanded)
{
    static char value[1000001];
    struct cr_config c;

    memset(value, 'x', sizeof(value) - 1);
    CHECK(setenv("CAPRUN_TEST_LONG", value, 1) == 0);
    CHECK(load(many_references(60), &c) == 0);
    cr_config_clear(&c);
    CHECK(refuses(many_references(70), "69:1: with variables replaced, the texts up to here take "
                                       "more than 64 MiB"));
    CHECK(unsetenv("CAPRUN_TEST_LONG") == 0);
}

TEST(strings_are_judged_by_what_they_stand_for)
{
    struct cr_config c;

    CHECK(load("{\"onDenied\": \"${CAPRUN_TEST_STOP}\", \"registries\": [\"${CAPRUN_TEST}/r\"], "
               "\"env\": {\"a.b.c.d\": [\"${CAPRUN_TEST_STOP}\"]}}",
               &c) == 0);
    CHECK(c.stop_when_denied && grants(&c, "a.b.c.d", "stop"));
    CHECK(strstr(c.registries[0], "/value/r"));
    cr_config_clear(&c);
    CHECK(refuses(
        "{\"registries\": [\"${CAPRUN_TEST_EMPTY}\"]}",
        "1:17: each of \"registries\" has to be a directory, or a URL that begins with http:// or "
        "https://, without a user or a query"));
    CHECK(accepts("{\"mcpServers\": {\"a\": {\"command\": \"x\", \"env\": {\"${NO}\": \"\"}}}}"));
}

/* --- ceilings, and the file itself -------------------------------------------------------- */

TEST(a_file_of_a_mebibyte_is_read_and_one_byte_more_is_refused)
{
    static char text[(1 << 20) + 1];
    struct cr_config c;

    memset(text, ' ', sizeof(text));
    memcpy(text, "{}", 2);
    CHECK(write_file(text, sizeof(text) - 1));
    CHECK(cr_config_load(path, &c, &why) == 0);
    cr_config_clear(&c);
    CHECK(write_file(text, sizeof(text)));
    CHECK(cr_config_load(path, &c, &why) < 0 && why.outcome == CAPRUN_OUTCOME_CONFIG_ERROR);
    CHECK(strstr(why.text, "is over 1048576 bytes"));
}

TEST(there_may_be_a_thousand_rules_and_one_more_is_too_much)
{
    static char text[60000];
    size_t len = (size_t)snprintf(text, sizeof(text), "{\"permissions\":{\"rules\":[");
    struct cr_config c;

    for (int i = 0; i < 1000; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "{\"id\":\"r%d\",\"tool\":\"*\",\"then\":\"ask\"},", i);
    (void)snprintf(text + len - 1, sizeof(text) - len, "]}}");
    CHECK(load(text, &c) == 0 && c.rule_count == 1000);
    cr_config_clear(&c);
    (void)snprintf(text + len, sizeof(text) - len, "{\"tool\":\"*\",\"then\":\"ask\"}]}}");
    text[len - 1] = ',';
    CHECK(load(text, &c) < 0);
    CHECK(strstr(why.text, ":1:25: \"rules\" has 1001 items, and may have 1000 at most"));
}

/* |before| and |after| a list of |count| texts. */
static const char *list_of(const char *before, int count, const char *after)
{
    static char text[10000];
    size_t len = (size_t)snprintf(text, sizeof(text), "%s[", before);

    for (int i = 0; i < count; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "\"a\",");
    (void)snprintf(text + len - 1, sizeof(text) - len, "]%s", after);
    return text;
}

/* All of them are compared with each call, or each variable, in one turn of the loop. */
TEST(patterns_and_variables_are_not_without_number)
{
    static const char env[] = "{\"env\":{\"a.b.c.d\":",
                      server[] = "{\"mcpServers\":{\"s\":{\"command\":\"x\",\"idempotent\":";
    struct cr_config c;

    CHECK(load(list_of("{\"permissions\":{\"deny\":", 1000, "}}"), &c) == 0);
    cr_config_clear(&c);
    CHECK(refuses(list_of("{\"permissions\":{\"deny\":", 1001, "}}"),
                  "1:24: \"deny\" has 1001 items, and may have 1000 at most"));
    CHECK(load(list_of(server, 1000, "}}}"), &c) == 0);
    cr_config_clear(&c);
    CHECK(refuses(list_of(server, 1001, "}}}"),
                  "1:48: \"idempotent\" has 1001 items, and may have 1000 at most"));
    CHECK(load(list_of(env, 256, "}}"), &c) == 0);
    cr_config_clear(&c);
    CHECK(refuses(list_of(env, 257, "}}"),
                  "1:19: \"a.b.c.d\" has 257 items, and may have 256 at most"));
}

TEST(what_is_shown_of_a_long_key_or_value_is_cut)
{
    static char text[5000];
    struct cr_config c;

    (void)snprintf(text, sizeof(text), "{\"%04000d\": 1}", 0);
    CHECK(load(text, &c) < 0 && strstr(why.text, "unknown key \"000"));
    CHECK(strlen(why.text) < 600);
    (void)snprintf(text, sizeof(text), "{\"record\": \"%04000d\"}", 0);
    CHECK(load(text, &c) < 0 && strlen(why.text) < 600);
}

TEST(a_file_that_is_not_there_or_no_file_is_an_error)
{
    struct cr_config c;

    (void)unlink(path);
    CHECK(cr_config_load(path, &c, &why) < 0 && strstr(why.text, "is not there"));
    CHECK(cr_config_load(folder, &c, &why) < 0 && strstr(why.text, "not a regular file"));
    CHECK(mkfifo(path, 0600) == 0);
    CHECK(cr_config_load(path, &c, &why) < 0 && strstr(why.text, "not a regular file"));
    CHECK(unlink(path) == 0);
}

/* --- no memory ---------------------------------------------------------------------------- */

TEST(every_allocation_that_fails_is_an_error_of_ours_and_not_of_the_file)
{
    struct cr_config c = {0};
    int failed = 0;

    CHECK(write_file(full, sizeof(full) - 1));
    while (failing_more()) {
        int r = cr_config_load(path, &c, &why);

        failing_stop();
        CHECK(r == 0 || (r == CAPRUN_E_NOMEM && why.outcome == CAPRUN_OUTCOME_INTERNAL));
        /* asprintf() can succeed although an allocation in it failed */
        CHECK(r < 0 || c.registry_count == 4);
        failed += r < 0;
        cr_config_clear(&c);
    }
    CHECK(!failing_works() || failed > 40);
}

int main(int argc, char **argv)
{
    int status;

    if (!mkdtemp(folder))
        return 1;
    (void)snprintf(path, sizeof(path), "%s/.caprun.json", folder);
    (void)setenv("CAPRUN_TEST", "value", 1);
    (void)setenv("CAPRUN_TEST_EMPTY", "", 1);
    (void)setenv("CAPRUN_TEST_STOP", "stop", 1);
    (void)setenv("CAPRUN_TEST_REFERENCE", "${CAPRUN_TEST}", 1);
    (void)unsetenv("CAPRUN_TEST_UNSET");
    status = tap_main(argc, argv);
    (void)unlink(path);
    (void)rmdir(folder);
    return status;
}
