/*
 * run.h - one run as a state machine.
 *
 *     NEW --start--> WAITING --the pool has a worker--> STARTING --it is ready, job sent--> RUNNING
 *                       ^                                  |                                  |
 *                       +--the worker is lost, and has not read the job-----------------------+
 *
 *     RUNNING --wall limit reached--> LATE (waiting for the stack)
 *     each of them --cr_run_end()--> ENDED
 *
 * Every way to an end goes through cr_run_end(), which takes the first outcome and no other: a
 * result that arrives after the limit changes nothing. The host's clock decides; what the worker
 * says of time is not asked.
 */
#ifndef CR_RUN_H
#define CR_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/loop.h"
#include "run/arriving.h"
#include "run/gate.h"
#include "pool/pool.h"
#include "run/prompter.h"
#include "run/recorder.h"
#include "policy/tool_list.h"
#include "pool/worker.h"

enum cr_run_state {
    CR_RUN_NEW,
    CR_RUN_WAITING,
    CR_RUN_STARTING,
    CR_RUN_RUNNING,
    CR_RUN_LATE,
    CR_RUN_ENDED,
};

struct cr_run_limits {
    uint64_t memory;
    uint32_t wall_ms;
    uint32_t cpu_ms;
    uint32_t call_ms; /* for one call */
    struct wire_limits most;
};

enum cr_call_state {
    CR_CALL_OPEN,
    CR_CALL_DONE,
    CR_CALL_FAILED,
    CR_CALL_DENIED,
    CR_CALL_UNKNOWN, /* it was sent in an earlier life of the run, and nobody knows the rest */
};

struct cr_call {
    enum cr_call_state state;
    const char *by;              /* who decided; NULL: nobody did */
    bool is_asked;               /* of the application, through its handler */
    bool is_answered;            /* and the answer is being stored before the worker is told */
    const char *rule;            /* what comes behind |by|, or NULL; the gate's */
    enum caprun_outcome outcome; /* that it leads to, if nobody catches its failure */
    char *method;
    char *message; /* of its failure */
    char *hint;    /* for the user alone, or NULL */
    void *sent;    /* through the gate, which has to hear if it is lost; NULL: it was not */
    int64_t started_us;
    int64_t sent_us;  /* to whoever answers; 0: not yet */
    int64_t heard_us; /* since when its time runs; 0: it does not */
    uint64_t us;      /* how long it took */
    size_t args_len, answer_len;
    uint32_t clock_prev, clock_next; /* numbers of calls whose time runs, by |heard_us|; 0: none */
};

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
    struct cr_run_limits limits;
    struct {
        uint64_t memory;
        uint32_t wall_ms, cpu_ms;
    } recorded; /* the limits of the journal that are above |limits|; each is 0 if it is not */
    struct cr_buf code, args;
    struct cr_buf schema, env;     /* empty: there is none */
    uint8_t digest[CR_HASH_BYTES]; /* SHA-256 of the code, from the start on */
    char name[16];                 /* what stack traces call the code; "": as its digest says */
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
    struct cr_gate *gate;         /* where calls go if there is no |on_call|; NULL: nowhere */
    struct cr_recorder *recorder; /* NULL: nothing is written down */
    uint64_t record_limit;        /* bytes of a journal; 0: the default */
    struct cr_keeping hearing;    /* the long value of a frame that waits for it; see pool/keep.h */
    struct cr_answer *answers;    /* that are being stored */
    size_t answer_bytes;          /* of these */
    struct cr_kept heard_value, told_value; /* of the frame at hand, and of what is told now */
    struct cr_shared *told_memory;          /* that it is in, or NULL */
    struct cr_prompter *prompter;           /* NULL: the run is a new one */
    struct cr_buf origin;      /* JSON, for the recorder: where the code came from; or empty */
    struct cr_tool_list tools; /* if it is set, the run may make only these calls */
    uint8_t seed[WIRE_SEED_MATH + WIRE_SEED_CRYPTO];
    bool has_seed;        /* the prompter's; else it is made at the start */
    bool is_prompted;     /* by |prompter|, and not live yet */
    bool awaits_recorder; /* its worker is ready, and the recorder is not */
    bool hears_again;     /* the frame of |hearing| comes again */
    bool stop_when_denied;
    bool caller_waits; /* in caprun_run(), for this one */

    enum cr_run_state state;
    enum caprun_outcome outcome;
    struct caprun_run *next_waiting, **waiting_at; /* and what points to this one */
    struct cr_worker *worker;                      /* NULL: not yet, or no more */
    struct cr_timer timer;
    struct cr_task news;      /* tells the application what did not happen in a step */
    struct cr_buf calls_done; /* numbers of calls, uint32_t, that it has yet to hear of */
    char id[37];

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
    int64_t elsewhere_us; /* until then the worker is kept off our processor; 0: it is not */
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
    uint64_t taken; /* memory, as the worker says when it has ended by itself; 0 until then */
    uint64_t memory_used;
    struct cr_buf envelope;
};

