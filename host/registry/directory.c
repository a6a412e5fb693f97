/* directory.c - finds a capability by file name, and reads its metadata and code. */
#include "registry/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

/* The most that are read to find the newest version. */
#define MOST_VERSIONS 1000u
#define MOST_VERSIONS_BYTES (16u << 20)
#define FILE_NAME_SIZE (CR_FQDN_MAX + sizeof(".json"))

struct search {
    const struct cr_job *job;
    const char *path;
    DIR *list;
    const struct cr_fqdn *want;
    struct cr_metadata best; /* all zeros: not found yet */
    char best_file[CR_FQDN_MAX + 1];
    char tied_file[CR_FQDN_MAX + 1]; /* published at the same time as |best|, or "" */
    const char *code_suffix;         /* of the code beside |best| */
    size_t versions, bytes;          /* that were read */
    struct cr_err *why;
};

/* Returns the length of NAME if |entry| is NAME.json, else 0. */
static size_t name_length(const char *entry)
{
    size_t len = strlen(entry), suffix = strlen(".json");

    return len > suffix && strcmp(entry + len - suffix, ".json") == 0 ? len - suffix : 0;
}

/* Gets the capability's name from the file name |entry|. Returns false if it is not NAME.json. */
static bool parse_file_name(const char *entry, struct cr_fqdn *ret, struct cr_err *why)
{
    size_t len = name_length(entry);
    char name[NAME_MAX + 1];

    (void)snprintf(name, sizeof(name), "%.*s", (int)len, entry);
    return len && cr_fqdn_parse(name, ret, why) == 0;
}

static DIR *open_directory(const char *path, struct cr_err *why)
{
    DIR *list = opendir(path);

    if (!list && errno == ENOMEM)
        (void)cr_err_memory(why);
    else if (!list)
        (void)cr_err_end(why, CAPRUN_OUTCOME_NOT_FOUND,
                         "a registry is a directory or a URL that starts with http",
                         "cannot open the registry '%s': %s", path, strerror(errno));
    return list;
}

