/*
 * store.h - manages the state directory, where runs are recorded by default: paths, ids, removal of
 * old journals, the key.
 *
 *     DIR/runs/ID.jsonl, DIR/runs/ID.jsonl.d/   the journal of the run ID, and its blobs
 *     DIR/key                                   for the hashes of variables; a secret
 *     DIR/index.db                              see journal/index.h; it can be rebuilt
 *
 * Only this user may read and write these files.
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
 * Makes |dir|, an absolute path, and its parents, if they are missing. Returns 0; or CAPRUN_E_SYS,
 * also if another user owns it or can write to it.
 */
int cr_store_make(const char *dir, struct cr_err *err);

/* Writes the path of the journal of the run |id| to |ret|; the file need not exist. */
void cr_store_path(const char *dir, const char *id, char ret[PATH_MAX]);

/*
 * Finds the journal that a person names with |word|: the id of a run, the beginning or end of an id
 * if only one id matches, or a path. A |word| with a slash or a dot is always a path; so is every
 * |word| if |dir| is "". Returns 0, or USAGE.
 */
int cr_store_find(const char *dir, const char *word, char ret[PATH_MAX], struct cr_err *why);

/* Returns whether |path| is a journal in |dir|. */
bool cr_store_has(const char *dir, const char *path);

/* Calls |each| for every journal; |name| is its file name. Returns 0 or CAPRUN_E_SYS. */
int cr_store_list(const char *dir, void (*each)(void *data, int dir, const char *name), void *data,
                  struct cr_err *err);

/* Returns whether a run writes the journal |name| of the directory |dir| now. */
bool cr_store_is_live(int dir, const char *name);

/*
 * Removes journals older than |days|, then the oldest until at most |max_bytes| and |max_runs|
 * remain. Never removes the journal of a run that goes on.
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

/*
 * Read the key. Return 0 or CAPRUN_E_SYS. If it is missing, cr_store_look_up_key() returns 1, and
 * cr_store_key() makes a new key.
 */
int cr_store_look_up_key(const char *dir, uint8_t ret[CR_HASH_BYTES], struct cr_err *err);
int cr_store_key(const char *dir, uint8_t ret[CR_HASH_BYTES], struct cr_err *err);

#endif