/* Wall time since the job was sent, on the run's own clock. */
int64_t cr_run_now(const struct caprun_run *run);

/* A run that has not started. The caller, who holds it, clears it with cr_run_clear(). */
void cr_run_init(struct caprun_run *run, struct caprun_runtime *runtime, struct cr_pool *pool);

/*
 * Fills in limits that are 0, and waits for a worker. Returns 0, or CAPRUN_E_BUSY if as many wait
 * as may; any other failure ends the run.
 */
int cr_run_start(struct caprun_run *run, struct cr_err *err);

/* For the pool: |w| is the run's now. */
void cr_run_take(struct caprun_run *run, struct cr_worker *w);

/* For the pool: the code has crashed too often. Ends the run. */
void cr_run_refuse(struct caprun_run *run);

/* For the pool: seconds of CPU time after which the kernel ends the worker, if the host does not.
 */
uint32_t cr_run_cpu_s(const struct caprun_run *run);

/* For the pool: there is no worker to be had, and |why|; |hint| may be "". */
void cr_run_fail(struct caprun_run *run, const struct cr_err *why, const char *hint);

/* Tells the application, if it wants to know. Only for what happens in a step. */
void cr_run_tell(struct caprun_run *run, enum caprun_event what, uint32_t call);

/* Call |number| was answered, which the application will hear of in a step. */
void cr_run_tell_call_done(struct caprun_run *run, uint32_t number);

/*
 * The end of a run that has none yet; later calls do nothing. Measures and kills the worker, and
 * writes the envelope. Where cr_run_say() was not called before, a limit explains itself.
 */
void cr_run_end(struct caprun_run *run, enum caprun_outcome outcome);

/*
 * The error's message; replaces what was there. It is cut where it is longer than a message may be.
 */
void cr_run_say(struct caprun_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for the limits, where the worker has no words. */
void cr_run_explain(struct caprun_run *run, enum caprun_outcome outcome);

/* What to change; replaces what was there. */
void cr_run_hint(struct caprun_run *run, const char *text);

/*
 * Sends a frame, with the run's time in its header. |header| has type and id; |block| is that of
 * the last part, as for cr_worker_send().
 */
void cr_run_send(struct caprun_run *run, struct wire_header header, const struct wire_part *parts,
                 size_t count, uint8_t **block);

/* Code is called by what it is: stack traces say cap:1a2b3c4d, and no path of the host. */
void cr_run_name_code(struct caprun_run *run, const uint8_t digest[CR_HASH_BYTES]);

/*
 * For the prompter: there is nothing left to tell. The run's clock goes on from |now_us|, and Date
 * shows today's time.
 */
void cr_run_go_live(struct caprun_run *run, int64_t now_us);

/*
 * A frame came from the worker, and makes sense: it is held against what is written down, or
 * written down. Returns false if that has ended the run.
 */
bool cr_run_hear(struct caprun_run *run, const struct wire_header *header, const uint8_t *payload);

/* For the recorder: it has written what begin() was called for. */
void cr_run_recorder_ready(struct caprun_run *run);

/* Ends the run because it cannot be written down. Returns the code of |why|. */
int cr_run_end_unrecorded(struct caprun_run *run, const struct cr_err *why);

/* --- run_clock.c ------------------------------------------------------------------------------ */

#define CR_RUN_START_US 10000000 /* a worker that is not ready by then never will be */

/* Wall time that the run has left, at least 1. */
uint32_t cr_run_left_ms(const struct caprun_run *run);

/* Ends a run that has reached a limit, or begins to. */
void cr_run_check_limits(struct caprun_run *run);

/* The timer of a run. */
void cr_run_timer_due(struct cr_timer *timer);

/* Sets the timer to whatever is next: a limit, a wake-up, the end of patience. */
void cr_run_schedule(struct caprun_run *run);

void cr_run_clear(struct caprun_run *run);

#endif
