/*
 * recording.h - decides which runs are recorded, and where: as "record" of the configuration says,
 * or in the file that the user requested.
 *
 *     cr_recording_init -> cr_recording_place, cr_recording_make_place -> cr_recording_begin
 *                       -> the run -> cr_recording_end
 */
#ifndef CR_RECORDING_H
#define CR_RECORDING_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "journal/record.h"

/* The limit for any journal: untrusted code decides how long it becomes. */
#define CR_RECORDING_MAX_BYTES CR_RECORD_MAX_BYTES

struct cr_recording {
    const char *file; /* the requested file; NULL: record to the state directory */
    /* Shows a note to the user; |is_detail|: only with -v. May be NULL. */
    void (*note)(void *data, bool is_detail, const char *text);
    void *note_data;
    enum cr_config_record which;
    bool is_asked_for;     /* the user requested it: a failure to record is shown without -v */
    bool is_in_store;      /* in the state directory, not in |file| */
    char dir[PATH_MAX];    /* the state directory, or "" */
    char path[PATH_MAX];   /* of the journal; "": the run is not recorded */
    char config[PATH_MAX]; /* the configuration's path, or "" */
    uint64_t run_bytes, total_bytes, days;
};

/* Returns the most bytes that a journal in the state directory may have. */
uint64_t cr_recording_run_bytes(const struct cr_config *config);

/*
 * Fills |rec| from the configuration. |state_dir| is "" if there is no state directory; |file| must
 * outlive |rec|, and may be NULL. The caller fills in |note|.
 */
void cr_recording_init(struct cr_recording *rec, const struct cr_config *config,
                       const char *state_dir, const char *file);

/* Where a run comes from, for its journal; each may be NULL. */
struct cr_recording_origin {
    const char *command, *file, *tool;                     /* for exec and call */
    const char *fqdn, *code_pin, *metadata_pin, *registry; /* for a capability */
};

/*
 * Sets the origin of |run| for its journal; |config| is the configuration's path, or "". An origin
 * that the application has set becomes its member "application". Returns 0, or -1 if it is too
 * long.
 */
int cr_recording_give_origin(struct caprun_run *run, const struct cr_recording_origin *origin,
                             const char *config);

/*
 * Input and result of preparing the state directory: a separate struct, so that a helper thread can
 * have it.
 */
struct cr_recording_place {
    char dir[PATH_MAX]; /* the state directory; "": it is not needed */
    bool has_to_be;     /* required: the journal goes there */
    bool has_env;       /* the run gets variables; the journal stores keyed hashes of them */
    bool has_key;       /* |key| is valid */
    uint8_t key[CR_HASH_BYTES];
    int code; /* 0; or |err| says why the directory cannot be created */
    struct cr_err err;
};

/* Fills |ret| with what a run needs; |has_env|: the run gets variables. */
void cr_recording_place(const struct cr_recording *rec, bool has_env,
                        struct cr_recording_place *ret);

/* Creates the state directory and the key, if needed. Blocks: not for the loop's thread. */
void cr_recording_make_place(struct cr_recording_place *place);

/*
 * Starts recording |run|, which is set up completely, after cr_recording_make_place(). Returns 0;
 * or USAGE if |file| cannot be written. If the state directory cannot be used, the run goes on
 * without a recording.
 */
int cr_recording_begin(struct cr_recording *rec, struct caprun_run *run,
                       const struct cr_recording_origin *origin,
                       const struct cr_recording_place *place, struct cr_err *why);

/* The run has ended: shows notes to the user, and sometimes deletes old journals. */
void cr_recording_end(struct cr_recording *rec, struct caprun_run *run);

#endif
