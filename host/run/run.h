/*
 * run.h - one run as a state machine, as others see it: its gate, recorder and player.
 *
 *     NEW --start--> LOADING --the loader has its code--> WAITING
 *
 *     NEW --start--> WAITING --the pool has a worker--> STARTING --it is ready, job sent--> RUNNING
 *                       ^                                  |                                  |
 *                       +--the worker is lost, and has not read the job-----------------------+
 *
 *     RUNNING --wall limit reached while the worker is busy--> LATE (waiting for the stack)
 *     each of them --cr_run_end()--> ENDED
 *
 * Every way to an end goes through cr_run_end(), and only the first call of it counts: a result
 * that arrives after the limit changes nothing. (A replay that differs replaces the outcome there.)
 * The host's clock decides; what the worker says of time is not asked.
 */
#ifndef CR_RUN_H
#define CR_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/loop.h"
#include "caprun.h"
#include "run/loader.h"
#include "run/player.h"
#include "run/recorder.h"
#include "run/spec.h"

enum cr_run_state {
    CR_RUN_NEW,
    CR_RUN_LOADING,
    CR_RUN_WAITING,
    CR_RUN_STARTING,
    CR_RUN_RUNNING,
    CR_RUN_LATE,
    CR_RUN_ENDED,
};

/* What there is to see of a run, at one moment. */
struct cr_run_view {
    struct caprun_runtime *runtime;
    struct cr_loop *loop;
    enum cr_run_state state;
    enum caprun_outcome outcome;  /* of one that has ended, as the next three are */
    const struct cr_buf *message; /* of its error */
    int64_t cpu_us;
    uint64_t memory_used;
    size_t call_count, calls_open;
    int64_t job_us;  /* when the job was sent, as cr_loop_now() counts; 0: not yet */
    int64_t date_us; /* what Date showed then */
    int64_t wake_us; /* when it wants to be woken, since the job was sent; under 0: not at all */
    bool is_replaying;
};

struct cr_run_view cr_run_look(const struct caprun_run *run);

/* Wall time since the job was sent, on the run's own clock. */
int64_t cr_run_now(const struct caprun_run *run);

/* The inputs of the run: code, args, limits, tools. They do not change after the start. */
struct cr_spec *cr_run_spec(struct caprun_run *run);

/*
 * Ends the run; later calls do nothing. Measures and kills the worker, cancels open calls, and ends
 * the recording. The envelope is written when somebody asks for it (run/envelope.h). Where
 * cr_run_set_message() was not called before, a limit explains itself.
 */
void cr_run_end(struct caprun_run *run, enum caprun_outcome outcome);

/*
 * The error's message; replaces what was there. It is cut where it is longer than a message may be.
 */
void cr_run_set_message(struct caprun_run *run, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* What to change; replaces what was there. */
void cr_run_hint(struct caprun_run *run, const char *text);

/* --- for the loader --------------------------------------------------------------------------- */

/* |loader| is the run's from now on; another one that it had is freed. */
void cr_run_set_loader(struct caprun_run *run, struct cr_loader *loader);

/* The one that was set, or NULL. */
struct cr_loader *cr_run_loader(const struct caprun_run *run);

/* While |is_given| the functions that set what a run is of may be called although it is LOADING. */
void cr_run_allow_setters(struct caprun_run *run, bool is_given);

/* Does the application want to hear how far it is? */
bool cr_run_wants_loading(const struct caprun_run *run);

/* Tells it, if it does. Returns false if that has ended the loading. */
bool cr_run_notify_loading(struct caprun_run *run, enum caprun_loading what, const char *text,
                           uint64_t got, uint64_t total);

/*
 * Fills in limits that are 0, and puts the run in the queue for a worker. Returns 0, or
 * CAPRUN_E_BUSY if as many wait as may; any other failure ends the run.
 */
int cr_run_start(struct caprun_run *run, struct cr_err *err);

/* --- for the recorder ------------------------------------------------------------------------- */

/* The run is written down by |recorder|, and frees it. */
void cr_run_set_recorder(struct caprun_run *run, struct cr_recorder *recorder);

/* The one that was set, or NULL. */
struct cr_recorder *cr_run_recorder(const struct caprun_run *run);

/* It has written what begin() was called for. */
void cr_run_recorder_ready(struct caprun_run *run);

/* Ends the run because it cannot be written down. Returns the code of |why|. */
int cr_run_end_unrecorded(struct caprun_run *run, const struct cr_err *why);

/* --- for the player ------------------------------------------------------------------------- */

/*
 * The run is told by |player| what it was told before, and frees it. |is_replaying|: is there
 * something to tell?
 */
void cr_run_set_player(struct caprun_run *run, struct cr_player *player, bool is_replaying);

/* The one that was set, or NULL. */
struct cr_player *cr_run_player(const struct caprun_run *run);

/* From now on only the player answers the run's calls. */
void cr_run_answer_from_journal(struct caprun_run *run);

/* The memory that a run has by default. */
uint64_t cr_run_default_memory(const struct caprun_run *run);

/* What the next frame says of time. */
void cr_run_set_time(struct caprun_run *run, int64_t now_us, int64_t date_us);

/* Tells the worker that time has passed. */
void cr_run_wake(struct caprun_run *run);

/* Sets the timer to whatever is next: a limit, a wake-up, the end of patience. */
void cr_run_schedule(struct caprun_run *run);

/*
 * There is nothing left to tell. The run's clock goes on from |now_us|, and Date shows today's
 * time; the recorder hears of it. Returns false if that has ended the run.
 */
bool cr_run_go_live(struct caprun_run *run, int64_t now_us);

#endif
