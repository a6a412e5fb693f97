/*
 * run_parts.h - shared by the files that implement a run: run.c, start and end; clock.c, timers and
 * limits; end_message.c and hints.c, messages; view.c, access for other rooms; frames.c, frames
 * from the worker; decide.c, calls.c and auditing.c, calls; asked.c, calls that wait for a person;
 * keep.c, long values; envelope.c, the envelope.
 */
#ifndef CR_RUN_PARTS_H
#define CR_RUN_PARTS_H

#include "pool/pool.h"
#include "pool/worker.h"
#include "run/arriving.h"
#include "run/auditor.h"
#include "run/calls.h"
#include "run/gate.h"
#include "run/prompter.h"
#include "run/run.h"

/* An attempt of the code to use something denied, for which it got an error. */
struct cr_attempt {
    size_t at;     /* offset in |attempt_words| of its message, which ends with a NUL */
    size_t use_at; /* offset of the text that says what to use instead */
};

/* The error of the envelope. Texts are untrusted until they are escaped. */
struct cr_run_error {
    const char *type; /* NULL: the type of the outcome */
    struct cr_buf message;
    struct cr_buf stack;
    char *tool;
    const char *grant; /* the call's: JSON of what would allow it; NULL: none */
    char hint[512];
};

/* Answers that are stored before the worker gets them, in their order; keep.c. */
struct cr_answers {
    struct cr_answer *first, **last;
    struct cr_answer *next; /* the first that the helper does not have yet, or NULL */
    unsigned at_work;       /* those that it has */
    size_t bytes;
};

struct caprun_run {
    struct caprun_runtime *runtime;
    struct cr_loop *loop;
    struct cr_pool *pool;
    struct cr_spec spec;
    uint8_t digest[CR_HASH_BYTES]; /* SHA-256 of the code, from the start on */
    caprun_log_fn *on_log;
    void *log_data;
    caprun_handler_fn *on_call;
    void *call_data;
    caprun_event_fn *on_event;
    void *event_data;
    caprun_progress_fn *on_progress;
    void *progress_data;
    caprun_loading_fn *on_loading;
    void *loading_data;
    struct cr_loader *loader;     /* NULL: the code is set before the start */
    struct cr_budgets budgets;    /* calls that count for the budgets of rules */
    struct cr_prompter *prompter; /* asks a person; NULL: nothing is asked */
    void *asked_data;             /* of |prompter| */
    struct cr_gate *gate;         /* gets calls if |on_call| is NULL; NULL: calls fail */
    struct cr_recorder *recorder; /* NULL: the run is not recorded */
    struct cr_auditor *auditor;   /* NULL: the run is not audited */
    bool is_audited;              /* by |auditor|, which knows that the run has begun */
    uint64_t record_limit;        /* bytes of a journal; 0: the default */
    struct cr_keeping incoming;   /* a long value of a received frame, being hashed; run/keep.h */
    struct cr_answers answers;
    struct cr_kept received_value, sent_value; /* of the frame that is handled, or sent, now */
    struct cr_shared *sent_value_memory;       /* contains |sent_value|, or NULL */
    struct cr_player *player;                  /* NULL: the run is neither replayed nor resumed */
    bool is_replaying;                         /* by |player|, and not live yet */
    bool awaits_recorder;                      /* the worker is ready, but not the recorder */
    bool repeats_frame;                        /* the frame of |incoming| is handled again */
    bool is_given;                             /* LOADING: the loader is setting the run's inputs */

    enum cr_run_state state;
    enum caprun_outcome outcome;
    struct cr_guest guest;    /* the pool's data for giving this run a worker */
    struct cr_worker *worker; /* NULL: not yet, or no longer */
    struct cr_timer timer;
    struct cr_task news;      /* sends events that happened outside of a step */
    struct cr_buf calls_done; /* numbers of calls, uint32_t, whose CALL_DONE is to be sent */

