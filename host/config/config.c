/* config.c - finds the configuration file, checks its owner, and reads it. */
#include "config/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scan.h"
#include "base/words.h"
#include "config/fields.h"
#include "config/rules.h"
#include "config/merge.h"
#include "config/shape.h"

#define MAX_FILE (1u << 20)
#define MAX_WARNINGS (16u << 10)

/* --- finding it --------------------------------------------------------------------------- */

static int refuse(struct cr_err *why, const char *hint, const struct cr_err *err)
{
    return err->code == CAPRUN_E_NOMEM
               ? cr_err_memory(why)
               : cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, hint, "%s", err->text);
}

/* The same with a hint that ends with how to name another file. */
static int refuse_file(struct cr_err *why, const char *hint, const struct cr_err *err)
{
    int r = refuse(why, NULL, err);

    return r == CAPRUN_E_NOMEM ? r : cr_err_hint(why, "%s%s", hint, cr_words[CR_WORD_CONFIG]);
}

/* Returns "|dir|/|name|", which the caller frees; NULL: no memory. */
static char *join(const char *dir, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", strcmp(dir, "/") == 0 ? "" : dir, name) < 0 ? NULL : path;
}

/* Looks for the file in |dir|. Returns 0 and a path to be freed; 1 without a file; or an error. */
static int find_in_dir(const char *dir, char **ret, struct cr_err *why)
{
    char *path = join(dir, CR_CONFIG_NAME);
    struct stat st;
    struct cr_err err;
    int r;

    if (!path)
        return cr_err_memory(why);
    if (lstat(path, &st) == 0) {
        *ret = path;
        return 0;
    }
    r = errno == ENOENT ? 1 : cr_err_sys(&err, "cannot look for '%s'", path);
    free(path);
    return r == 1 ? 1
                  : refuse_file(why, "change to another directory, or name the file with ", &err);
}

/* Cuts the last part off |dir|. Returns false if it is the root. */
static bool go_up(char *dir)
{
    char *slash = strrchr(dir, '/');

    if (strcmp(dir, "/") == 0)
        return false;
    slash[slash == dir] = '\0';
    return true;
}

/* The same in |dir| and the directories above it. */
static int find_upwards(const char *dir, char **ret, struct cr_err *why)
{
    char *above = strdup(dir);
    int r;

    if (!above)
        return cr_err_memory(why);
    do {
        r = find_in_dir(above, ret, why);
    } while (r == 1 && go_up(above));
    free(above);
    return r;
}

/* The caller frees *|ret|. */
static int find_working_dir(char **ret, struct cr_err *why)
{
    struct cr_err err;

    *ret = getcwd(NULL, 0);
    if (*ret)
        return 0;
    if (errno == ENOMEM)
        return cr_err_memory(why);
    (void)cr_err_sys(&err, "cannot look for " CR_CONFIG_NAME ": the working directory is gone");
    return refuse_file(why,
                       "change to one that is there, or name the file by its whole path: ", &err);
}

/*
 * Fills |c->path|: with |path| below the directory |here|; if |path| is NULL, with the file that is
 * found from |here| upwards. Returns 0, 1 if there is no file, or an error.
 */
static int find_from(struct cr_config *c, const char *here, const char *path, struct cr_err *why)
{
    if (!path)
        return find_upwards(here, &c->path, why);
    c->path = join(here, path);
    return c->path ? 0 : cr_err_memory(why);
}

/* The same for absolute paths, too; also fills |c->dir|. */
static int find_file(struct cr_config *c, const char *path, struct cr_err *why)
{
    char *here = NULL;
    const char *start;
    int r;

    if (path && path[0] == '/') {
        r = find_from(c, "", path + 1, why);
    } else {
        r = find_working_dir(&here, why);
        if (r == 0)
            r = find_from(c, here, path, why);
    }
    start = c->path ? c->path : here;
    c->dir = start ? strdup(start) : NULL;
    free(here);
    if (r < 0)
        return r;
    if (!c->dir)
        return cr_err_memory(why);
    if (r == 0)
        (void)go_up(c->dir);
    return r;
}

