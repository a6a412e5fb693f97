/*
 * record.h - writes the journal of a run, as it happens.
 *
 * Lines wait in memory until something depends on them: with each frame for the worker, before a
 * call goes to whoever answers it, and at the end, all that wait are written in one go. The file is
 * locked as long as the run goes on; and as long, what was written is on disk, and not only in the
 * kernel's memory, a second later.
 */
#ifndef CR_RECORD_H
#define CR_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"

#define CR_RECORD_DEFAULT_BYTES (64ull << 20)
#define CR_RECORD_MAX_BYTES (1024ull << 20) /* a journal that is longer cannot be read */

struct cr_journal;

struct cr_record_spec {
    const char *path;    /* of a file that is not there yet */
    uint64_t max_bytes;  /* with what is beside it; at this the recording stops. 0: the default */
    bool may_give_up;    /* if it cannot be written, the run goes on without it */
    bool only_if_failed; /* when the run has succeeded, it is removed */
    const uint8_t *key;  /* of CR_HASH_BYTES, for the hashes of variables; NULL: there are none */
};

/*
 * Gives |run|, which has not started, a recorder; it is the run's. Returns 0; CAPRUN_E_SYS if the
 * file cannot be made or is there; CAPRUN_E_STATE if the run is recorded already; CAPRUN_E_NOMEM.
 */
int cr_record_new(struct caprun_run *run, const struct cr_record_spec *spec, struct cr_err *err);

/*
 * The same for a run that is resumed, whose journal |fd| is, open for writing and locked; it is the
 * recorder's, also after a failure. What is behind the last whole line is cut off. Of |spec| the
 * path is that of the file.
 */
int cr_record_continue(struct caprun_run *run, const struct cr_record_spec *spec, int fd,
                       const struct cr_journal *journal, struct cr_err *err);

/* Another |max_bytes| for the recorder of |run|, if it has one; 0: the default. */
void cr_record_limit(struct caprun_run *run, uint64_t max_bytes);

/* Why the recording of |run| has stopped, in words; "" if it has not, or there is none. */
const char *cr_record_note(const struct caprun_run *run);

/* Removes the journal |path| and what is beside it, as far as they are there. */
void cr_record_remove(const char *path);

/*
 * The hash of the variable |name| with |value|, as it stands in a journal, and the name of the key.
 */
void cr_record_env_hash(const uint8_t key[CR_HASH_BYTES], const char *name, const char *value,
                        char ret[CR_HASH_DIGITS + 1]);
void cr_record_key_name(const uint8_t key[CR_HASH_BYTES], char ret[CR_HASH_DIGITS + 1]);

/* When this machine was started, as the kernel names it; "" if it does not. */
void cr_record_boot(char ret[64]);

/* Whose engine and prelude a run has; in a journal, those that it had. */
extern const char cr_record_engine[], cr_record_prelude[];

#endif
