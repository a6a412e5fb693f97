/* test_config_merge.c - the user's file, merged below the project's. */
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config.h"
#include "failing.h"

static char folder[] = "/tmp/caprun-test-merge-XXXXXX", project[64], user_folder[64], user[96];
static struct cr_config c;
static struct cr_err why;

static bool write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    bool written = file && fputs(text, file) >= 0;

    return file && fclose(file) == 0 && written && chmod(path, 0600) == 0;
}

static int load(const char *of_project, const char *of_user)
{
    memset(&why, 0, sizeof(why));
    if (!write_file(project, of_project) || !write_file(user, of_user))
        return 1;
    return cr_config_load_both(project, user, &c, &why);
}

/* The project's file and the user's: what is in |object| and |key| comes from the file |wanted|. */
static bool comes_from(const char *object, const char *key, const char *wanted)
{
    const struct cJSON *value = NULL;
    const struct cr_config *file = cr_config_find(&c, object, key, &value);

    return wanted ? file && value && strcmp(file->path, wanted) == 0 : !file;
}

static bool has(char *const *list, const char *first)
{
    return first ? list && list[0] && strcmp(list[0], first) == 0 && !list[1] : !list || !list[0];
}

TEST(a_missing_file_of_the_user_is_no_error)
{
    CHECK(write_file(project, "{\"limits\": {\"maxCalls\": 3}}"));
    (void)unlink(user);
    CHECK(cr_config_load_both(project, user, &c, &why) == 0 && !c.user && c.limits.max_calls == 3);
    cr_config_clear(&c);
    CHECK(cr_config_load_both(project, "/dev/null/x", &c, &why) == 0 && !c.user);
    cr_config_clear(&c);
    CHECK(cr_config_load_both(project, NULL, &c, &why) == 0 && !c.user);
    cr_config_clear(&c);
}

TEST(whole_keys_of_the_project_hide_those_of_the_user)
{
    CHECK(load("{\"registries\": [\"./r\"], \"sandbox\": {\"freshProgram\": true}, \"pool\": {},"
               " \"record\": \"failed\"}",
               "{\"registries\": [\"./u\", \"./v\"], \"sandbox\": {\"requireAllLayers\": true},"
               " \"pool\": {\"maxWorkers\": 2}, \"record\": \"none\", \"onDenied\": \"stop\"}") ==
          0);
    CHECK(c.registry_count == 1 && c.fresh_program && !c.require_all_layers && !c.max_workers);
    CHECK(c.record == CR_CONFIG_RECORD_FAILED && c.has_record && c.stop_when_denied);
    CHECK(comes_from(NULL, "registries", project) && comes_from(NULL, "onDenied", user));
    CHECK(comes_from("sandbox", "freshProgram", project));
    CHECK(comes_from("sandbox", "requireAllLayers", NULL) && comes_from("pool", "warm", NULL));
    cr_config_clear(&c);
}

TEST(what_the_project_does_not_say_is_the_users)
{
    char place[128];

    CHECK(load("{}", "{\"registries\": [\"./u\"], \"sandbox\": {\"requireAllLayers\": true},"
                     " \"pool\": {\"maxWorkers\": 2}, \"record\": \"none\","
                     " \"recordLimits\": {\"days\": 4}, \"audit\": \"./log\"}") == 0);
    (void)snprintf(place, sizeof(place), "%s/u", user_folder);
    CHECK(c.registry_count == 1 && strcmp(c.registries[0], place) == 0);
    CHECK(c.require_all_layers && c.max_workers == 2 && c.record_days == 4);
    CHECK(c.record == CR_CONFIG_RECORD_NONE && c.has_record);
    CHECK(comes_from("sandbox", "requireAllLayers", user) && comes_from(NULL, "audit", user));
    CHECK(strcmp(c.path, project) == 0 && strcmp(c.dir, folder) == 0 && !c.is_users);
    CHECK(c.user->is_users && strcmp(c.user->dir, user_folder) == 0);
    cr_config_clear(&c);
}