int cr_config_find_path(char **ret, struct cr_err *why)
{
    char *here = NULL;
    int r = find_working_dir(&here, why);

    if (r == 0)
        r = find_upwards(here, ret, why);
    free(here);
    return r;
}

/* --- reading it --------------------------------------------------------------------------- */

static int refuse_owner(const struct cr_config *c, struct cr_err *why, const struct cr_err *err)
{
    return c->is_users ? refuse(why,
                                "make it yours alone (chown, chmod go-w), or set XDG_CONFIG_HOME "
                                "to another directory",
                                err)
                       : refuse_file(why,
                                     "make it yours alone (chown, chmod go-w), or name another "
                                     "file with ",
                                     err);
}

/* Checks the file and a link to it: a user who can change one of them decides what is allowed. */
static int check_owner(const struct cr_config *c, const struct stat *file, struct cr_err *why)
{
    const char *path = c->path;
    struct cr_err err;
    struct stat link;
    char name[4096];

    (void)snprintf(name, sizeof(name), "'%s'", path);
    if (lstat(path, &link) < 0) {
        (void)cr_err_sys(&err, "cannot look at %s", name);
        return refuse(why, NULL, &err);
    }
    if (S_ISLNK(link.st_mode)) {
        link.st_mode = S_IFLNK; /* the mode bits of a link mean nothing */
        if (cr_file_check_owner(&link, name, &err) < 0)
            return refuse_owner(c, why, &err);
    } else if (link.st_dev != file->st_dev || link.st_ino != file->st_ino) {
        (void)cr_err_set(&err, CAPRUN_E_INVAL, "%s was replaced while it was read", name);
        return refuse(why, "try again", &err);
    }
    return cr_file_check_owner_or_group(AT_FDCWD, path, file, name, &err) < 0
               ? refuse_owner(c, why, &err)
               : 0;
}

static int read_text(struct cr_config *c, struct cr_err *why)
{
    struct cr_err err;
    struct stat st;
    int r = cr_file_read(AT_FDCWD, c->path, &c->text, &st, &err);

    if (r == 1)
        return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL,
                          "'%s' is not there, or is a link that leads nowhere", c->path);
    if (r < 0)
        return refuse(why, NULL, &err);
    return check_owner(c, &st, why);
}

static int parse(struct cr_config *c, struct cr_err *why)
{
    size_t line, column;
    struct cr_err err;
    const char *words;

    if (cr_json_parse(c->text.data, c->text.len, &c->doc, &err) == 0)
        return 0;
    if (err.code == CAPRUN_E_NOMEM)
        return cr_err_memory(why);
    words = cr_scan_place(&err, &line, &column);
    return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL, "%s:%zu:%zu: %s", c->path, line,
                      column, words);
}

char *cr_config_path(const char *dir, const char *path)
{
    if (path[0] == '/')
        return strdup(path);
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    return !*path || strcmp(path, ".") == 0 ? strdup(dir) : join(dir, path);
}

char *cr_config_locate(const char *dir, const char *place)
{
    return strstr(place, "://") ? strdup(place) : cr_config_path(dir, place);
}

static void begin(struct cr_config *c)
{
    *c = (struct cr_config){0};
    cr_buf_init(&c->text, MAX_FILE);
    cr_buf_init(&c->warnings, MAX_WARNINGS);
}

/* Reads the file, which was found. */
static int read_document(struct cr_config *c, struct cr_err *why)
{
    int r = read_text(c, why);

    return r == 0 ? parse(c, why) : r;
}

int cr_config_check_plain(struct cr_config *config, struct cr_err *why)
{
    bool was_plain = config->is_plain;
    int r;

    config->is_plain = true;
    r = cr_shape_check(config, why);
    config->is_plain = was_plain;
    cr_buf_clear(&config->warnings);
    cr_buf_init(&config->warnings, MAX_WARNINGS);
    return r;
}

