/* remember.c - keeps the rules that a person has let caprun remember. */
#include "cli/remember.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/settings.h"
#include "cli/trust_store.h"
#include "config/edit.h"

#define NAME "/grants.json"
#define LOCK ".lock"
#define MAX_TEXT (1u << 20)
#define MAX_RULE (64u << 10)
#define PREFIX "remembered-" /* of an id in the project's file */

static const enum caprun_outcome refused = CAPRUN_OUTCOME_CONFIG_ERROR;

void cr_remember_file(char ret[PATH_MAX])
{
    size_t len;

    cr_settings_state_dir(ret);
    len = strlen(ret);
    if (!len || len + strlen(NAME) >= PATH_MAX)
        ret[0] = '\0';
    else
        memcpy(ret + len, NAME, sizeof(NAME));
}

/* --- reading ---------------------------------------------------------------------------------- */

static int refuse_file(struct cr_err *why, const char *path, const char *what)
{
    return cr_err_end(why, refused,
                      "caprun is the only one to write this file; correct it, or remove it to "
                      "withdraw everything",
                      "'%s', the rules that you have let caprun remember, cannot be used: %s", path,
                      what);
}

/* The file must be the user's alone. Returns 0, 1 if there is none, or CONFIG_ERROR. */
static int check_owner(const char *path, struct cr_err *why)
{
    struct stat st;
    struct cr_err err;

    if (lstat(path, &st) < 0) {
        /* in a directory of another user nothing of this user can be remembered */
        if (errno == ENOENT || errno == ENOTDIR || errno == EACCES)
            return 1;
        return refuse_file(why, path, strerror(errno));
    }
    if (!S_ISREG(st.st_mode))
        return refuse_file(why, path, "it is not a regular file");
    return cr_file_check_owner(&st, "the file", &err) < 0 ? refuse_file(why, path, err.text) : 0;
}

/* Is there nothing in the file but rules that allow, each with an id and all pins? */
static bool has_only_rules(const struct cr_config *c)
{
    const struct cJSON *first = cr_json_first(c->doc.root);
    const struct cJSON *list = cr_json_first(first);

    if (first && (cr_json_next(first) || strcmp(cr_json_key(first), "permissions") != 0))
        return false;
    if (list && (cr_json_next(list) || strcmp(cr_json_key(list), "rules") != 0))
        return false;
    for (size_t i = 0; i < c->rule_count; i++)
        if (!c->rules[i].id || !c->rules[i].pin || !c->rules[i].caller ||
            c->rules[i].then != CAPRUN_ALLOW)
            return false;
    return true;
}

/* Returns 0, and the caller clears |ret|; 1 if there is no file; or CONFIG_ERROR. */
static int load_own(const char *path, struct cr_config *ret, struct cr_err *why)
{
    struct cr_err err;
    int r = path[0] ? check_owner(path, why) : 1;

    if (r != 0)
        return r;
    if (cr_config_load(path, ret, &err) < 0)
        return refuse_file(why, path, err.text);
    if (has_only_rules(ret))
        return 0;
    cr_config_clear(ret);
    return refuse_file(why, path, "it has something else in it than such rules");
}