TEST(limits_are_merged_by_name_and_zero_is_a_value)
{
    CHECK(load("{\"limits\": {\"timeoutMs\": 0, \"maxCalls\": 7}}",
               "{\"limits\": {\"timeoutMs\": 100, \"maxCalls\": 8, \"memoryMB\": 9}}") == 0);
    CHECK(c.limits.timeout_ms == 0 && c.limits.max_calls == 7 && c.limits.memory_mb == 9);
    CHECK(comes_from("limits", "timeoutMs", project) && comes_from("limits", "memoryMB", user));
    CHECK(comes_from("limits", "cpuMs", NULL));
    cr_config_clear(&c);
}

TEST(servers_are_merged_by_name_each_relative_to_its_own_file)
{
    CHECK(load("{\"mcpServers\": {\"b\": {\"command\": \"./p\"}, \"a\": {\"command\": \"x\"}}}",
               "{\"mcpServers\": {\"a\": {\"command\": \"./u\"}, \"d\": {\"command\": \"./u\"},"
               " \"c\": {\"command\": \"y\", \"cwd\": \"sub\"}}}") == 0);
    CHECK(c.server_count == 4 && c.user->server_count == 1);
    CHECK(strcmp(c.servers[0].name, "b") == 0 && strcmp(c.servers[0].file, project) == 0);
    CHECK(strcmp(c.servers[1].name, "a") == 0 && strcmp(c.servers[1].argv[0], "x") == 0);
    CHECK(strcmp(c.servers[2].name, "d") == 0 && strcmp(c.servers[2].file, user) == 0);
    CHECK(strncmp(c.servers[2].argv[0], user_folder, strlen(user_folder)) == 0);
    CHECK(strcmp(c.servers[2].cwd, user_folder) == 0);
    CHECK(strcmp(c.servers[3].name, "c") == 0 && strstr(c.servers[3].cwd, "/of-user/sub"));
    CHECK(comes_from("mcpServers", "a", project) && comes_from("mcpServers", "d", user));
    cr_config_clear(&c);
}

TEST(two_servers_that_code_cannot_tell_apart_are_refused_at_the_users)
{
    static const char of_project[] = "{\"mcpServers\": {\"a-b\": {\"command\": \"x\"}}}";
    static const char of_user[] = "{\"mcpServers\": {\n  \"a_b\": {\"command\": \"x\"}}}";
    char words[300];

    CHECK(load(of_project, of_user) < 0 && why.outcome == CAPRUN_OUTCOME_CONFIG_ERROR);
    (void)snprintf(words, sizeof(words),
                   "%s:2:3: \"a_b\" and \"a-b\" in '%s' are the same name in code", user, project);
    CHECK(strncmp(why.text, words, strlen(words)) == 0);
    CHECK(load(of_project, of_project) == 0 && c.server_count == 1);
    cr_config_clear(&c);
}

TEST(more_servers_than_one_file_may_have_are_refused)
{
    char of[2][40000];
    size_t len[2] = {0, 0};

    for (int f = 0; f < 2; f++) {
        len[f] = (size_t)sprintf(of[f], "{\"mcpServers\": {");
        for (int i = 0; i < 501; i++)
            len[f] += (size_t)sprintf(of[f] + len[f], "%s\"s%d%d\": {\"command\": \"x\"}",
                                      i ? ", " : "", f, i);
        (void)sprintf(of[f] + len[f], "}}");
    }
    CHECK(load(of[0], of[1]) < 0 && strstr(why.text, "there are 1002 servers"));
    CHECK(load(of[0], of[0]) == 0 && c.server_count == 501);
    cr_config_clear(&c);
}

