/* blob_job.c - jobs of the helper thread that hash, write and read blobs. */
#include "journal/blob_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loop.h"
#include "base/scan.h"
#include "journal/blobs.h"

static struct cr_blob_job *job_of(struct cr_job *job)
{
    return cr_container(job, struct cr_blob_job, job);
}

static void free_job(struct cr_blob_job *b)
{
    cr_shared_unref(b->shared);
    cr_buf_clear(&b->read);
    free(b->path);
    free(b);
}

static void finish(struct cr_job *job)
{
    struct cr_blob_job *b = job_of(job);

    cr_shared_unref(b->shared); /* done() may need the only reference */
    b->shared = NULL;
    b->done(b);
    free_job(b);
}

static void discard(struct cr_job *job)
{
    if (job_of(job)->is_due)
        finish(job);
    else
        free_job(job_of(job));
}

static void store_blob(struct cr_job *job)
{
    struct cr_blob_job *b = job_of(job);
    struct cr_line_blob blob = {.bytes = b->bytes, .len = b->len};
    uint8_t hash[CR_HASH_BYTES];

    if (!b->is_json)
        b->is_json = cr_scan_json(b->bytes, b->len, CR_SCAN_PASS, NULL) == 0;
    cr_hash_take(b->bytes, b->len, hash);
    cr_hash_show(hash, b->name);
    memcpy(blob.name, b->name, sizeof(blob.name));
    if (b->path)
        b->is_new = cr_blobs_write(b->path, &blob, &b->err) == 0;
}

/* The hash is right, but the journal is untrusted, so the blob need not be JSON. */
static void read_blob(struct cr_job *job)
{
    struct cr_blob_job *b = job_of(job);

    if (cr_blobs_read(b->path, b->name, b->len, &b->read, &b->err) < 0 ||
        (b->is_args && cr_scan_json(b->read.data, b->read.len, CR_SCAN_STRICT, &b->verdict) == 0))
        return;
    (void)cr_scan_json(b->read.data, b->read.len, CR_SCAN_PASS, &b->err);
}

static struct cr_blob_job *new_job(const char *path, void (*work)(struct cr_job *job),
                                   void (*done)(struct cr_blob_job *b), void *data)
{
    struct cr_blob_job *b = calloc(1, sizeof(*b));

    if (!b)
        return NULL;
    b->job = (struct cr_job){.work = work, .done = finish, .discard = discard, .name = "blob"};
    b->done = done;
    b->data = data;
    b->path = path ? strdup(path) : NULL;
    if (!path || b->path)
        return b;
    free(b);
    return NULL;
}

struct cr_blob_job *cr_blob_job_keep(struct cr_helper *disk, const char *path,
                                     struct cr_shared *shared, const void *bytes, size_t len,
                                     bool is_json, void (*done)(struct cr_blob_job *b), void *data)
{
    struct cr_blob_job *b = new_job(path, store_blob, done, data);

    if (!b)
        return NULL;
    b->shared = cr_shared_ref(shared);
    b->bytes = bytes;
    b->len = len;
    b->is_json = is_json;
    b->job.bytes = len;
    cr_helper_submit(disk, &b->job);
    return b;
}

struct cr_blob_job *cr_blob_job_read(struct cr_helper *disk, const char *path, const char *name,
                                     size_t len, bool is_args, void (*done)(struct cr_blob_job *b),
                                     void *data)
{
    struct cr_blob_job *b = new_job(path, read_blob, done, data);

    if (!b)
        return NULL;
    (void)snprintf(b->name, sizeof(b->name), "%s", name);
    b->len = len;
    b->is_args = is_args;
    b->job.bytes = len;
    cr_buf_init(&b->read, len + 1);
    cr_helper_submit(disk, &b->job);
    return b;
}