int cr_remember_load(struct cr_config *config, struct cr_err *why)
{
    struct cr_config *own = calloc(1, sizeof(*own));
    char path[PATH_MAX];
    int r;

    if (!own)
        return cr_err_memory(why);
    cr_remember_file(path);
    r = load_own(path, own, why);
    if (r == 0)
        config->remembered = own;
    else
        free(own);
    return r < 0 ? r : 0;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* A file that is being changed. */
struct change {
    char path[PATH_MAX];
    struct cr_buf text; /* as it is */
    struct cr_buf out;  /* as it will be */
    int lock;           /* of the user's own file; -1: none */
};

static void end_change(struct change *c)
{
    cr_buf_clear(&c->text);
    cr_buf_clear(&c->out);
    if (c->lock >= 0)
        (void)close(c->lock);
}

/* Locks the user's own file, against another caprun. */
static int begin_own(struct change *c, struct cr_err *why)
{
    char path[PATH_MAX + 8], dir[PATH_MAX];

    cr_remember_file(c->path);
    cr_settings_state_dir(dir);
    if (!c->path[0] || cr_file_make_dirs(dir) < 0)
        return cr_err_end(why, refused, "set XDG_STATE_HOME to a directory of yours",
                          "there is no directory for the rules to remember");
    (void)snprintf(path, sizeof(path), "%s" LOCK, c->path);
    c->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (c->lock < 0 || cr_file_lock(c->lock) < 0)
        return cr_err_end(why, refused, "try again", "cannot lock '%s': %s", c->path,
                          errno == EAGAIN ? "another caprun writes it" : strerror(errno));
    return 0;
}

/* A link to the file stays a link. The file must be as it was when |config| was read. */
static int begin_project(struct change *c, const struct cr_config *config, struct cr_err *why)
{
    struct cr_err err;
    struct stat st;

    if (!realpath(config->path, c->path))
        return cr_err_end(why, refused, NULL, "cannot find '%s': %s", config->path,
                          strerror(errno));
    if (cr_file_read(AT_FDCWD, c->path, &c->text, &st, &err) != 0 ||
        c->text.len != config->text.len ||
        memcmp(c->text.data, config->text.data, c->text.len) != 0)
        return cr_err_end(why, refused, "start caprun again to use the changed file",
                          "'%s' has changed since caprun has read it; nothing is written", c->path);
    if (st.st_uid != geteuid() && geteuid() != 0)
        return cr_err_end(why, refused, "choose your own grants instead",
                          "'%s' belongs to another user; nothing is written", c->path);
    return 0;
}

/* Begins to change the user's own file, or if it is not NULL, that of |project|. */
static int begin_change(struct change *c, const struct cr_config *project, struct cr_err *why)
{
    *c = (struct change){.lock = -1};
    cr_buf_init(&c->text, MAX_TEXT);
    cr_buf_init(&c->out, MAX_TEXT);
    return project ? begin_project(c, project, why) : begin_own(c, why);
}

/* Checks the new text as it will be read, then replaces the file. */
static int write_change(struct change *c, struct cr_err *why)
{
    struct cr_err err;

    if (cr_buf_err(&c->out))
        return cr_err_end(why, refused, NULL, "'%s' would be longer than 1 MiB", c->path);
    if (cr_file_replace(AT_FDCWD, c->path, c->out.data, c->out.len, 0600, &err) < 0)
        return cr_err_end(why, refused, NULL, "%s", err.text);
    return 0;
}

/*
 * The user's own change of a configuration that this user had accepted is accepted, too. If that
 * cannot be kept, `caprun trust` asks about the whole file again.
 */
static void accept_change(const struct change *c, const struct cr_config *project)
{
    cr_autobuf struct cr_buf accepted = CR_BUF(MAX_TEXT);
    char place[PATH_MAX];
    struct cr_err unused;

    if (cr_trust_store_place(project->path, place, &unused) == 0 &&
        cr_trust_store_read(place, &accepted, &unused) == 0 && accepted.len == c->text.len &&
        memcmp(accepted.data, c->text.data, c->text.len) == 0)
        (void)cr_trust_store_write(place, c->out.data, c->out.len, &unused);
}

static uint64_t number_of(const char *id, const char *prefix)
{
    size_t len = strlen(prefix);

    return id && strncmp(id, prefix, len) == 0 && strlen(id) < len + 10
               ? strtoull(id + len, NULL, 10)
               : 0;
}

/* Writes an id that no rule of |c| has, which may be NULL. */
static void choose_id(const struct cr_config *c, const char *prefix, char ret[80])
{
    uint64_t most = 0;

    for (size_t i = 0; c && i < c->rule_count; i++)
        if (number_of(c->rules[i].id, prefix) > most)
            most = number_of(c->rules[i].id, prefix);
    (void)snprintf(ret, 80, "%s%llu", prefix, (unsigned long long)most + 1);
}

/* Appends the rule with its id and "remembered". */
static void add_rule(struct cr_buf *out, const struct cr_remember_rule *rule, const char *id)
{
    size_t len = rule->len;
    struct tm utc;
    time_t now = time(NULL);
    char at[32] = "";

    while (len && rule->json[len - 1] != '}')
        len--;
    if (gmtime_r(&now, &utc))
        (void)strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", &utc);
    cr_buf_fmt(out, "{\"id\": \"%s\", ", id);
    cr_buf_add(out, rule->json + 1, len - 2);
    cr_buf_fmt(out, ", \"remembered\": {\"at\": \"%s\", \"by\": \"%s\", \"pin\": \"%s\"", at,
               rule->by, rule->pins.code);
    cr_buf_fmt(out, ", \"toolPin\": \"%s\", \"serverPin\": \"%s\"}}", rule->pins.tool,
               rule->pins.server);
}

/* Reads the user's own file into |c|. Returns 0, 1 if there is none, or CONFIG_ERROR. */
static int read_own(struct change *c, struct cr_config *ret, struct cr_err *why)
{
    int r = load_own(c->path, ret, why);

    if (r == 0)
        cr_buf_add(&c->text, ret->text.data, ret->text.len);
    return r;
}

static int add_to(struct change *c, const struct cr_remember_rule *rule, const char *id,
                  struct cr_err *why)
{
    cr_autobuf struct cr_buf item = CR_BUF(MAX_RULE);
    const char *text;
    struct cr_err err;

    add_rule(&item, rule, id);
    text = cr_buf_text(&item);
    if (!text)
        return cr_err_memory(why);
    if (cr_edit_add((const char *)c->text.data, c->text.len, "rules", &text, 1, &c->out, &err) < 0)
        return cr_err_end(why, refused, NULL, "%s", err.text);
    return write_change(c, why);
}

static int read_again(const struct change *c, bool is_own, struct cr_config *ret,
                      struct cr_err *why)
{
    int r = is_own ? load_own(c->path, ret, why) : cr_config_load(c->path, ret, why);

    return r == 1 ? refuse_file(why, c->path, "it is gone") : r;
}

int cr_remember_write(const struct cr_remember_rule *rule, const struct cr_config *project,
                      char ret_id[80], struct cr_config *ret_file, struct cr_err *why)
{
    struct cr_config own = {0};
    struct change c;
    int r = begin_change(&c, project, why);

    if (r == 0 && !project)
        r = read_own(&c, &own, why);
    if (r >= 0) {
        choose_id(project ? project : &own, project ? PREFIX : "", ret_id);
        r = add_to(&c, rule, ret_id, why);
    }
    if (r == 0 && project)
        accept_change(&c, project);
    if (r == 0)
        r = read_again(&c, !project, ret_file, why);
    cr_config_clear(&own);
    end_change(&c);
    return r;
}

/* --- taking back ------------------------------------------------------------------------------ */

static int remove_from(struct change *c, const struct cr_config *config, const char *id,
                       struct cr_err *why)
{
    struct cr_err err;
    char pointer[64];
    size_t i = 0;

    while (i < config->rule_count &&
           !(config->rules[i].id && config->rules[i].pin && strcmp(config->rules[i].id, id) == 0))
        i++;
    if (i == config->rule_count)
        return cr_err_end(why, CAPRUN_OUTCOME_USAGE, "caprun policy lists them",
                          "no rule is remembered as \"%s\"", id);
    (void)snprintf(pointer, sizeof(pointer), "/permissions/rules/%zu", i);
    if (cr_edit_remove((const char *)c->text.data, c->text.len, pointer, &c->out, &err) < 0)
        return cr_err_end(why, refused, NULL, "%s", err.text);
    return write_change(c, why);
}

int cr_remember_withdraw(const char *id, const struct cr_config *project, struct cr_err *why)
{
    struct cr_config own = {0};
    struct change c;
    int r = begin_change(&c, project, why);

    if (r == 0 && !project)
        r = read_own(&c, &own, why);
    if (r >= 0)
        r = remove_from(&c, project ? project : &own, id, why);
    if (r == 0 && project)
        accept_change(&c, project);
    cr_config_clear(&own);
    end_change(&c);
    return r;
}
