/* trust_store.c - reads and writes the files of accepted configurations. */
#include "cli/trust_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/settings.h"

#define MAX_HEAD (7u * PATH_MAX)
#define MAX_FILE (2u << 20)
#define FOLDER "/trust"

int cr_trust_store_place(const char *path, char ret[PATH_MAX], struct cr_err *why)
{
    const char *slash = strrchr(path, '/');
    char dir[PATH_MAX], real[PATH_MAX];
    struct cr_err err;

    (void)snprintf(dir, sizeof(dir), "%.*s", slash == path ? 1 : (int)(slash - path), path);
    if (!realpath(dir, real)) {
        (void)cr_err_sys(&err, "cannot find the directory of '%s'", path);
        return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL, "%s", err.text);
    }
    if (snprintf(ret, PATH_MAX, "%s%s", strcmp(real, "/") == 0 ? "" : real, slash) >= PATH_MAX)
        return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, NULL, "the path of '%s' is too long",
                          path);
    return 0;
}

/* --- where it is -------------------------------------------------------------------------- */

static int refuse(struct cr_err *why, const char *file, const char *words)
{
    return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR,
                      "remove that file, then accept the configuration again: caprun trust",
                      "cannot know which configurations were accepted: '%s' %s", file, words);
}

static int refuse_system(struct cr_err *why, const char *what, const char *path)
{
    return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR,
                      "make it yours alone (chown, chmod), or set XDG_STATE_HOME to another "
                      "directory",
                      "cannot %s '%s', which says which configurations were accepted: %s", what,
                      path, strerror(errno));
}

/* Writes the path of the folder. */
static int find_folder(char ret[PATH_MAX + sizeof(FOLDER)], struct cr_err *why)
{
    char state[PATH_MAX];

    cr_settings_state_dir(state);
    if (!state[0])
        return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, "set HOME to your home directory",
                          "there is no state directory, so no configuration can be accepted");
    (void)snprintf(ret, PATH_MAX + sizeof(FOLDER), "%s" FOLDER, state);
    return 0;
}

/* Opens the folder. Returns the descriptor, which the caller closes; -1 without one; or an error,
 * which is below -1. */
static int open_folder(char path[PATH_MAX + sizeof(FOLDER)], struct cr_err *why)
{
    cr_autoclose int fd = -1;
    struct cr_err err;
    struct stat st;

    if (find_folder(path, why) < 0)
        return -2;
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return -1;
    if (fd < 0 || fstat(fd, &st) < 0) {
        (void)refuse_system(why, "open", path);
        return -2;
    }
    if (cr_file_check_owner(&st, "it", &err) < 0) {
        (void)refuse(why, path, err.text + strlen("it "));
        return -2;
    }
    return cr_steal_fd(&fd);
}

static void name_file(const char *place, char ret[CR_HASH_DIGITS + 1])
{
    uint8_t hash[CR_HASH_BYTES];

    cr_hash_take(place, strlen(place), hash);
    cr_hash_show(hash, ret);
}

/* --- one file ----------------------------------------------------------------------------- */

static void write_head(struct cr_buf *out, const char *place, const void *bytes, size_t len)
{
    char digits[CR_HASH_DIGITS + 1];
    uint8_t hash[CR_HASH_BYTES];

    cr_hash_take(bytes, len, hash);
    cr_hash_show(hash, digits);
    cr_buf_str(out, "{\"version\":1,\"path\":");
    cr_escape_json_str(out, place);
    cr_buf_fmt(out, ",\"sha256\":\"%s\"}\n", digits);
}

/* Reads |name| in the folder |dir|, whose path is |folder|. Returns 0, 1, or CONFIG_ERROR. */
static int read_file(int dir, const char *folder, const char *name, struct cr_buf *ret,
                     struct cr_err *why)
{
    char path[PATH_MAX + 128];
    struct cr_err err;
    struct stat st;
    int r = cr_file_read(dir, name, ret, &st, &err);

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (r == CAPRUN_E_SYS)
        return refuse_system(why, "read", path);
    if (r < 0)
        return refuse(why, path, "is no file of caprun");
    if (r == 0 && cr_file_check_owner(&st, "it", &err) < 0)
        return refuse(why, path, err.text + strlen("it "));
    return r;
}

/* Cuts the head off, if it is that of |place| and of the bytes after it. */
static bool take_head(struct cr_buf *file, const char *place)
{
    cr_autobuf struct cr_buf head = CR_BUF(MAX_HEAD);
    const uint8_t *end = file->len ? memchr(file->data, '\n', file->len) : NULL;
    size_t len = end ? (size_t)(end + 1 - file->data) : 0;

    if (!len)
        return false;
    write_head(&head, place, file->data + len, file->len - len);
    if (cr_buf_err(&head) || head.len != len || memcmp(head.data, file->data, len) != 0)
        return false;
    cr_buf_drop(file, len);
    return true;
}

