/*
 * caprun.h - run code that nobody has read, in a process that can do nothing but answer.
 *
 * A runtime (struct caprun_runtime) keeps locked workers ready, forked from a locked zygote. A run
 * (struct caprun_run) is one execution of one piece of code with one args value; it gets a worker
 * that nobody had before and ends with exactly one outcome, which caprun_result_json() gives as
 * the envelope described in docs/envelope.md. docs/embedding.md walks through whole programs.
 *
 *     caprun_new -> caprun_run_new -> caprun_run_set_* -> caprun_run (blocks)
 *                                                      -> caprun_start, then caprun_step whenever
 *                                                         caprun_fd is readable, until caprun_done
 *     caprun_run_free, caprun_free
 *
 * A runtime and its runs belong to one thread at a time, but for caprun_wait() and caprun_wake();
 * separate runtimes share nothing. The library installs no signal handlers, changes no process-wide
 * state, waits for no child but its own, prints nothing, and reads neither the environment nor a
 * configuration file, unless caprun_set_config() tells it to.
 *
 * Callbacks come only from caprun_step() and caprun_run(). They may start and cancel runs and
 * answer calls, but not step the runtime; a run may be freed in its CAPRUN_EVENT_ENDED and in no
 * other callback.
 *
 * Functions that can fail return 0 or a negative CAPRUN_E_*; caprun_error() has the words. Handlers
 * and other callbacks are set before the start. In C++ the type is "struct caprun_run": its name
 * alone is the function.
 */
#ifndef CAPRUN_H
#define CAPRUN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAPRUN_VERSION "0.1.0"

/* Bytes of code, of args, of a schema and of an env that a run may have. */
#define CAPRUN_MAX_CODE (1u << 20)
#define CAPRUN_MAX_ARGS (16u << 20)
#define CAPRUN_MAX_SCHEMA (1u << 20)
#define CAPRUN_MAX_ENV (256u << 10)

#define CAPRUN_API __attribute__((visibility("default")))

/* The version of the library that is loaded, which may be another than CAPRUN_VERSION. */
CAPRUN_API const char *caprun_version(void);

/* What a function returns when it fails. Numbers are never reused. */
enum caprun_error_code {
    CAPRUN_E_NOMEM = -1,   /* no memory */
    CAPRUN_E_INVAL = -2,   /* a value that makes no sense */
    CAPRUN_E_TOOBIG = -3,  /* over a limit */
    CAPRUN_E_SYS = -4,     /* a system call failed */
    CAPRUN_E_STATE = -5,   /* not now: the run has started, or has not */
    CAPRUN_E_SANDBOX = -6, /* the sandbox cannot be built here, so nothing runs */
    CAPRUN_E_PEER = -7,    /* the other side sent what it may not send */
    CAPRUN_E_BUSY = -8,    /* not yet: as many runs wait as may; try again when one has ended */
};

/* What is to be done with a call of a tool. */
enum caprun_permission {
    CAPRUN_ALLOW = 1, /* it is made */
    CAPRUN_ASK = 2,   /* a person decides; this version asks nobody, so that it is denied */
    CAPRUN_DENY = 3,  /* it is rejected with PERMISSION_DENIED */
};

/* How a run ends: name, the error's type, the command's exit status. Numbers are for memory only.
 */
#define CAPRUN_OUTCOME_MAP(XX)                  \
    XX(SUCCESS, "", 0)                          \
    XX(CODE_ERROR, "RuntimeError", 1)           \
    XX(TOOL_ERROR, "MCPToolError", 1)           \
    XX(RPC_ERROR, "RuntimeError", 1)            \
    XX(STALLED, "RuntimeError", 1)              \
    XX(VALIDATION_ERROR, "InputError", 2)       \
    XX(CONFIG_ERROR, "InputError", 2)           \
    XX(INVALID_FQDN, "InputError", 2)           \
    XX(JOURNAL_INVALID, "InputError", 2)        \
    XX(USAGE, "InputError", 2)                  \
    XX(PERMISSION_DENIED, "PermissionError", 3) \
    XX(EXECUTION_TIMEOUT, "TimeoutError", 4)    \
    XX(CPU_TIMEOUT, "TimeoutError", 4)          \
    XX(RPC_TIMEOUT, "TimeoutError", 4)          \
    XX(MEMORY_LIMIT, "MemoryError", 5)          \
    XX(OUTPUT_LIMIT, "LimitError", 5)           \
    XX(CALL_LIMIT, "LimitError", 5)             \
    XX(NOT_FOUND, "LoadError", 6)               \
    XX(REGISTRY_UNREACHABLE, "LoadError", 6)    \
    XX(METADATA_INVALID, "LoadError", 6)        \
    XX(INTEGRITY_MISMATCH, "LoadError", 6)      \
    XX(APPROVAL_REQUIRED, "Suspended", 7)       \
    XX(REPLAY_DIFFERED, "ReplayError", 8)       \
    XX(WORKER_TERMINATED, "WorkerError", 9)     \
    XX(INTERNAL, "InternalError", 70)           \
    XX(CANCELLED, "Cancelled", 130)

