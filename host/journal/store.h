/*
 * store.h - the directory where runs are recorded by default, one file for each, called by its id.
 *
 *     DIR/runs/ID.jsonl, DIR/runs/ID.jsonl.d/   a journal, and what is beside it
 *     DIR/key                                   of the hashes of variables; a secret
 *     DIR/index.db                              of journal/index.h; it can be made anew
 *
 * All of it is this user's alone.
 */
#ifndef CR_STORE_H
#define CR_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/hash.h"

#define CR_STORE_ID 36u /* characters of an id */

/*
 * Makes |dir|, an absolute path, and what is above it, if it is not there. Returns 0; or
 * CAPRUN_E_SYS, also if it is somebody else's or others can write it.
 */
int cr_store_make(const char *dir, struct cr_err *err);

/* Where the journal of the run |id| is, or would be. */
void cr_store_path(const char *dir, const char *id, char ret[PATH_MAX]);

/*
 * The journal that a person means by |word|: an id, or how one begins or ends, if no other does;
 * else a path. One with a slash or a dot in it is a path anyway, and without a |dir|, "", there is
 * no id. Returns 0, or USAGE.
 */
int cr_store_find(const char *dir, const char *word, char ret[PATH_MAX], struct cr_err *why);

/* Is |path| one of its files? */
bool cr_store_has(const char *dir, const char *path);

/* Calls |each| for every journal; |name| is that of the file. Returns 0 or CAPRUN_E_SYS. */
int cr_store_list(const char *dir, void (*each)(void *data, int dir, const char *name), void *data,
                  struct cr_err *err);

/* Does a run write this journal now? |dir| is that of its file. */
bool cr_store_is_live(int dir, const char *name);

/*
 * Removes what is older than |days|, then the oldest until the rest have no more than |max_bytes|
 * and |max_runs|; but none of a run that goes on.
 */
void cr_store_sweep(const char *dir, unsigned days, uint64_t max_bytes, size_t max_runs);

/*
 * Removes the run |id|. Returns 0; 1 if the run goes on, and is kept; or CAPRUN_E_SYS.
 */
int cr_store_remove(const char *dir, const char *id, struct cr_err *err);

/*
 * Removes all runs that ended |seconds| ago or earlier. Returns how many; *|ret_kept| is the number
 * of runs as old that could not be removed, because they go on or the file system refused.
 */
size_t cr_store_remove_older(const char *dir, int64_t seconds, size_t *ret_kept);

/* The key. Returns 0; 1 if there is none; or CAPRUN_E_SYS. The second makes one then. */
int cr_store_look_up_key(const char *dir, uint8_t ret[CR_HASH_BYTES], struct cr_err *err);
int cr_store_key(const char *dir, uint8_t ret[CR_HASH_BYTES], struct cr_err *err);

#endif
