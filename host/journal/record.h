/*
 * record.h - records a run: writes its journal while it runs.
 *
 * Lines wait in memory and are written together: before each frame to the worker, before a call is
 * sent to the server or handler, and at the end. While the run goes on the file is locked, and
 * written lines reach the disk, not only the kernel's memory, within a second.
 */
#ifndef CR_RECORD_H
#define CR_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"

#define CR_RECORD_DEFAULT_BYTES (64ull << 20)
#define CR_RECORD_MAX_BYTES (1024ull << 20) /* a longer journal cannot be read */
#define CR_RECORD_MARK 64u /* bytes of a text that identifies a boot or a file, with its NUL */

struct cr_journal;

struct cr_record_spec {
    const char *path;    /* of a file that does not exist yet */
    uint64_t max_bytes;  /* blobs included; the recording stops at this size. 0: the default */
    bool may_give_up;    /* if the journal cannot be written, the run goes on without it */
    bool only_if_failed; /* remove the journal if the run succeeds */
    const uint8_t *key;  /* CR_HASH_BYTES, for hashes of variables; NULL: write no such hashes */
};

/*
 * Makes a recorder for |run|, which has not started; the run owns it. Returns 0; CAPRUN_E_SYS if
 * the file cannot be made or exists; CAPRUN_E_STATE if the run has a recorder; CAPRUN_E_NOMEM.
 */
int cr_record_new(struct caprun_run *run, const struct cr_record_spec *spec, struct cr_err *err);

/*
 * The same for a run that is resumed. |fd| is its |journal|, open for writing and locked; the
 * recorder owns it, also after a failure. |spec|->path is the path of this file, which is not
 * changed before there is something to write; then an incomplete last line is cut off, and if
 * |undo_from| is not 0, the end of the run, from that line on, is taken back.
 */
int cr_record_continue(struct caprun_run *run, const struct cr_record_spec *spec, int fd,
                       const struct cr_journal *journal, size_t undo_from, struct cr_err *err);

/* Sets |max_bytes| of the recorder of |run|, if it has one; 0: the default. */
void cr_record_limit(struct caprun_run *run, uint64_t max_bytes);

/* Returns why the recording of |run| has stopped; "" if it has not, or the run has no recorder. */
const char *cr_record_note(const struct caprun_run *run);

/* Removes the journal |path|, its mark and its blobs, if they exist. */
void cr_record_remove(const char *path);

/* Compute the hash of the variable |name| with |value| for a journal, and the name of the key. */
void cr_record_env_hash(const uint8_t key[CR_HASH_BYTES], const char *name, const char *value,
                        char ret[CR_HASH_DIGITS + 1]);
void cr_record_key_name(const uint8_t key[CR_HASH_BYTES], char ret[CR_HASH_DIGITS + 1]);

/* Writes the kernel's boot id of this machine to |ret|; "" if it cannot be read. */
void cr_record_boot(char ret[CR_RECORD_MARK]);

/*
 * Writes the identity of the file |path|, which starts at |dir| ("": of the file |dir| itself), to
 * |ret|: device, inode and time of birth. Writes "" if it is not known.
 */
void cr_record_file(int dir, const char *path, char ret[CR_RECORD_MARK]);

/* The versions of engine and prelude that new journals record. */
extern const char cr_record_engine[], cr_record_prelude[];

#endif
