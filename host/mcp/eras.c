/* eras.c - reads and writes era files: one for each endpoint, named by the hash of its key. */
#include "mcp/eras.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

#define MAX_KEY (4u << 20)

static const char *const words[] = {
    [CR_ERA_UNKNOWN] = "", [CR_ERA_MODERN] = "modern\n", [CR_ERA_LEGACY] = "legacy\n"};

/* Hashes each string with its NUL, so that different keys never have the same bytes. */
static bool name_of(const char *const *key, char ret[CR_HASH_DIGITS + 1])
{
    uint8_t hash[CR_HASH_BYTES];
    struct cr_buf all;
    bool whole;

    cr_buf_init(&all, MAX_KEY);
    for (; *key; key++)
        cr_buf_add(&all, *key, strlen(*key) + 1);
    whole = cr_buf_err(&all) == 0;
    if (whole) {
        cr_hash_take(all.data, all.len, hash);
        cr_hash_show(hash, ret);
    }
    cr_buf_clear(&all);
    return whole;
}

static int open_dir(const char *dir)
{
    return dir ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
}

enum cr_era cr_eras_recall(const char *dir, const char *const *key)
{
    cr_autoclose int fd = open_dir(dir);
    enum cr_era era = CR_ERA_UNKNOWN;
    char name[CR_HASH_DIGITS + 1];
    struct cr_buf text;

    if (fd < 0 || !name_of(key, name))
        return CR_ERA_UNKNOWN;
    cr_buf_init(&text, 16);
    if (cr_file_read(fd, name, &text, NULL, NULL) == 0 && cr_buf_text(&text)) {
        if (strcmp(cr_buf_text(&text), words[CR_ERA_MODERN]) == 0)
            era = CR_ERA_MODERN;
        else if (strcmp(cr_buf_text(&text), words[CR_ERA_LEGACY]) == 0)
            era = CR_ERA_LEGACY;
    }
    cr_buf_clear(&text);
    return era;
}

/* |name| is the hash of the key. */
static void write_file(const char *dir, const char *name, enum cr_era era)
{
    cr_autoclose int fd = -1;

    (void)cr_file_make_dirs(dir);
    fd = open_dir(dir);
    if (fd < 0)
        return;
    if (era == CR_ERA_UNKNOWN)
        (void)unlinkat(fd, name, 0);
    else
        (void)cr_file_replace(fd, name, words[era], strlen(words[era]), 0600, NULL);
}

void cr_eras_remember(const char *dir, const char *const *key, enum cr_era era)
{
    char name[CR_HASH_DIGITS + 1];

    if (dir && name_of(key, name))
        write_file(dir, name, era);
}

/* --- by the helper ---------------------------------------------------------------------------- */

struct era_job {
    struct cr_job job;
    enum cr_era era;
    char name[CR_HASH_DIGITS + 1];
    char dir[];
};

static void work(struct cr_job *job)
{
    struct era_job *e = cr_container(job, struct era_job, job);

    write_file(e->dir, e->name, e->era);
}

static void free_job(struct cr_job *job)
{
    free(cr_container(job, struct era_job, job));
}

/* Returns NULL if there is no memory. */
static struct cr_job *new_job(const char *dir, const char *const *key, enum cr_era era)
{
    struct era_job *e = malloc(sizeof(*e) + strlen(dir) + 1);

    if (!e || !name_of(key, e->name)) {
        free(e);
        return NULL;
    }
    e->job = (struct cr_job){.work = work, .done = free_job, .discard = free_job, .name = "eras"};
    e->era = era;
    (void)stpcpy(e->dir, dir);
    return &e->job;
}

void cr_eras_remember_later(struct cr_loop *loop, const char *dir, const char *const *key,
                            enum cr_era era)
{
    struct cr_job *job = dir ? new_job(dir, key, era) : NULL;

    if (job)
        cr_helper_submit(&loop->disk, job);
}