int cr_trust_store_read(const char *place, struct cr_buf *ret, struct cr_err *why)
{
    cr_autobuf struct cr_buf file = CR_BUF(MAX_FILE);
    char folder[PATH_MAX + sizeof(FOLDER)], name[CR_HASH_DIGITS + 1], path[PATH_MAX + 128];
    cr_autoclose int dir = open_folder(folder, why);
    int r;

    if (dir < 0)
        return dir == -1 ? 1 : CAPRUN_E_INVAL;
    name_file(place, name);
    r = read_file(dir, folder, name, &file, why);
    if (r != 0)
        return r;
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (!take_head(&file, place))
        return refuse(why, path, "is damaged");
    cr_buf_add(ret, file.data, file.len);
    return cr_buf_err(ret) ? cr_err_memory(why) : 0;
}

int cr_trust_store_write(const char *place, const void *bytes, size_t len, struct cr_err *why)
{
    cr_autobuf struct cr_buf file = CR_BUF(MAX_FILE);
    char folder[PATH_MAX + sizeof(FOLDER)], name[CR_HASH_DIGITS + 1], path[PATH_MAX + 128];

    if (find_folder(folder, why) < 0)
        return CAPRUN_E_INVAL;
    name_file(place, name);
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    write_head(&file, place, bytes, len);
    cr_buf_add(&file, bytes, len);
    if (cr_buf_err(&file))
        return cr_err_memory(why);
    if (cr_file_make_dirs(folder) < 0 ||
        cr_file_replace(AT_FDCWD, path, file.data, file.len, 0600, NULL) < 0)
        return refuse_system(why, "write", path);
    return 0;
}

int cr_trust_store_remove(const char *place, struct cr_err *why)
{
    char folder[PATH_MAX + sizeof(FOLDER)], name[CR_HASH_DIGITS + 1], path[PATH_MAX + 128];

    if (find_folder(folder, why) < 0)
        return CAPRUN_E_INVAL;
    name_file(place, name);
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (unlink(path) == 0)
        return 0;
    return errno == ENOENT || errno == ENOTDIR ? 1 : refuse_system(why, "remove", path);
}

/* --- all files ---------------------------------------------------------------------------- */

/* Writes the place that the head of |file| names. */
static bool find_place(const struct cr_buf *file, char ret[PATH_MAX])
{
    const uint8_t *end = file->len ? memchr(file->data, '\n', file->len) : NULL;
    struct cr_json_doc doc = {0};
    const struct cJSON *path;

    if (!end || cr_json_parse(file->data, (size_t)(end - file->data), &doc, NULL) < 0)
        return false;
    path = cr_json_get(doc.root, "path");
    if (path && cr_json_type(path) != CR_JSON_STRING)
        path = NULL;
    (void)snprintf(ret, PATH_MAX, "%s", path ? cr_json_text(path) : "");
    cr_json_clear(&doc);
    return path;
}

static void visit(int dir, const char *folder, const char *name,
                  void (*each)(void *data, const char *place, const char *trouble), void *data)
{
    cr_autobuf struct cr_buf file = CR_BUF(MAX_FILE);
    char place[PATH_MAX], own_name[CR_HASH_DIGITS + 1], path[PATH_MAX + 128];
    struct cr_err why;
    int r = read_file(dir, folder, name, &file, &why);

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (r == 1)
        return; /* it has just been withdrawn */
    if (r < 0) {
        each(data, path, why.text);
        return;
    }
    if (find_place(&file, place)) {
        name_file(place, own_name);
        if (strcmp(own_name, name) == 0 && take_head(&file, place)) {
            each(data, place, NULL);
            return;
        }
    }
    each(data, path, "is damaged");
}

static bool is_name(const char *name)
{
    return strlen(name) == CR_HASH_DIGITS && !name[strspn(name, "0123456789abcdef")];
}

int cr_trust_store_each(void (*each)(void *data, const char *place, const char *trouble),
                        void *data, struct cr_err *why)
{
    char folder[PATH_MAX + sizeof(FOLDER)];
    cr_autoclose int dir = open_folder(folder, why);
    const struct dirent *entry;
    DIR *stream;
    int copy;

    if (dir < 0)
        return dir == -1 ? 0 : CAPRUN_E_INVAL;
    copy = fcntl(dir, F_DUPFD_CLOEXEC, 0);
    stream = copy < 0 ? NULL : fdopendir(copy);
    if (!stream) {
        if (copy >= 0)
            (void)close(copy);
        return refuse_system(why, "list", folder);
    }
    while ((entry = readdir(stream)))
        if (is_name(entry->d_name))
            visit(dir, folder, entry->d_name, each, data);
    (void)closedir(stream);
    return 0;
}