TEST(grants_are_merged_by_name)
{
    CHECK(
        load("{\"env\": {\"a.b.c.d\": [\"X\"], \"a.b.c.none\": []}}",
             "{\"env\": {\"a.b.c.d\": [\"Y\"], \"a.b.c.none\": [\"Y\"], \"a.b.c.e\": [\"Z\"]}}") ==
        0);
    CHECK(has(cr_config_granted(&c, "a.b.c.d"), "X") && has(cr_config_granted(&c, "a.b.c.e"), "Z"));
    CHECK(has(cr_config_granted(&c, "a.b.c.none"), NULL) && !cr_config_granted(&c, "a.b.c.f"));
    cr_config_clear(&c);
}

TEST(patterns_of_both_files_stay_with_their_file)
{
    CHECK(load("{\"permissions\": {\"allow\": [\"a\"], \"deny\": [\"b\"]}}",
               "{\"permissions\": {\"allow\": [\"c\"], \"ask\": [\"d\"], \"deny\": [\"e\"]}}") ==
          0);
    CHECK(has(c.allow, "a") && has(c.ask, NULL) && has(c.deny, "b"));
    CHECK(has(c.user->allow, "c") && has(c.user->ask, "d") && has(c.user->deny, "e"));
    cr_config_clear(&c);
}

TEST(an_error_names_the_file_that_has_it)
{
    char words[160];

    CHECK(load("{}", "{\n \"permisions\": {}}") < 0);
    (void)snprintf(words, sizeof(words), "%s:2:2: unknown key \"permisions\"; did you mean", user);
    CHECK(strncmp(why.text, words, strlen(words)) == 0);
    CHECK(load("{\"x\": 1}", "{}") < 0 && strncmp(why.text, project, strlen(project)) == 0);
    CHECK(load("{\"x\": 1}", "{\"y\": 1}") < 0 && strncmp(why.text, user, strlen(user)) == 0);
    CHECK(load("{}", "{\"permissions\": {\"rules\": [{\"tool\": \"*\", \"maxCalls\": 1, \"then\": "
                     "\"deny\"}]}}") < 0);
    CHECK(strncmp(why.text, user, strlen(user)) == 0 &&
          strstr(why.text, "a rule that denies cannot have"));
    CHECK(write_file(user, "{}") && chmod(user, 0602) == 0);
    CHECK(cr_config_load_both(project, user, &c, &why) < 0 && strstr(why.hint, "XDG_CONFIG_HOME"));
}

TEST(every_allocation_that_fails_while_merging_is_an_error_of_ours)
{
    int failed = 0;

    CHECK(load("{\"mcpServers\": {\"a\": {\"command\": \"x\"}}, \"env\": {\"a.b.c.d\": [\"X\"]}}",
               "{\"mcpServers\": {\"a\": {\"command\": \"x\"}, \"b\": {\"command\": \"y\"}},"
               " \"env\": {\"a.b.c.e\": [\"X\"]}, \"registries\": [\"r\"]}") == 0);
    cr_config_clear(&c);
    while (failing_more()) {
        int r = cr_config_load_both(project, user, &c, &why);

        failing_stop();
        CHECK(r == 0 || (r == CAPRUN_E_NOMEM && why.outcome == CAPRUN_OUTCOME_INTERNAL));
        failed += r < 0;
        if (r == 0)
            cr_config_clear(&c);
    }
    CHECK(!failing_works() || failed > 40);
}

int main(int argc, char **argv)
{
    int status;

    if (!mkdtemp(folder))
        return 1;
    (void)snprintf(project, sizeof(project), "%s/.caprun.json", folder);
    (void)snprintf(user_folder, sizeof(user_folder), "%s/of-user", folder);
    (void)snprintf(user, sizeof(user), "%s/config.json", user_folder);
    (void)mkdir(user_folder, 0700);
    status = tap_main(argc, argv);
    (void)unlink(project);
    (void)unlink(user);
    (void)rmdir(user_folder);
    (void)rmdir(folder);
    return status;
}
