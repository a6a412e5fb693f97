/*
 * run.h - the states of a run, and what its loader, recorder and player may see and do.
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
 * Every end goes through cr_run_end(), and only the first call of it counts: a result that arrives
 * after the limit changes nothing. (A replay that differs replaces the outcome there.) The host's
 * clock decides; the worker's reports of time are not trusted.
 */
#ifndef CR_RUN_H
#define CR_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/loop.h"
#include "caprun.h"
#include "policy/rules.h"
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

/* A snapshot of a run, for code outside of it. */
struct cr_run_view {
    struct caprun_runtime *runtime;
    struct cr_loop *loop;
    enum cr_run_state state;
    enum caprun_outcome outcome;  /* this and the next three only after the end */
    const struct cr_buf *message; /* of its error */
    int64_t cpu_us;
    uint64_t memory_used;
    size_t call_count, calls_open;
    int64_t job_us;    /* when the job was sent, as cr_loop_now() counts; 0: not yet */
    int64_t date_us;   /* what Date shows at time 0 of the run's clock */
    int64_t waited_us; /* in which only a person was waited for */
    int64_t wake_us;   /* when to wake the worker, since the job was sent; negative: never */
    bool is_replaying;
};

struct cr_run_view cr_run_look(const struct caprun_run *run);

/*
 * Wall time since the job was sent, on the run's own clock: without the time in which only a person
 * was waited for.
 */
int64_t cr_run_now(const struct caprun_run *run);

/* The inputs of the run: code, args, limits, tools. They do not change after the start. */
struct cr_spec *cr_run_spec(struct caprun_run *run);

/* SHA-256 of the code, once the run has started. */
const uint8_t *cr_run_digest(const struct caprun_run *run);

/* The calls that count for the budgets of rules; policy/ counts them. */
struct cr_budgets *cr_run_budgets(struct caprun_run *run);

/*
 * Ends the run; later calls do nothing. Measures and kills the worker, cancels open calls, and ends
 * the recording. The envelope is written when the application asks for it (run/envelope.h). If
 * cr_run_set_message() was not called before, the message explains the limit that was reached.
 */
void cr_run_end(struct caprun_run *run, enum caprun_outcome outcome);

/* Sets the error's message. It is cut if it is longer than a message may be. */
void cr_run_set_message(struct caprun_run *run, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Sets the hint: what to change. */
void cr_run_hint(struct caprun_run *run, const char *text);

/* --- for the loader --------------------------------------------------------------------------- */

/* The run owns |loader| from now on; an earlier loader is freed. */
void cr_run_set_loader(struct caprun_run *run, struct cr_loader *loader);

/* Returns the loader that was set, or NULL. */
struct cr_loader *cr_run_loader(const struct caprun_run *run);

/* While |is_given|, the functions that set code, args and so on are allowed in state LOADING. */
void cr_run_allow_setters(struct caprun_run *run, bool is_given);

/* Does the application want to be told about loading? */
bool cr_run_wants_loading(const struct caprun_run *run);

/* Tells the application about loading. Returns false if its callback has ended the loading. */
bool cr_run_notify_loading(struct caprun_run *run, enum caprun_loading what, const char *text,
                           uint64_t got, uint64_t total);

/*
 * Fills in limits that are 0, and puts the run in the queue for a worker. If the queue is full,
 * returns CAPRUN_E_BUSY, or, if the run is LOADING, puts it in the queue all the same. Any other
 * failure ends the run. Otherwise returns 0.
 */
int cr_run_start(struct caprun_run *run, struct cr_err *err);

/* --- for the recorder ------------------------------------------------------------------------- */

/* |recorder| records the run, which owns it from now on. */
void cr_run_set_recorder(struct caprun_run *run, struct cr_recorder *recorder);

/* Returns the recorder that was set, or NULL. */
struct cr_recorder *cr_run_recorder(const struct caprun_run *run);

/* The recorder has written what begin() was called for. */
void cr_run_recorder_ready(struct caprun_run *run);

/* Ends the run because it cannot be recorded. Returns the code of |why|. */
int cr_run_end_unrecorded(struct caprun_run *run, const struct cr_err *why);

/* --- for the player ------------------------------------------------------------------------- */

/*
 * |player| plays a journal back to the run, which owns it from now on. |is_replaying|: the journal
 * has events to play.
 */
void cr_run_set_player(struct caprun_run *run, struct cr_player *player, bool is_replaying);

/* Returns the player that was set, or NULL. */
struct cr_player *cr_run_player(const struct caprun_run *run);

/* From now on only the player answers the run's calls. */
void cr_run_answer_from_journal(struct caprun_run *run);

/* Returns the default memory limit of a run. */
uint64_t cr_run_default_memory(const struct caprun_run *run);

/* Sets the time in the next frame. */
void cr_run_set_time(struct caprun_run *run, int64_t now_us, int64_t date_us);

/* Tells the worker that time has passed. */
void cr_run_wake(struct caprun_run *run);

/* Sets the timer to what comes next: a limit, a wake-up, or the end of a wait. */
void cr_run_schedule(struct caprun_run *run);

/*
 * No recorded event is left. The run's clock goes on from |now_us|, and Date shows today's time;
 * the recorder is told. Returns false if that has ended the run.
 */
bool cr_run_go_live(struct caprun_run *run, int64_t now_us);

#endif