/* Checks and takes what was read. */
static int take_document(struct cr_config *c, struct cr_err *why)
{
    int r = cr_shape_check(c, why);

    if (r == 0 && cr_fields_take(c) < 0)
        r = cr_err_memory(why);
    if (r == 0)
        r = cr_config_rules_take(c, why);
    return r;
}

/* --- the user's file ---------------------------------------------------------------------- */

/* Returns 0, 1 if there is no such file, or an error. */
static int find_user_file(const char *path, struct cr_err *why)
{
    struct cr_err err;
    struct stat st;

    if (lstat(path, &st) == 0)
        return 0;
    if (errno == ENOENT || errno == ENOTDIR)
        return 1;
    (void)cr_err_sys(&err, "cannot look for your configuration, '%s'", path);
    return refuse(
        why, "make its directory readable for you, or set XDG_CONFIG_HOME to another directory",
        &err);
}

/* The caller frees |c| with cr_config_clear(), also after an error. */
static int read_user_file(struct cr_config *c, const char *path, struct cr_err *why)
{
    int r;

    c->path = strdup(path);
    c->dir = strdup(path);
    if (!c->path || !c->dir)
        return cr_err_memory(why);
    (void)go_up(c->dir);
    r = read_document(c, why);
    return r == 0 ? take_document(c, why) : r;
}

static int add_user_file(struct cr_config *c, const char *path, struct cr_err *why)
{
    int r = find_user_file(path, why);

    if (r != 0)
        return r == 1 ? 0 : r;
    c->user = malloc(sizeof(*c->user));
    if (!c->user)
        return cr_err_memory(why);
    begin(c->user);
    c->user->is_users = true;
    return read_user_file(c->user, path, why);
}

/* --- all ---------------------------------------------------------------------------------- */

/* The file was found: asks |gate|, which also needs the user's file. */
static int take_project_file(struct cr_config *c, const struct cr_config_gate *gate,
                             struct cr_err *why)
{
    int r = gate ? gate->decide(gate->data, c, why) : 0;

    return r == 0 ? take_document(c, why) : r;
}

/* Reads both files. Either may be missing. */
static int load(struct cr_config *c, const char *path, const char *user,
                const struct cr_config_gate *gate, struct cr_err *why)
{
    int r = find_file(c, path, why);
    bool has_file = r == 0;

    if (has_file)
        r = read_document(c, why);
    if (r >= 0 && user)
        r = add_user_file(c, user, why);
    if (r >= 0 && has_file)
        r = take_project_file(c, gate, why);
    return r >= 0 && c->user ? cr_merge_user(c, why) : r;
}

int cr_config_load_gated(const char *path, const char *user, const struct cr_config_gate *gate,
                         struct cr_config *ret, struct cr_err *why)
{
    struct cr_config c;
    int r;

    begin(&c);
    r = load(&c, path, user, gate, why);
    if (r < 0) {
        cr_config_clear(&c);
        return r;
    }
    *ret = c;
    return 0;
}

int cr_config_load_both(const char *path, const char *user, struct cr_config *ret,
                        struct cr_err *why)
{
    return cr_config_load_gated(path, user, NULL, ret, why);
}

int cr_config_load(const char *path, struct cr_config *ret, struct cr_err *why)
{
    return cr_config_load_both(path, NULL, ret, why);
}

void cr_config_clear(struct cr_config *config)
{
    cr_fields_clear(config);
    cr_config_rules_clear(config);
    free(config->path);
    free(config->dir);
    cr_json_clear(&config->doc);
    cr_buf_clear(&config->text);
    cr_buf_clear(&config->warnings);
    if (config->user)
        cr_config_clear(config->user);
    free(config->user);
    if (config->remembered)
        cr_config_clear(config->remembered);
    free(config->remembered);
    *config = (struct cr_config){0};
}

char *const *cr_config_granted(const struct cr_config *config, const char *name)
{
    for (size_t i = 0; i < config->grant_count; i++)
        if (strcmp(config->grants[i].name, name) == 0)
            return config->grants[i].variables;
    return NULL;
}