    int64_t asked_us;    /* time of caprun_start() */
    int64_t ready_by_us; /* while STARTING: the deadline of the worker */
    int64_t job_us;      /* time when the job was sent; the run's time counts from here */
    int64_t ended_us;
    int64_t date_us; /* the value of Date at job_us */
    struct {
        int64_t now_us, date_us;
    } replay_time; /* the times in the next frame to the worker, while |is_replaying| */
    int64_t check_cpu_us;
    int64_t late_us;
    int64_t kept_off_us; /* until then the worker may not use the host's processor; 0: it may */
    int64_t wake_us;
    int64_t woken_us;            /* time of the last WAKE frame; 0: never */
    struct cr_arriving arriving; /* the scan of an incomplete frame */
    uint64_t log_bytes_received; /* bytes of all LOG frames, cut ones included */
    uint32_t log_lines_received; /* number of all LOG frames */
    uint32_t frames_sent;
    uint32_t idle_frames; /* 1 + the frames read, as the last IDLE says; 0: no IDLE yet */
    bool start_notified;
    bool has_sent_frame; /* the worker has sent an earlier frame since its job */
    bool idle;           /* the worker has read all frames, and has nothing to do */
    bool log_cut;

    struct cr_buf logs; /* each line after its length, a uint32_t */
    size_t log_bytes, log_lines;
    struct cr_call *calls;
    size_t call_count, call_cap;
    size_t calls_open;
    size_t grant_bytes;               /* kept for calls that were denied */
    size_t calls_asked, calls_sent;   /* open ones that wait for a person, that were sent */
    int64_t paused_us;                /* since when only a person is waited for; 0: is not */
    int64_t waited_us;                /* how long that was the case before */
    size_t misses;                    /* for the gate: calls of tools that no server has */
    uint32_t clock_first, clock_last; /* list of calls with a running timeout; 0: empty */
    struct cr_buf blocked;            /* JSON objects with commas between them */
    struct cr_buf attempt_words;
    struct cr_buf attempts;  /* array of struct cr_attempt */
    uint32_t likely_mistake; /* the bits of DONE above WIRE_DONE_KIB */
    size_t attempt_count;
    struct cr_buf result;
    struct cr_run_error error;
    int64_t cpu_us;
    uint64_t reported_memory; /* bytes used, as the worker says at its end; 0 until then */
    uint64_t memory_used;
    struct cr_buf envelope;
};

/* Initialises a run. The caller owns the memory, and must call cr_run_clear(). */
void cr_run_init(struct caprun_run *run, struct caprun_runtime *runtime, struct cr_pool *pool);
void cr_run_clear(struct caprun_run *run);

/* Starts the loader; the run is then LOADING. */
void cr_run_load(struct caprun_run *run);

/* Calls the application's event callback, if it is set. Only for events in a step. */
void cr_run_notify(struct caprun_run *run, enum caprun_event what, uint32_t call);

/* Schedules the event that call |number| was answered, for a step. */
void cr_run_notify_call_done(struct caprun_run *run, uint32_t number);

/* Sets the error's message for a limit, if the worker sent none. */
void cr_run_explain(struct caprun_run *run, enum caprun_outcome outcome);

/*
 * Sends a frame, with the run's time in its header. |header| has type and id; |block| contains the
 * last part, as for cr_worker_send().
 */
void cr_run_send(struct caprun_run *run, struct wire_header header, const struct wire_part *parts,
                 size_t count, uint8_t **block);

/*
 * Records a valid frame from the worker, or in a replay compares it with the recorded one. Returns
 * false if that has ended the run.
 */
bool cr_run_frame_received(struct caprun_run *run, const struct wire_header *header,
                           const uint8_t *payload);

/* Returns microseconds since 1970. */
int64_t cr_run_wall_clock_us(void);

/* --- asked.c -------------------------------------------------------------------------------- */

/* To be called when the worker waits, or a call was sent: it may be time to ask a person. */
void cr_run_consider_asking(struct caprun_run *run);

/* --- clock.c -------------------------------------------------------------------------------- */

#define CR_RUN_START_US 10000000 /* timeout for a worker to be ready */

/* Returns the wall time that the run has left, at least 1. */
uint32_t cr_run_left_ms(const struct caprun_run *run);

/* Ends a run that has reached a limit, or asks its worker to end. */
void cr_run_check_limits(struct caprun_run *run);

/* Called when the timer of a run is due. */
void cr_run_timer_due(struct cr_timer *timer);

#endif
