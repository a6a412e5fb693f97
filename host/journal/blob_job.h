/*
 * blob_job.h - hashes, writes and reads blobs (blobs.h) in the helper thread for disks, so that the
 * loop does not wait. A job is on the heap, and holds all that the helper needs.
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
    void (*done)(struct cr_blob_job *b); /* called in the loop; afterwards the job is freed */
    void *data;                          /* of the caller */
    char *path;                          /* of the journal; NULL: hash the blob, do not write it */
    struct cr_shared *shared;
    const void *bytes;
    size_t len;
    char name[CR_HASH_DIGITS + 1];
    struct cr_buf read;
    bool is_new;           /* the file did not exist before */
    bool is_json;          /* of a blob that is written: it is JSON */
    bool is_args;          /* of a blob that is read: check it with the strict scanner */
    struct cr_err verdict; /* of the strict scanner */
    struct cr_err err;     /* code 0: success */
    bool is_due;           /* call done() even if the loop ends first */
};

/*
 * Hashes the |len| bytes at |bytes|, a part of |shared|, to which the job takes a reference; writes
 * them as a blob of the journal |path|, unless |path| is NULL; and checks whether they are JSON,
 * unless |is_json| says that they are. Returns the job, which the caller may abandon, or NULL if
 * there is no memory.
 */
struct cr_blob_job *cr_blob_job_keep(struct cr_helper *disk, const char *path,
                                     struct cr_shared *shared, const void *bytes, size_t len,
                                     bool is_json, void (*done)(struct cr_blob_job *b), void *data);

/*
 * Reads the blob |name|, of |len| bytes, of the journal |path|, into |read|; |err| is set if it is
 * not JSON. With |is_args| it is the args of a call, and |verdict| says whether the call may be
 * made with them. Returns the same as cr_blob_job_keep().
 */
struct cr_blob_job *cr_blob_job_read(struct cr_helper *disk, const char *path, const char *name,
                                     size_t len, bool is_args, void (*done)(struct cr_blob_job *b),
                                     void *data);

#endif
