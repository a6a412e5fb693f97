/*
 * blob_job.h - blobs whose hashing, writing and reading is done beside the loop, by its helper for
 * disks. A job is on the heap, and has all that it needs.
 */
#ifndef CR_BLOB_JOB_H
#define CR_BLOB_JOB_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/helper.h"
#include "base/shared.h"

struct cr_blob_job {
    struct cr_job job;
    void (*done)(struct cr_blob_job *b); /* in the loop; then it is freed */
    void *data;                          /* of whoever has made it */
    char *path;                          /* of the journal; NULL: the blob is only named */
    struct cr_shared *shared;
    const void *bytes;
    size_t len;
    char name[CR_HASH_DIGITS + 1];
    struct cr_buf read;
    bool is_new;           /* it was not there before */
    bool is_json;          /* of one that is kept */
    bool is_args;          /* of one that is read: the strict scanner is to judge it */
    struct cr_err verdict; /* of the strict scanner */
    struct cr_err err;     /* its code is 0 if all went well */
    bool is_due;           /* done() is called even if the loop ends before */
};

/*
 * Names the |len| bytes at |bytes|, of which it takes a reference to |shared|, and writes them
 * beside the journal |path|, unless that is NULL; and finds out whether they are JSON, unless
 * |is_json| says that this is known. Returns the job, which the caller may abandon; or
 * NULL without memory.
 */
struct cr_blob_job *cr_blob_job_keep(struct cr_helper *disk, const char *path,
                                     struct cr_shared *shared, const void *bytes, size_t len,
                                     bool is_json, void (*done)(struct cr_blob_job *b), void *data);

/*
 * Reads the blob |name|, of |len| bytes, of the journal |path|, into |read|. It is JSON, or |err|
 * says that it is not. If it is the args of a call, |verdict| says whether the call may be made
 * with them. Returns as the above.
 */
struct cr_blob_job *cr_blob_job_read(struct cr_helper *disk, const char *path, const char *name,
                                     size_t len, bool is_args, void (*done)(struct cr_blob_job *b),
                                     void *data);

#endif