enum caprun_outcome {
#define XX(name, type, status) CAPRUN_OUTCOME_##name,
    CAPRUN_OUTCOME_MAP(XX)
#undef XX
};

struct caprun_runtime;
struct caprun_run;

/* --- a runtime ----------------------------------------------------------------------------- */

/*
 * Makes a runtime; starts nothing yet. On success *|ret| is the caller's, who ends it with
 * caprun_free(). Returns 0, CAPRUN_E_NOMEM or CAPRUN_E_SYS.
 */
CAPRUN_API int caprun_new(struct caprun_runtime **ret);

/*
 * Ends every worker and MCP server, and waits until they are gone. Free its runs first, and let no
 * other thread be in caprun_wait(). Takes NULL.
 */
CAPRUN_API void caprun_free(struct caprun_runtime *rt);

/* Words for the last failure of a function of this runtime or its runs; valid until the next. */
CAPRUN_API const char *caprun_error(const struct caprun_runtime *rt);

/*
 * Where caprun-worker is, and beside it caprun-guard, which starts MCP servers, and caprun-fetch,
 * which fetches URLs. By default, and with NULL, it is looked for beside the library (or the
 * program that has it linked in), then in ../libexec/caprun from there. A relative |path| starts in
 * the directory that is the current one now, and the library's own in that of when it was loaded.
 * |path| is copied. Returns 0, CAPRUN_E_NOMEM, CAPRUN_E_SYS if there is no current directory, or
 * CAPRUN_E_STATE after the zygote has started.
 */
CAPRUN_API int caprun_set_worker(struct caprun_runtime *rt, const char *path);

/*
 * Sizes of the pool; 0 is the default. All return 0, CAPRUN_E_TOOBIG over the largest value, or
 * CAPRUN_E_STATE after the zygote has started.
 * - warm: workers that wait for a run, locked and ready. Default: 8 for each processor, at most 64.
 *   CAPRUN_WARM_NONE: each run has its worker forked when it starts. Largest: 4,096.
 * - max_workers: processes, those that wait included; each takes two descriptors of this process,
 *   and a zygote, of which there is more than one while runs need an old one, three. Runs beyond it
 *   wait in the order of their start. Default: 256. Largest: 4,096.
 * - max_memory: bytes that all runs together may use: the sum of their limits. Runs beyond it wait
 *   too; one whose own limit is over it ends with VALIDATION_ERROR. Default: as much as max_workers
 *   runs may use. Largest: 64 TiB.
 * - max_waiting: runs that may wait, beside those for which there is room. caprun_start() refuses
 *   more with CAPRUN_E_BUSY. Default: 1,024. Largest: 1,048,576.
 * - memory: the limit of runs that set none, with which workers are made ready. A run with a limit
 *   of its own has its worker forked when it starts. Default: 512 MiB. Largest: 16 GiB.
 */
#define CAPRUN_WARM_NONE UINT32_MAX
CAPRUN_API int caprun_set_warm(struct caprun_runtime *rt, uint32_t workers);
CAPRUN_API int caprun_set_max_workers(struct caprun_runtime *rt, uint32_t workers);
CAPRUN_API int caprun_set_max_memory(struct caprun_runtime *rt, uint64_t bytes);
CAPRUN_API int caprun_set_max_waiting(struct caprun_runtime *rt, uint32_t runs);
CAPRUN_API int caprun_set_memory(struct caprun_runtime *rt, uint64_t bytes);

/*
 * With |fresh| not 0 every worker comes from a zygote of its own, so that no two runs share the
 * addresses of anything; that costs each a program start. Returns 0 or CAPRUN_E_STATE.
 */
