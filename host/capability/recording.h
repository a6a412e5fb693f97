/*
 * recording.h - which runs are recorded, and where: what --record and "record" of the configuration
 * say.
 *
 *     cr_recording_init -> cr_recording_begin -> the run -> cr_recording_end
 */
#ifndef CR_RECORDING_H
#define CR_RECORDING_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/problem.h"
#include "cli/options.h"
#include "config/config.h"
#include "journal/record.h"

/* Of any journal: code that nobody has read decides how long it becomes. */
#define CR_RECORDING_MAX_BYTES CR_RECORD_MAX_BYTES

struct cr_recording {
    const struct cr_options *options;
    enum cr_config_record which;
    bool is_asked_for;     /* by name, so that what stops it is worth a word */
    bool is_in_store;      /* and not in a file of --record */
    char dir[PATH_MAX];    /* the state directory; "": there is none */
    char path[PATH_MAX];   /* of the journal; "": the run is not recorded */
    char config[PATH_MAX]; /* the configuration's path, or "" */
    uint64_t run_bytes, total_bytes, days;
};

/* How long a journal in the state directory may become. */
uint64_t cr_recording_run_bytes(const struct cr_config *config);

/* What the configuration and the command line say. */
void cr_recording_init(struct cr_recording *rec, const struct cr_config *config,
                       const struct cr_options *o);

/* What a run is about, for its journal; each may be NULL. */
struct cr_recording_origin {
    const char *command, *file, *tool;                     /* of exec and call */
    const char *fqdn, *code_pin, *metadata_pin, *registry; /* of a capability */
};

/*
 * Has |run|, which has all that it needs, recorded. |has_env|: it is given variables. Returns 0; or
 * USAGE if --record cannot be. What is recorded by default and cannot be is not.
 */
int cr_recording_begin(struct cr_recording *rec, struct caprun_run *run,
                       const struct cr_recording_origin *origin, bool has_env,
                       struct cr_problem *why);

/* The run has ended: says what is to be said, and tidies up now and then. */
void cr_recording_end(struct cr_recording *rec, struct caprun_run *run);

#endif
