/*
 * run_parts.h - what the files that make up a run share: run.c, from the start to the end; clock.c,
 * its limits; say.c, its words; view.c, how others see it; frames.c, what its worker says; decide.c
 * and calls.c, its calls; keep.c, long values; envelope.c, what is told of it in the end.
 */
#ifndef CR_RUN_PARTS_H
#define CR_RUN_PARTS_H

#include "pool/pool.h"
#include "pool/worker.h"
#include "run/arriving.h"
#include "run/calls.h"
#include "run/gate.h"
#include "run/run.h"

/* The code reached for what it may not have, and was told so. */
struct cr_attempt {
    size_t at;     /* where in |attempt_words| its message begins, which ends with a NUL */
    size_t use_at; /* where it says what to use instead */
};

/* What the envelope's error says. Texts are a stranger's until they are escaped. */
struct cr_run_error {
    const char *type; /* NULL: the outcome's own */
    struct cr_buf message;
    struct cr_buf stack;
    char *tool;
    char hint[512];
};

struct caprun_run {
    struct caprun_runtime *runtime;
    struct cr_loop *loop;
    struct cr_pool *pool;
    struct cr_spec spec;
    uint8_t digest[CR_HASH_BYTES]; /* SHA-256 of the code, from the start on */
    void (*on_log)(void *data, const char *line, size_t len);
    void *log_data;
    void (*on_call)(void *data, struct caprun_run *run, uint32_t call, const char *method,
                    const char *args, size_t args_len);
    void *call_data;
    void (*on_event)(void *data, struct caprun_run *run, enum caprun_event what, uint32_t call);
    void *event_data;
    void (*on_progress)(void *data, struct caprun_run *run, uint32_t call, const char *json,
                        size_t len);
    void *progress_data;
    void (*on_loading)(void *data, struct caprun_run *run, enum caprun_loading what,
                       const char *text, uint64_t got, uint64_t total);
    void *loading_data;
    struct cr_loader *loader;     /* NULL: its code is there before the start */
    struct cr_gate *gate;         /* where calls go if there is no |on_call|; NULL: nowhere */
    struct cr_recorder *recorder; /* NULL: nothing is written down */
    uint64_t record_limit;        /* bytes of a journal; 0: the default */
    struct cr_keeping hearing;    /* the long value of a frame that waits for it; see run/keep.h */
    struct cr_answer *answers;    /* that are being stored */
    size_t answer_bytes;          /* of these */
    struct cr_kept received_value, sent_value; /* of the frame at hand, and of what is told now */
    struct cr_shared *told_memory;             /* that it is in, or NULL */
    struct cr_player *player;                  /* NULL: the run is a new one */
    bool is_replaying;                         /* by |player|, and not live yet */
    bool awaits_recorder;                      /* its worker is ready, and the recorder is not */
    bool hears_again;                          /* the frame of |hearing| comes again */
    bool is_given; /* while it is LOADING: its loader gives it what it needs */

    enum cr_run_state state;
    enum caprun_outcome outcome;
    struct cr_guest guest;    /* of the pool, which it needs for |worker| */
    struct cr_worker *worker; /* NULL: not yet, or no more */
    struct cr_timer timer;
    struct cr_task news;      /* tells the application what did not happen in a step */
    struct cr_buf calls_done; /* numbers of calls, uint32_t, that it has yet to hear of */

    int64_t asked_us;    /* caprun_start */
    int64_t ready_by_us; /* while STARTING */
    int64_t job_us;      /* the job was sent: the run's time counts from here */
    int64_t ended_us;
    int64_t date_us; /* what Date shows at job_us */
    struct {
        int64_t now_us, date_us;
    } then; /* what the next frame says of time, while it is prompted */
    int64_t check_cpu_us;
    int64_t late_us;
    int64_t kept_off_us; /* until then the worker is kept off our processor; 0: it is not */
    int64_t wake_us;
    int64_t woken_us;            /* when it was last sent a WAKE; 0: never */
    struct cr_arriving arriving; /* the frame of which a part has come */
    uint64_t log_heard;          /* bytes of LOG frames, also of those that were cut off */
    uint32_t lines_heard;        /* and how many there were */
    uint32_t frames_sent;
    uint32_t idle_said; /* one more than the number of frames read in the last IDLE; 0: none came */
    bool told_start;
    bool heard; /* it has sent a frame since it got the job, before the one at hand */
    bool idle;  /* it has read all that was sent, and has nothing to do */
    bool log_cut;

    struct cr_buf logs; /* lines as they came, each behind its length, a uint32_t */
    size_t log_bytes, log_lines;
    struct cr_call *calls;
    size_t call_count, call_cap;
    size_t calls_open;
    size_t misses;                    /* the gate's: calls of tools that a server does not have */
    uint32_t clock_first, clock_last; /* of the calls whose time runs; 0: there is none */
    struct cr_buf blocked;            /* JSON objects with commas between them */
    struct cr_buf attempt_words;
    struct cr_buf attempts; /* struct cr_attempt, one behind the other */
    size_t attempt_count;
    struct cr_buf result;
    struct cr_run_error error;
    int64_t cpu_us;
    uint64_t said_memory; /* that it took, as the worker says at its end; 0 until then */
    uint64_t memory_used;
    struct cr_buf envelope;
};

/* A run that has not started. The caller, who holds it, clears it with cr_run_clear(). */
void cr_run_init(struct caprun_run *run, struct caprun_runtime *runtime, struct cr_pool *pool);
void cr_run_clear(struct caprun_run *run);

/* Lets the loader begin, and the run is LOADING. */
void cr_run_load(struct caprun_run *run);

/* Tells the application, if it wants to know. Only for what happens in a step. */
void cr_run_notify(struct caprun_run *run, enum caprun_event what, uint32_t call);

/* Call |number| was answered, which the application will hear of in a step. */
void cr_run_notify_call_done(struct caprun_run *run, uint32_t number);

/* The error's message for the limits, where the worker has no words. */
void cr_run_explain(struct caprun_run *run, enum caprun_outcome outcome);

/*
 * Sends a frame, with the run's time in its header. |header| has type and id; |block| is that of
 * the last part, as for cr_worker_send().
 */
void cr_run_send(struct caprun_run *run, struct wire_header header, const struct wire_part *parts,
                 size_t count, uint8_t **block);

/*
 * A frame came from the worker, and makes sense: it is held against what is written down, or
 * written down. Returns false if that has ended the run.
 */
bool cr_run_frame_received(struct caprun_run *run, const struct wire_header *header,
                           const uint8_t *payload);

/* --- clock.c ---------------------------------------------------------------------------------- */

#define CR_RUN_START_US 10000000 /* a worker that is not ready by then never will be */

/* Wall time that the run has left, at least 1. */
uint32_t cr_run_left_ms(const struct caprun_run *run);

/* Ends a run that has reached a limit, or begins to. */
void cr_run_check_limits(struct caprun_run *run);

/* The timer of a run. */
void cr_run_timer_due(struct cr_timer *timer);

#endif