CAPRUN_API int caprun_set_fresh_program(struct caprun_runtime *rt, int fresh);

/*
 * With |on| not 0 nothing runs where a layer of the sandbox is missing (caprun_missing_layers()):
 * every run ends with INTERNAL, and a message that names them, before any worker gets its code. The
 * clock is not meant, which only gives timeouts their stack. Returns 0 or CAPRUN_E_STATE.
 */
CAPRUN_API int caprun_set_require_all_layers(struct caprun_runtime *rt, int on);

/*
 * Where root starts zygotes, each has a uid of its own: one of 65,536, of which |uid| is the first.
 * They have to be nobody else's: not people's, services' or containers', nor in /etc/subuid. 0 is
 * the default, 2,130,640,896, or where there are no such uids, as in some containers, 500 from
 * 65,000 on. If those that are set are not there, nothing runs. A zygote that an ordinary user
 * starts has his uid. Returns 0; CAPRUN_E_INVAL below 65,536 or over 4,294,901,758; CAPRUN_E_STATE
 * after the zygote has started.
 */
CAPRUN_API int caprun_set_uid_base(struct caprun_runtime *rt, uint32_t uid);

/*
 * Starts the zygote now, if there is none, and asks it for the workers that are missing, so that
 * the next runs find them; does not wait for them. For an application that steps only while
 * something runs. Returns 0, or CAPRUN_E_SYS or CAPRUN_E_NOMEM if the zygote cannot be started.
 */
CAPRUN_API int caprun_warm(struct caprun_runtime *rt);

/*
 * Layers of the sandbox that this machine does not have, as words; "" if there are all. NULL until
 * the zygote has told. It is what any zygote misses. The text belongs to the runtime.
 */
CAPRUN_API const char *caprun_missing_layers(struct caprun_runtime *rt);

enum caprun_layer_state {
    CAPRUN_LAYER_PRESENT = 1,      /* it stopped an attack, or the kernel says that it is there */
    CAPRUN_LAYER_ABSENT = 2,       /* this machine does not have it, or does not give it */
    CAPRUN_LAYER_FAILED = 3,       /* it should be there, and an attack got through */
    CAPRUN_LAYER_NOT_CHECKABLE = 4 /* it should be there, and nobody here can tell */
};

/*
 * Called for one layer of the sandbox. |state| is an enum caprun_layer_state; |required| is not 0
 * for those without which nothing runs; |found| says how it is known. |cost| and |remedy| say what
 * the lack of it costs and how to get it, or are "". The texts are valid during the call.
 */
typedef void caprun_layer_fn(void *data, const char *name, int state, int required,
                             const char *found, const char *cost, const char *remedy);

/*
 * Attacks the sandbox from inside a worker on this machine, looks at it from outside, and calls
 * |hear| for each layer. Takes half a second, and processes and two runs of its own. Returns 1 if
 * untrusted code may run here, 0 if not, or an error if that cannot be found out: CAPRUN_E_SYS,
 * CAPRUN_E_NOMEM or CAPRUN_E_PEER.
 */
CAPRUN_API int caprun_doctor(struct caprun_runtime *rt, caprun_layer_fn *hear, void *data);

/* What the pool has now, and has had since caprun_new(). */
enum caprun_count {
    CAPRUN_COUNT_READY = 1,   /* workers that wait for a run */
    CAPRUN_COUNT_RUNNING = 2, /* runs that have a worker, or one on its way */
    CAPRUN_COUNT_WAITING = 3, /* runs that wait for room */
    CAPRUN_COUNT_WORKERS = 4, /* workers asked for, so far */
    CAPRUN_COUNT_ZYGOTES = 5, /* zygotes started, so far */
    CAPRUN_COUNT_CRASHES = 6, /* workers that crashed or broke the protocol, so far */
};

/* Returns one of the above; 0 for a number that is none of them. */
CAPRUN_API uint64_t caprun_count(struct caprun_runtime *rt, enum caprun_count what);

/*
 * One descriptor that is readable whenever there is something to do, not to be closed; and what
 * does it, without waiting. In a callback caprun_step() does nothing.
 */
CAPRUN_API int caprun_fd(const struct caprun_runtime *rt);
CAPRUN_API void caprun_step(struct caprun_runtime *rt);

