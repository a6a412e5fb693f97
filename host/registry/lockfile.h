/*
 * lockfile.h - reads and writes caprun.lock: only what ran first, or was accepted later, may run.
 *
 * JSON, sorted and indented so that a difference is readable in a repository:
 *
 *     {
 *       "version": 1,
 *       "capabilities": {
 *         "acme.tools.text.summary": {
 *           "fqdn": "acme.tools.text.summary.1a2b3c4d",
 *           "code": "sha256-<64 hexadecimal digits>",
 *           "metadata": "sha256-<64 hexadecimal digits>"
 *         }
 *       },
 *       "servers": {}
 *     }
 *
 * "servers" has the definitions of tools (tool_pins.h). Writers take turns by locking a second file
 * beside it, which only this user can open, and which is removed afterwards. Under that lock, a
 * writer reads the lockfile again and replaces it atomically, so that no pin is lost and readers
 * see only complete files.
 */
#ifndef CR_LOCKFILE_H
#define CR_LOCKFILE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#include "base/helper.h"
#include "base/json.h"
#include "base/err.h"
#include "registry/fqdn.h"

#define CR_LOCKFILE_NAME "caprun.lock"
#define CR_LOCKFILE_WAIT_MS 10000 /* how long a writer waits for other writers */
#define CR_LOCKFILE_PAUSE_MS 10   /* between two attempts */
#define CR_LOCKFILE_HASH 71       /* "sha256-" and 64 digits */

struct cr_pin {
    char fqdn[CR_FQDN_MAX + 1]; /* with its hash, if it has one */
    char code[CR_LOCKFILE_HASH + 1];
    char metadata[CR_LOCKFILE_HASH + 1];
};

struct cr_lockfile {
    char *path;
    struct cr_buf text;
    struct stat file; /* what was read */
    struct timespec read_at;
    struct cr_json_doc doc; /* all zeros: the file does not exist yet */
};

/* Writes "sha256-" and the digits of |digest|, 32 bytes; or of the SHA-256 of |bytes|. */
void cr_lockfile_show(const uint8_t *digest, char ret[CR_LOCKFILE_HASH + 1]);
void cr_lockfile_hash(const void *bytes, size_t len, char ret[CR_LOCKFILE_HASH + 1]);

/*
 * Reads caprun.lock in |dir|; a missing file is no error. Returns 0, and the caller clears it with
 * cr_lockfile_clear(); or CONFIG_ERROR if the file cannot be read, is a symbolic link, is empty or
 * not JSON (with line and column), has an unknown structure or version, has a tool whose hash does
 * not fit its definition, or is owned or writable by other users.
 */
int cr_lockfile_read(const char *dir, struct cr_lockfile *ret, struct cr_err *why);
void cr_lockfile_clear(struct cr_lockfile *lock);

/*
 * The same for jobs of |helper|, and only for reading: a file that is unchanged since the last call
 * is not read again. |*ret| is valid until the job ends, and belongs to the helper.
 */
int cr_lockfile_view(struct cr_helper *helper, const char *dir, const struct cr_lockfile **ret,
                     struct cr_err *why);

/* The part without I/O: checks |lock|, which has a path and a text, and fills its doc. */
int cr_lockfile_parse(struct cr_lockfile *lock, struct cr_err *why);

/* Gets the pin of the four-part |name|. Returns false if |name| is not pinned. */
bool cr_lockfile_find(const struct cr_lockfile *lock, const char *name, struct cr_pin *ret);

/* Calls |each| for every pin, in the order of the file. */
void cr_lockfile_each(const struct cr_lockfile *lock,
                      void (*each)(void *data, const char *name, const struct cr_pin *pin),
                      void *data);

/*
 * Is |now| the same as |pinned|, the pin of |name|? Returns 0; 1 if |pinned| is NULL; or
 * INTEGRITY_MISMATCH, with what differs, both full hashes, and the command that accepts it.
 */
int cr_pin_check(const struct cr_pin *pinned, const char *name, const struct cr_pin *now,
                 struct cr_err *why);

/* The same for the pin that |lock| has of |name|. */
int cr_lockfile_check(const struct cr_lockfile *lock, const char *name, const struct cr_pin *now,
                      struct cr_err *why);

/*
 * Pins |now| for |name| in the lockfile of |dir|. If |name| is pinned by then, |now| is checked
 * against that pin; with |accept| the pin is replaced. Returns 0; INTEGRITY_MISMATCH; CONFIG_ERROR
 * as above, or if the file cannot be written (which directory, what to do).
 */
int cr_lockfile_pin(const char *dir, const char *name, const struct cr_pin *now, bool accept,
                    struct cr_err *why);

/*
 * The same without waiting for other writers: returns CAPRUN_E_BUSY, without a message, if another
 * process is writing.
 */
int cr_lockfile_try_pin(const char *dir, const char *name, const struct cr_pin *now, bool accept,
                        struct cr_err *why);

#define CR_PIN_CHANGES 512

/*
 * Writes what differs between two pins, as one line with shortened hashes: "the code changed
 * (0f3c1d5b to 4f2a60cf)".
 */
void cr_pin_show_changes(const struct cr_pin *before, const struct cr_pin *now,
                         char ret[CR_PIN_CHANGES]);

/* Reports that other writers were busy for CR_LOCKFILE_WAIT_MS: CAPRUN_E_INVAL, CONFIG_ERROR. */
int cr_lockfile_refuse_busy(const char *dir, struct cr_err *why);

#endif