static bool has_file(DIR *list, const char *name, size_t name_len, const char *suffix)
{
    char file[NAME_MAX + 1];

    (void)snprintf(file, sizeof(file), "%.*s%s", (int)name_len, name, suffix);
    return faccessat(dirfd(list), file, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Is there code beside the metadata |entry|? */
static bool has_code(DIR *list, const char *entry)
{
    size_t len = name_length(entry);

    return has_file(list, entry, len, ".js") || has_file(list, entry, len, ".ts");
}

int cr_directory_list(const char *path, void (*each)(void *data, const struct cr_fqdn *name),
                      void (*stray)(void *data, const char *file, const char *wrong), void *data,
                      struct cr_err *why)
{
    DIR *list = open_directory(path, why);
    const struct dirent *entry;
    struct cr_fqdn name;
    struct cr_err wrong;

    if (!list)
        return CAPRUN_E_INVAL;
    while ((entry = readdir(list)))
        if (parse_file_name(entry->d_name, &name, &wrong))
            each(data, &name);
        else if (stray && name_length(entry->d_name) && has_code(list, entry->d_name))
            stray(data, entry->d_name, wrong.text);
    (void)closedir(list);
    return 0;
}

/* Reads the metadata of |name|, and checks that its "fqdn" matches. Returns 0, 1 or an error. */
static int read_metadata(struct search *s, const char *name, struct cr_metadata *ret)
{
    char file[FILE_NAME_SIZE], where[4096];
    struct cr_fqdn asked;
    struct cr_buf text;
    struct cr_err err;
    int r;

    (void)snprintf(file, sizeof(file), "%s.json", name);
    (void)snprintf(where, sizeof(where), "%s/%s", s->path, file);
    cr_buf_init(&text, CR_METADATA_MAX);
    r = cr_file_read(dirfd(s->list), file, &text, NULL, &err);
    if (r != 0) {
        cr_buf_clear(&text);
        if (r == CAPRUN_E_NOMEM)
            (void)cr_err_memory(s->why);
        else if (r < 0)
            (void)cr_err_end(s->why, CAPRUN_OUTCOME_METADATA_INVALID, NULL, "%s (in '%s')",
                             err.text, s->path);
        return r;
    }
    s->bytes += text.len;
    r = cr_metadata_parse(&text, where, ret, s->why);
    if (r < 0)
        return r;
    (void)cr_fqdn_parse(name, &asked, &err);
    if (cr_fqdn_finds(&asked, &ret->fqdn))
        return 0;
    (void)cr_err_end(s->why, CAPRUN_OUTCOME_METADATA_INVALID,
                     "the file's name and its \"fqdn\" have to be the same",
                     "the metadata '%s' is of another capability: its \"fqdn\" is \"%s\"", where,
                     ret->fqdn.full);
    cr_metadata_clear(ret);
    return CAPRUN_E_INVAL;
}

/* Reads the metadata of |name|, and keeps it if it is newer than the best so far. */
static int keep_if_newer(struct search *s, const char *name)
{
    struct cr_metadata meta;
    int r = read_metadata(s, name, &meta);

    if (r != 0)
        return r < 0 ? r : 0; /* 1: the file was removed meanwhile */
    if (s->best_file[0] && meta.published_ms <= s->best.published_ms) {
        if (meta.published_ms == s->best.published_ms)
            (void)snprintf(s->tied_file, sizeof(s->tied_file), "%s", name);
        cr_metadata_clear(&meta);
        return 0;
    }
    cr_metadata_clear(&s->best);
    s->best = meta;
    (void)snprintf(s->best_file, sizeof(s->best_file), "%s", name);
    s->tied_file[0] = '\0';
    return 0;
}

/* May the next version be read? A registry must not keep the helper for long. */
static int check_versions(struct search *s)
{
    if (s->versions++ < MOST_VERSIONS && s->bytes < MOST_VERSIONS_BYTES)
        return 0;
    return cr_err_end(s->why, CAPRUN_OUTCOME_METADATA_INVALID,
                      "give the whole name, with its hash, or remove old versions",
                      "'%s' has too many versions in '%s' to find the newest: over %u, or over %u "
                      "MiB of metadata",
                      s->want->name, s->path, MOST_VERSIONS, MOST_VERSIONS_BYTES >> 20);
}

static int find_newest(struct search *s)
{
    const struct dirent *entry;
    struct cr_fqdn name;
    int r;

    while ((entry = readdir(s->list))) {
        if (s->job->abandoned)
            return cr_err_end(s->why, CAPRUN_OUTCOME_CANCELLED, NULL, "Cancelled");
        if (!parse_file_name(entry->d_name, &name, NULL) || !cr_fqdn_finds(s->want, &name))
            continue;
        r = check_versions(s);
        if (r == 0)
            r = keep_if_newer(s, name.full);
        if (r < 0)
            return r;
    }
    if (!s->tied_file[0])
        return s->best_file[0] ? 0 : 1;
    return cr_err_end(s->why, CAPRUN_OUTCOME_METADATA_INVALID,
                      "give the whole name, with its hash, or a later \"publishedAt\" to one",
                      "it is not known which '%s' is the newest: '%s' and '%s' in '%s' were "
                      "published at the same time, or have no \"publishedAt\"",
                      s->want->name, s->best_file, s->tied_file, s->path);
}

static int find_exactly(struct search *s)
{
    int r = read_metadata(s, s->want->full, &s->best);

    (void)snprintf(s->best_file, sizeof(s->best_file), "%s", s->want->full);
    return r;
}

/* Finds out whether the code is JavaScript or TypeScript. */
static int choose_code(struct search *s)
{
    size_t len = strlen(s->best_file);
    bool is_typescript = has_file(s->list, s->best_file, len, ".ts");

    s->code_suffix = is_typescript ? ".ts" : ".js";
    s->best.is_typescript = is_typescript;
    if (!is_typescript || !has_file(s->list, s->best_file, len, ".js"))
        return 0;
    return cr_err_end(s->why, CAPRUN_OUTCOME_METADATA_INVALID, "remove the one that is not meant",
                      "it is not known which is the code: '%s.js' and '%s.ts' are both in '%s'",
                      s->best_file, s->best_file, s->path);
}

static int read_code(struct search *s, struct cr_buf *code)
{
    char file[FILE_NAME_SIZE];
    struct cr_err err;
    int r = choose_code(s);

    if (r < 0)
        return r;
    (void)snprintf(file, sizeof(file), "%s%s", s->best_file, s->code_suffix);
    r = cr_file_read(dirfd(s->list), file, code, NULL, &err);
    if (r == 0)
        return 0;
    if (r == CAPRUN_E_NOMEM)
        return cr_err_memory(s->why);
    if (r > 0)
        return cr_err_end(s->why, CAPRUN_OUTCOME_NOT_FOUND, "the code belongs beside it",
                          "'%s/%s.json' is there, but '%s' is not", s->path, s->best_file, file);
    return cr_err_end(
        s->why, r == CAPRUN_E_TOOBIG ? CAPRUN_OUTCOME_VALIDATION_ERROR : CAPRUN_OUTCOME_NOT_FOUND,
        NULL, "%s (in '%s')", err.text, s->path);
}

static int check_one_owner(const struct search *s, const char *name, struct cr_err *err)
{
    char shown[4096];
    struct stat st;

    if (strcmp(name, ".") == 0)
        (void)snprintf(shown, sizeof(shown), "'%s'", s->path);
    else
        (void)snprintf(shown, sizeof(shown), "'%s/%s'", s->path, name);
    if (fstatat(dirfd(s->list), name, &st, 0) < 0)
        return cr_err_sys(err, "cannot look at %s", shown);
    if (st.st_uid != geteuid())
        return cr_err_set(err, CAPRUN_E_INVAL, "%s belongs to another user (uid %u)", shown,
                          (unsigned)st.st_uid);
    return cr_file_check_owner_or_group(dirfd(s->list), name, &st, shown, err);
}

/*
 * If a file was replaced after it was read, this user has replaced it: only the owner of the
 * directory can do that.
 */
static void check_owner(const struct search *s, struct cr_err *ret)
{
    char file[FILE_NAME_SIZE];
    int r = check_one_owner(s, ".", ret);

    (void)snprintf(file, sizeof(file), "%s.json", s->best_file);
    if (r == 0)
        r = check_one_owner(s, file, ret);
    (void)snprintf(file, sizeof(file), "%s%s", s->best_file, s->code_suffix);
    if (r == 0 && s->best.type == CR_METADATA_CODE)
        r = check_one_owner(s, file, ret);
    if (r == 0)
        *ret = (struct cr_err){0};
}

int cr_directory_load(const struct cr_job *job, const char *path, const struct cr_fqdn *want,
                      struct cr_metadata *ret, struct cr_buf *code, struct cr_err *ret_owned,
                      struct cr_err *why)
{
    struct search s = {
        .job = job, .path = path, .list = open_directory(path, why), .want = want, .why = why};
    int r;

    if (!s.list)
        return why->code;
    r = want->hash[0] ? find_exactly(&s) : find_newest(&s);
    if (r == 0 && s.best.type == CR_METADATA_CODE)
        r = read_code(&s, code);
    if (r == 0 && ret_owned)
        check_owner(&s, ret_owned);
    (void)closedir(s.list);
    if (r == 0)
        *ret = s.best;
    else
        cr_metadata_clear(&s.best);
    return r;
}