/*
 * Waits until there is something to step, or |timeout_ms| have passed (-1: for ever); and makes
 * caprun_fd() readable, which ends a wait, until the next step. Any thread may call these two.
 */
CAPRUN_API void caprun_wait(struct caprun_runtime *rt, int timeout_ms);
CAPRUN_API void caprun_wake(struct caprun_runtime *rt);

/* --- MCP servers --------------------------------------------------------------------------- */

/*
 * Reads the servers, permissions, registries and granted variables of the .caprun.json at |path|
 * (docs/config.md; what else is in it is checked, and left to the application). From then on calls
 * of runs that have no handler go to these servers, if the permissions allow them, and to the tools
 * that caprun.lock, beside that file, pins. A server is started by the first call that it gets, in
 * the directory and with the environment that are configured, and ended by caprun_free(), in which
 * it has two seconds for that; or with this process, however that ends. Returns 0; CAPRUN_E_INVAL
 * with file, line and column of what is wrong; CAPRUN_E_STATE if there is one already;
 * CAPRUN_E_NOMEM.
 */
CAPRUN_API int caprun_set_config(struct caprun_runtime *rt, const char *path);

/*
 * A directory where it is remembered, from one process to the next, which protocol a server speaks,
 * and where what came from registries that are URLs is kept. Has to be set before
 * caprun_set_config(). By default nothing is. Returns 0, CAPRUN_E_NOMEM or CAPRUN_E_STATE.
 */
CAPRUN_API int caprun_set_cache(struct caprun_runtime *rt, const char *dir);

/*
 * With |on| not 0 caprun.lock may not change: what it does not pin fails with INTEGRITY_MISMATCH.
 * Returns 0, or CAPRUN_E_STATE before caprun_set_config().
 */
CAPRUN_API int caprun_set_frozen(struct caprun_runtime *rt, int on);

/*
 * Adds to the permissions of the configuration. |pattern| is a glob over "ns:action"; a DENY that
 * is added here is stronger than all else. Returns 0; CAPRUN_E_INVAL for what is no pattern;
 * CAPRUN_E_STATE before caprun_set_config(); CAPRUN_E_NOMEM.
 */
CAPRUN_API int caprun_permit(struct caprun_runtime *rt, enum caprun_permission what,
                             const char *pattern);

/*
 * The next caprun_list_tools() pins the tool |method|, "ns:action" by its exact name, as it is
 * then. Returns 0; CAPRUN_E_INVAL if there is no such server; CAPRUN_E_STATE before
 * caprun_set_config().
 */
CAPRUN_API int caprun_accept_tool(struct caprun_runtime *rt, const char *method);

/*
 * Starts |server|, or with NULL all servers, unless they run, and calls |each| in a step once for
 * every one, when it has told its tools or has failed, with a JSON object (docs/servers.md).
 * Returns the number of servers, 0 if there is no |server|; CAPRUN_E_STATE before
 * caprun_set_config() or while a list is being made.
 */
CAPRUN_API int caprun_list_tools(struct caprun_runtime *rt, const char *server,
                                 void (*each)(void *data, const char *json, size_t len),
                                 void *data);

/* --- a run --------------------------------------------------------------------------------- */

/*
 * Makes a run. Returns 0, CAPRUN_E_NOMEM or CAPRUN_E_SYS. The second takes NULL, and ends a run
 * that is still going on, without telling.
 */
CAPRUN_API int caprun_run_new(struct caprun_runtime *rt, struct caprun_run **ret);
CAPRUN_API void caprun_run_free(struct caprun_run *run);

/*
 * The code, and the args as JSON; both are copied. Args that are not set are {}. Returns 0;
 * CAPRUN_E_TOOBIG over 1 MiB of code or 16 MiB of args; CAPRUN_E_INVAL for code that is not UTF-8
 * or has a NUL in it, for args that are not JSON or have a key twice; CAPRUN_E_NOMEM;
 * CAPRUN_E_STATE after caprun_start().
 */
CAPRUN_API int caprun_run_set_code(struct caprun_run *run, const char *code, size_t len);
CAPRUN_API int caprun_run_set_args(struct caprun_run *run, const char *json, size_t len);

