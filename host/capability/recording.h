/*
 * recording.h - which runs are recorded, and where: what "record" of the configuration says, or the
 * file that somebody has asked for.
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

/* Of any journal: code that nobody has read decides how long it becomes. */
#define CR_RECORDING_MAX_BYTES CR_RECORD_MAX_BYTES

struct cr_recording {
    const char *file; /* that was asked for; NULL: none, and it goes to the state directory */
    /* What is to be said; |is_detail|: only for -v. May be NULL. */
    void (*note)(void *data, bool is_detail, const char *text);
    void *note_data;
    enum cr_config_record which;
    bool is_asked_for;     /* by name, so that what stops it is worth a word */
    bool is_in_store;      /* and not in |file| */
    char dir[PATH_MAX];    /* the state directory; "": there is none */
    char path[PATH_MAX];   /* of the journal; "": the run is not recorded */
    char config[PATH_MAX]; /* the configuration's path, or "" */
    uint64_t run_bytes, total_bytes, days;
};

/* How long a journal in the state directory may become. */
uint64_t cr_recording_run_bytes(const struct cr_config *config);

/*
 * What the configuration says; |state_dir|: "", there is none; |file|, which has to outlive it, may
 * be NULL. The caller fills in |note|.
 */
void cr_recording_init(struct cr_recording *rec, const struct cr_config *config,
                       const char *state_dir, const char *file);

/* What a run is about, for its journal; each may be NULL. */
struct cr_recording_origin {
    const char *command, *file, *tool;                     /* of exec and call */
    const char *fqdn, *code_pin, *metadata_pin, *registry; /* of a capability */
};

/* Gives |run| what its journal says of it; |config| is the configuration's path, or "". */
int cr_recording_give_origin(struct caprun_run *run, const struct cr_recording_origin *origin,
                             const char *config);

/* The part that waits for a disk: a struct of its own, so that a helper can have it. */
struct cr_recording_place {
    char dir[PATH_MAX]; /* the state directory; "": nothing is needed of it */
    bool has_to_be;     /* the journal goes there */
    bool has_env;       /* the run is given variables, of which the journal has hashes */
    bool has_key;       /* of the hashes */
    uint8_t key[CR_HASH_BYTES];
    int code; /* 0; or |err| says why it cannot be made */
    struct cr_err err;
};

/* What is needed for a run; |has_env|: it is given variables. */
void cr_recording_place(const struct cr_recording *rec, bool has_env,
                        struct cr_recording_place *ret);

/* Makes the state directory and the key, if need be. Not for the loop's thread. */
void cr_recording_make_place(struct cr_recording_place *place);

/*
 * Has |run|, which has all that it needs, recorded; |place| was made. Returns 0; or
 * USAGE if |file| cannot be. What is recorded by default and cannot be is not.
 */
int cr_recording_begin(struct cr_recording *rec, struct caprun_run *run,
                       const struct cr_recording_origin *origin,
                       const struct cr_recording_place *place, struct cr_err *why);

/* The run has ended: says what is to be said, and tidies up now and then. */
void cr_recording_end(struct cr_recording *rec, struct caprun_run *run);

#endif