/*
 * The run will be of the capability |name|, "org.project.namespace.action", then optionally
 * ".hash"; |name| is copied. caprun_start() then looks for it in the registries of the
 * configuration, checks it against caprun.lock, pins it there at its first use, gives the run its
 * code, schema, tools and granted variables, and runs it. Nothing of that blocks: caprun_step()
 * drives it. Whatever is wrong is the run's outcome: INVALID_FQDN, NOT_FOUND, REGISTRY_UNREACHABLE,
 * METADATA_INVALID, INTEGRITY_MISMATCH, CONFIG_ERROR, PERMISSION_DENIED (an MCP server that it
 * needs is not configured), VALIDATION_ERROR. The run's time counts from when a worker has the
 * code. Where as many runs wait as may, it waits too, without CAPRUN_E_BUSY. Returns 0;
 * CAPRUN_E_STATE after caprun_start() or before caprun_set_config(); CAPRUN_E_NOMEM.
 */
CAPRUN_API int caprun_run_load(struct caprun_run *run, const char *name);

/* What happens while a capability is loaded, and what |text| is then: a stranger's, in parts. */
enum caprun_loading {
    CAPRUN_LOADING_FETCH = 1,    /* a URL is being fetched, which |text| is; ten times a second */
    CAPRUN_LOADING_OFFLINE = 2,  /* its server does not answer, why; what was kept of it is run */
    CAPRUN_LOADING_UNCACHED = 3, /* what comes from URLs cannot be kept: why */
    CAPRUN_LOADING_LOADED = 4,   /* "FQDN from REGISTRY, HASH" */
    CAPRUN_LOADING_PINNED = 5,   /* its first use: "FQDN in LOCKFILE" */
};

/*
 * |loading| hears of each, before the run has a worker. |got| and |total| are bytes of what is
 * fetched, 0 if it is not known. |text| is there until it returns. It may cancel the run.
 */
CAPRUN_API void caprun_run_set_loading(struct caprun_run *run,
                                       void (*loading)(void *data, struct caprun_run *run,
                                                       enum caprun_loading what, const char *text,
                                                       uint64_t got, uint64_t total),
                                       void *data);

/*
 * The JSON Schema that the args must fit, and the variables that the code finds in args.env, an
 * object of strings; both are copied, and |len| 0 means none. The worker checks the args before it
 * compiles the code, within the run's limits: args that do not fit end the run with
 * VALIDATION_ERROR, a schema that is none with METADATA_INVALID. The dialect is that of $schema,
 * 2020-12 (the default), 2019-09 or draft-07; no other document is read. The schema is not about
 * env, which is added afterwards; args that have an "env" already, or are no object, do not fit.
 * Returns 0; CAPRUN_E_TOOBIG over 1 MiB of schema or 256 KiB of env; CAPRUN_E_INVAL for what is not
 * JSON or has a key twice, and for an env that is not an object of strings; CAPRUN_E_NOMEM;
 * CAPRUN_E_STATE after caprun_start().
 */
CAPRUN_API int caprun_run_set_schema(struct caprun_run *run, const char *json, size_t len);
CAPRUN_API int caprun_run_set_env(struct caprun_run *run, const char *json, size_t len);

/*
 * Limits; 0 is the default: 300,000 ms of wall time, as much CPU time as wall time, 30,000 ms for a
 * call, 512 MiB. Returns 0, CAPRUN_E_TOOBIG over 24 days or 16 GiB, or CAPRUN_E_STATE.
 */
CAPRUN_API int caprun_run_set_timeout(struct caprun_run *run, uint64_t ms);
CAPRUN_API int caprun_run_set_cpu(struct caprun_run *run, uint64_t ms);
CAPRUN_API int caprun_run_set_call_timeout(struct caprun_run *run, uint64_t ms);
CAPRUN_API int caprun_run_set_memory(struct caprun_run *run, uint64_t bytes);

/*
 * More limits; 0 is the default, and 1 the least. Returns 0, CAPRUN_E_TOOBIG over the largest
 * value, or CAPRUN_E_STATE.
 * - max_result: bytes of the result as JSON. More is OUTPUT_LIMIT. Default: 16 MiB. Largest: 64
 *   MiB.
 * - max_log: bytes of all lines together, of which there are 10,000 at most. What is over it is
 *   cut, and the last line says so. Default: 1 MiB. Largest: 16 MiB.
 * - max_calls: calls that the run may make. One more is CALL_LIMIT. Default: 10,000. Largest:
 *   100,000.
 * - max_calls_at_once: calls that may wait for their answers. More wait in the worker. Default:
 *   256. Largest: 1,024.
 */
CAPRUN_API int caprun_run_set_max_result(struct caprun_run *run, uint64_t bytes);
CAPRUN_API int caprun_run_set_max_log(struct caprun_run *run, uint64_t bytes);
CAPRUN_API int caprun_run_set_max_calls(struct caprun_run *run, uint64_t calls);
CAPRUN_API int caprun_run_set_max_calls_at_once(struct caprun_run *run, uint64_t calls);

/*
 * The tools that the run may call: |count| names like "files:read", which are copied. A call of any
 * other is denied before the handler hears of it: it fails with PERMISSION_DENIED, and the envelope
 * says so ("by": "rule:tools"); the events of a call, CALL and CALL_DONE, come as for any other.
 * With a |count| of 0 every call is denied. If this is not called, the handler alone decides, or
 * without one the permissions of caprun_set_config(). Returns 0; CAPRUN_E_INVAL for what is no such
 * name (there are no patterns); CAPRUN_E_TOOBIG over 10,000 names; CAPRUN_E_NOMEM; CAPRUN_E_STATE.
 */
CAPRUN_API int caprun_run_set_tools(struct caprun_run *run, const char *const *names, size_t count);

/* |log| gets each line that the code logs: a stranger's bytes, without a NUL, until it returns. */
CAPRUN_API void caprun_run_set_log(struct caprun_run *run,
                                   void (*log)(void *data, const char *line, size_t len),
                                   void *data);

/*
 * |handler| gets each call of the run: its number; its method, "namespace:action" with a NUL at the
 * end; and its args, JSON without one. Both are there until it returns. It answers, now or later,
 * with one of the functions below; calls that are not answered in time fail with RPC_TIMEOUT.
 * Without a handler calls go to the servers of caprun_set_config(), or fail.
 */
CAPRUN_API void caprun_run_set_handler(struct caprun_run *run,
                                       void (*handler)(void *data, struct caprun_run *run,
                                                       uint32_t call, const char *method,
                                                       const char *args, size_t args_len),
                                       void *data);

/*
 * Answers to call |call|: the JSON of what it returns; the JSON of an MCP tools/call result, of
 * which the code gets the value, or an MCPToolError; or a failure, as an error with this message.
 * The bytes are copied. Returns 0; CAPRUN_E_STATE if no handler has the call yet, it has been
 * answered, has timed out, or its run has ended; CAPRUN_E_INVAL for what is not JSON, and then it
 * can be answered again; CAPRUN_E_TOOBIG over 64 MiB, or when 256 MiB wait for the worker to read
 * them, and then the call has failed; CAPRUN_E_NOMEM, and then the run has ended.
 */
CAPRUN_API int caprun_call_reply(struct caprun_run *run, uint32_t call, const char *json,
                                 size_t len);
CAPRUN_API int caprun_call_reply_tool(struct caprun_run *run, uint32_t call, const char *json,
                                      size_t len);
CAPRUN_API int caprun_call_fail(struct caprun_run *run, uint32_t call, const char *message,
                                size_t len);

/*
 * The same as caprun_call_reply(), but of |json|, which malloc() made, and which is the caller's no
 * more, whatever is returned. Large ones are not copied.
 */
CAPRUN_API int caprun_call_give(struct caprun_run *run, uint32_t call, char *json, size_t len);

/* What can happen to a run. */
enum caprun_event {
    CAPRUN_EVENT_STARTED = 1,   /* it has a worker, and the code is on its way there */
    CAPRUN_EVENT_CALL = 2,      /* a call came; its handler is next, unless it is refused */
    CAPRUN_EVENT_CALL_DONE = 3, /* a call was answered, with a value or a failure */
    CAPRUN_EVENT_CALL_LOST = 4, /* a call's answer is not wanted any more: stop working on it */
    CAPRUN_EVENT_BLOCKED = 5,   /* the code reached for what is denied */
    CAPRUN_EVENT_ENDED = 6,     /* it has its outcome; the last event, and the run may be freed */
};

/*
 * |event| hears of each; |call| is the number of the call that it is about, or 0. Each call ends
 * with one CALL_DONE or one CALL_LOST, and each run with one ENDED, in a step after its end. One
 * that had no worker hears of no STARTED, one that is freed of nothing more.
 */
CAPRUN_API void caprun_run_set_event(struct caprun_run *run,
                                     void (*event)(void *data, struct caprun_run *run,
                                                   enum caprun_event what, uint32_t call),
                                     void *data);

/*
 * |progress| hears what servers tell about calls before they answer: |json|, the params of the
 * notification (progress, and perhaps total and message: a stranger's), there until it returns.
 */
CAPRUN_API void caprun_run_set_progress(struct caprun_run *run,
                                        void (*progress)(void *data, struct caprun_run *run,
                                                         uint32_t call, const char *json,
                                                         size_t len),
                                        void *data);

/*
 * With |stop| not 0 the first attempt on what is denied (files, network, eval …, or a call that is
 * not in the list of tools, or not permitted) ends the run with PERMISSION_DENIED, caught or not.
 */
CAPRUN_API void caprun_run_set_stop_when_denied(struct caprun_run *run, int stop);

/*
 * Journals (docs/journal.md): by default nothing is written down.
 * - record: all that the run is told and asks for goes into a new file at |path|, each line before
 *   its effect can be seen outside of the worker, and long values into a directory beside it. If it
 *   cannot be written, the run ends with INTERNAL. It has the code, the args and the answers of
 *   tools in it, but of the env only names.
 * - replay: the run gets what the one that was recorded at |path| was given, and is told what that
 *   was told; nobody answers calls, nothing is contacted, and it ends as that has ended, or with
 *   REPLAY_DIFFERED and the first difference in its message. Its limits, and those of resume, are
 *   the recorded ones, but no more than what is set for the run; where nothing is set, no more
 *   memory and time than the defaults. Code that is set afterwards takes the place of what was
 *   recorded; an env has to be set again. With |on| not 0, real_time lets it take as long as then.
 * - resume: the run that was recorded at |path|, and whose host died, goes on: brought to where it
 *   was without making a call twice, then live. Set an env, and the handler, again. Calls that were
 *   under way, so that nobody knows whether they were carried out, fail with RPC_ERROR and are
 *   shown as in_flight_unknown; unless the configuration says that the tool is idempotent, or retry
 *   has named the call, 0 for all. After a restart of the machine the end of the journal may be
 *   missing, and only with retry of 0 is it resumed.
 *
 * Returns 0; CAPRUN_E_SYS if the file of record cannot be made, or is there; CAPRUN_E_INVAL for a
 * journal that cannot be read, replayed or resumed, with the line; CAPRUN_E_NOMEM; CAPRUN_E_STATE.
 */
CAPRUN_API int caprun_run_record(struct caprun_run *run, const char *path);

/*
 * Bytes that the journal of record and resume may have, with the files beside it; 0 is the default,
 * 64 MiB. What would make it longer is not written: the run goes on unrecorded, and the journal,
 * whose last line says so ("cut"), cannot be replayed or resumed. Returns 0, CAPRUN_E_TOOBIG over 1
 * GiB, or CAPRUN_E_STATE after the start.
 */
CAPRUN_API int caprun_run_set_record_limit(struct caprun_run *run, uint64_t bytes);
CAPRUN_API int caprun_run_replay(struct caprun_run *run, const char *path);
CAPRUN_API int caprun_run_resume(struct caprun_run *run, const char *path);
CAPRUN_API int caprun_run_retry(struct caprun_run *run, uint32_t call);
CAPRUN_API void caprun_run_set_real_time(struct caprun_run *run, int on);

/*
 * A JSON object for the journal: where the code came from, in words of the application's own. It is
 * copied; |len| 0 means none. Returns 0; CAPRUN_E_INVAL for what is none; CAPRUN_E_TOOBIG over 32
 * KiB; CAPRUN_E_NOMEM; CAPRUN_E_STATE.
 */
CAPRUN_API int caprun_run_set_origin(struct caprun_run *run, const char *json, size_t len);

/*
 * Starts the run, or puts it in the queue; the second also waits for its end, and is not for
 * callbacks. Returns 0; CAPRUN_E_STATE if it has no code and loads none, or was started;
 * CAPRUN_E_BUSY if the queue is full, and then it can be started later. Any other failure is the
 * run's outcome.
 */
CAPRUN_API int caprun_start(struct caprun_run *run);
CAPRUN_API int caprun_run(struct caprun_run *run);

/*
 * Ends the run now, unless it has ended: with CANCELLED, because somebody does not want its result
 * any more; or with WORKER_TERMINATED, because the application shuts down what it runs code with.
 */
CAPRUN_API void caprun_cancel(struct caprun_run *run);
CAPRUN_API void caprun_terminate(struct caprun_run *run);

/*
 * Ends a run that was not started with |outcome| and |message|. A message over 64 KiB and a hint
 * over 511 bytes are cut; |hint| may be NULL.
 */
CAPRUN_API void caprun_reject(struct caprun_run *run, enum caprun_outcome outcome,
                              const char *message, const char *hint);

/* 1 if the run has ended: only then does what is below mean anything; and how it ended. */
CAPRUN_API int caprun_done(const struct caprun_run *run);
CAPRUN_API enum caprun_outcome caprun_get_outcome(const struct caprun_run *run);

/*
 * The envelope, and parts of it: the result as JSON, the error's message and stack. They belong to
 * the run, and end with a NUL that the length does not count; |ret_len| may be NULL. NULL if there
 * is none: the run has not ended, has no error or no stack, or there was no memory. The envelope is
 * written when it is asked for: with the default limits that takes some 25 ms at most, with the
 * largest 300.
 */
CAPRUN_API const char *caprun_result_json(struct caprun_run *run, size_t *ret_len);
CAPRUN_API const char *caprun_get_result(struct caprun_run *run, size_t *ret_len);
CAPRUN_API const char *caprun_get_message(struct caprun_run *run, size_t *ret_len);
CAPRUN_API const char *caprun_get_stack(struct caprun_run *run, size_t *ret_len);

/* The error's hint, type and tool to blame, or ""; the run's id, from caprun_run_new() on. */
CAPRUN_API const char *caprun_get_hint(const struct caprun_run *run);
CAPRUN_API const char *caprun_get_type(const struct caprun_run *run);
CAPRUN_API const char *caprun_get_tool(const struct caprun_run *run);
CAPRUN_API const char *caprun_get_id(const struct caprun_run *run);

enum caprun_metric {
    CAPRUN_METRIC_STARTUP_US = 1,   /* from caprun_start() to a worker that has the code */
    CAPRUN_METRIC_EXECUTION_US = 2, /* from there to the end */
    CAPRUN_METRIC_CPU_US = 3,       /* that the worker used, as the kernel counts */
    CAPRUN_METRIC_MEMORY_BYTES = 4, /* the worker's at its most; docs/envelope.md: who says so */
    CAPRUN_METRIC_CALLS = 5,
};

/* 0 for a number that is none of these. */
CAPRUN_API uint64_t caprun_get_metric(const struct caprun_run *run, enum caprun_metric metric);

/* What is known of call |call|, also while the run goes on. */
enum caprun_call_fact {
    CAPRUN_CALL_QUEUE_US = 1,  /* until it was sent to whoever answers */
    CAPRUN_CALL_SERVER_US = 2, /* from then to its end */
    CAPRUN_CALL_ARGS_BYTES = 3,
    CAPRUN_CALL_ANSWER_BYTES = 4, /* 0 if it failed */
};

/* 0 for a number that is none of these, or of a call that is none. */
CAPRUN_API uint64_t caprun_get_call(const struct caprun_run *run, uint32_t call,
                                    enum caprun_call_fact fact);

/*
 * Its method, "ns:action"; its state as in the envelope; and if it failed why, cut, and more for
 * the user alone. "" if there is none. They belong to the run, until its next call.
 */
CAPRUN_API const char *caprun_get_call_method(const struct caprun_run *run, uint32_t call);
CAPRUN_API const char *caprun_get_call_state(const struct caprun_run *run, uint32_t call);
CAPRUN_API const char *caprun_get_call_message(const struct caprun_run *run, uint32_t call);
CAPRUN_API const char *caprun_get_call_hint(const struct caprun_run *run, uint32_t call);

/* "CODE_ERROR", 1: the name of an outcome, and the exit status that the command gives it. */
CAPRUN_API const char *caprun_outcome_name(enum caprun_outcome outcome);
CAPRUN_API int caprun_outcome_status(enum caprun_outcome outcome);

#ifdef __cplusplus
}
#endif

#endif
