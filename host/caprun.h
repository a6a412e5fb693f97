/*
 * caprun.h - the public interface of libcaprun: runs untrusted JavaScript in sandboxed processes.
 *
 * A runtime (struct caprun_runtime) keeps locked workers ready, forked from a locked zygote. A run
 * (struct caprun_run) is one execution of one piece of code with one args value. It gets a new
 * worker, used for no other run, and ends with exactly one outcome; caprun_result_json() returns it
 * as the envelope of docs/envelope.md. docs/embedding.md walks through whole programs.
 *
 *     caprun_new -> caprun_run_new -> caprun_run_set_*
 *         -> caprun_run (blocks), or caprun_start, then caprun_step
 *            whenever caprun_fd is readable, until caprun_done
 *         -> caprun_run_free -> caprun_free
 *
 * Only one thread at a time may use a runtime and its runs; any thread may call caprun_wait() and
 * caprun_wake(). Separate runtimes share nothing. The library installs no signal handlers, changes
 * no process-wide state, waits only for its own child processes, and prints nothing. It reads no
 * environment variables and no configuration file, unless caprun_set_config() names one.
 *
 * Callbacks are called only by caprun_step() and caprun_run(). They may start and cancel runs and
 * answer calls, but not step the runtime. A run may be freed in its CAPRUN_EVENT_ENDED callback,
 * and in no other callback.
 *
 * Functions that can fail return 0 or a negative CAPRUN_E_*; caprun_error() then returns a message.
 * Set the handler and other callbacks before the start. In C++ write the type as "struct
 * caprun_run": caprun_run alone is the function.
 */
#ifndef CAPRUN_H
#define CAPRUN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAPRUN_VERSION "0.1.0"

/* Largest code, args, schema and env of a run, in bytes. */
#define CAPRUN_MAX_CODE (1u << 20)
#define CAPRUN_MAX_ARGS (16u << 20)
#define CAPRUN_MAX_SCHEMA (1u << 20)
#define CAPRUN_MAX_ENV (256u << 10)

#define CAPRUN_API __attribute__((visibility("default")))

/* The version of the loaded library; it may differ from CAPRUN_VERSION. */
CAPRUN_API const char *caprun_version(void);

/* What a function returns when it fails. Numbers are never reused. */
enum caprun_error_code {
    CAPRUN_E_NOMEM = -1,   /* no memory */
    CAPRUN_E_INVAL = -2,   /* an invalid value */
    CAPRUN_E_TOOBIG = -3,  /* over a limit */
    CAPRUN_E_SYS = -4,     /* a system call failed */
    CAPRUN_E_STATE = -5,   /* not allowed now: for example, the run has already started */
    CAPRUN_E_SANDBOX = -6, /* the sandbox cannot be built here, so nothing runs */
    CAPRUN_E_PEER = -7,    /* the peer (worker, server) broke the protocol */
    CAPRUN_E_BUSY = -8,    /* the queue of waiting runs is full; try again when a run has ended */
};

/* What happens to a call of a tool. */
enum caprun_permission {
    CAPRUN_ALLOW = 1, /* the call is made */
    CAPRUN_ASK = 2,   /* a person decides (caprun_set_ask()) */
    CAPRUN_DENY = 3,  /* the call fails with PERMISSION_DENIED */
};

/* How a run ends: XX(name, error type, exit status of the command). The numbers may change. */
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
 * Makes a runtime; starts no process yet. On success the caller owns *|ret| and must free it with
 * caprun_free(). Returns 0, CAPRUN_E_NOMEM or CAPRUN_E_SYS.
 */
CAPRUN_API int caprun_new(struct caprun_runtime **ret);

/*
 * Ends all workers and MCP servers, waits until they have exited, and frees |rt|, which may be
 * NULL. Free all its runs first. No other thread may be in caprun_wait().
 */
CAPRUN_API void caprun_free(struct caprun_runtime *rt);

/* The message of the last failure of a function of this runtime or its runs, until the next one. */
CAPRUN_API const char *caprun_error(const struct caprun_runtime *rt);

/*
 * Sets the path of caprun-worker. In the same directory there must be caprun-guard, which starts
 * MCP servers, and caprun-fetch, which fetches URLs. By default, and if |path| is NULL, the library
 * looks in its own directory (or that of the program that contains it), then in ../libexec/caprun
 * from there. A relative |path| starts in the current directory; a relative path of the library,
 * in the directory that was current when it was loaded. |path| is copied. Returns 0,
 * CAPRUN_E_NOMEM, CAPRUN_E_SYS if there is no current directory, or CAPRUN_E_STATE after the zygote
 * has started.
 */
CAPRUN_API int caprun_set_worker(struct caprun_runtime *rt, const char *path);

/*
 * Sizes of the pool; 0 means the default. All return 0, CAPRUN_E_TOOBIG over the largest value, or
 * CAPRUN_E_STATE after the zygote has started.
 * - warm: workers that wait for a run, locked and ready. Default: 8 for each processor, at most 64.
 *   CAPRUN_WARM_NONE: each run's worker is forked when the run starts. Largest: 4,096.
 * - max_workers: worker processes, waiting ones included. A worker takes two file descriptors of
 *   this process, a zygote three; there are several zygotes while runs still need an old one. Runs
 *   over this limit wait in the order of their start. Default: 256. Largest: 4,096.
 * - max_memory: the sum of the memory limits of all runs, in bytes. Runs over it wait; a run whose
 *   own limit is over it ends with VALIDATION_ERROR. Default: enough for max_workers runs. Largest:
 *   64 TiB.
 * - max_waiting: runs that may wait in the queue. If it is full, caprun_start() returns
 *   CAPRUN_E_BUSY. Default: 1,024. Largest: 1,048,576.
 * - memory: the memory limit of runs that do not set one; waiting workers have this limit. If a run
 *   sets another limit, its worker is forked when it starts. Default: 512 MiB. Largest: 16 GiB.
 */
#define CAPRUN_WARM_NONE UINT32_MAX
CAPRUN_API int caprun_set_warm(struct caprun_runtime *rt, uint32_t workers);
CAPRUN_API int caprun_set_max_workers(struct caprun_runtime *rt, uint32_t workers);
CAPRUN_API int caprun_set_max_memory(struct caprun_runtime *rt, uint64_t bytes);
CAPRUN_API int caprun_set_max_waiting(struct caprun_runtime *rt, uint32_t runs);
CAPRUN_API int caprun_set_memory(struct caprun_runtime *rt, uint64_t bytes);

/*
 * If |fresh| is not 0, each worker is forked from a separate zygote, so that no two runs have the
 * same memory addresses. That costs each run a program start. Returns 0 or CAPRUN_E_STATE.
 */
CAPRUN_API int caprun_set_fresh_program(struct caprun_runtime *rt, int fresh);

/*
 * If |on| is not 0 and a layer of the sandbox is missing (caprun_missing_layers()), every run ends
 * with INTERNAL before a worker gets its code; the message names the layers. The clock does not
 * count as one: it only gives timeouts their stack. Returns 0 or CAPRUN_E_STATE.
 */
CAPRUN_API int caprun_set_require_all_layers(struct caprun_runtime *rt, int on);

/*
 * If root starts zygotes, each gets its own uid out of 65,536, of which |uid| is the first. Nothing
 * else may use these uids: no people, services or containers, and no line of /etc/subuid. 0 means
 * the default, 2,130,640,896; where these uids do not exist, as in some containers, 500 uids from
 * 65,000 on. If you set uids that do not exist, nothing runs. A zygote that an ordinary user starts
 * keeps the user's uid. Returns 0; CAPRUN_E_INVAL below 65,536 or over 4,294,901,758;
 * CAPRUN_E_STATE after the zygote has started.
 */
CAPRUN_API int caprun_set_uid_base(struct caprun_runtime *rt, uint32_t uid);

/*
 * Starts the zygote, unless it runs, and the workers that the pool lacks, so that the next runs
 * find them ready; does not wait for them. For applications that step only while something runs.
 * Returns 0, or CAPRUN_E_SYS or CAPRUN_E_NOMEM if the zygote cannot be started.
 */
CAPRUN_API int caprun_warm(struct caprun_runtime *rt);

/*
 * Names the layers of the sandbox that any zygote lacks on this machine; "" if all are there, NULL
 * until the zygote has reported. The text belongs to the runtime.
 */
CAPRUN_API const char *caprun_missing_layers(struct caprun_runtime *rt);

enum caprun_layer_state {
    CAPRUN_LAYER_PRESENT = 1,      /* it stopped an attack, or the kernel says that it is on */
    CAPRUN_LAYER_ABSENT = 2,       /* this machine does not have it, or does not permit it */
    CAPRUN_LAYER_FAILED = 3,       /* it should be on, but an attack succeeded */
    CAPRUN_LAYER_NOT_CHECKABLE = 4 /* it should be on, but that cannot be checked here */
};

/*
 * Called for one layer of the sandbox. |state| is an enum caprun_layer_state. |required| is not 0
 * if nothing runs without the layer. |found| says how the state is known, |cost| what its lack
 * costs, |remedy| how to get it; the last two may be "". The texts are valid until it returns.
 */
typedef void caprun_layer_fn(void *data, const char *name, int state, int required,
                             const char *found, const char *cost, const char *remedy);

/*
 * Attacks the sandbox of this machine from inside a worker, examines it from outside, and calls
 * |report| for each layer. Takes half a second, some processes and two runs. Returns 1 if untrusted
 * code may run here, 0 if not, or an error if that cannot be found out: CAPRUN_E_SYS,
 * CAPRUN_E_NOMEM or CAPRUN_E_PEER.
 */
CAPRUN_API int caprun_doctor(struct caprun_runtime *rt, caprun_layer_fn *report, void *data);

/* Counts of the pool: now, or in total since caprun_new(). */
enum caprun_count {
    CAPRUN_COUNT_READY = 1,   /* workers that wait for a run, now */
    CAPRUN_COUNT_RUNNING = 2, /* runs that have a worker, or whose worker is being started, now */
    CAPRUN_COUNT_WAITING = 3, /* runs in the queue, now */
    CAPRUN_COUNT_WORKERS = 4, /* workers requested, in total */
    CAPRUN_COUNT_ZYGOTES = 5, /* zygotes started, in total */
    CAPRUN_COUNT_CRASHES = 6, /* workers that crashed or broke the protocol, in total */
};

/* Returns one of these counts; 0 if |what| is unknown. */
CAPRUN_API uint64_t caprun_count(struct caprun_runtime *rt, enum caprun_count what);

/*
 * caprun_fd() returns a file descriptor that is readable whenever there is work to do; do not close
 * it. caprun_step() does this work without waiting. Inside a callback it does nothing.
 */
CAPRUN_API int caprun_fd(const struct caprun_runtime *rt);
CAPRUN_API void caprun_step(struct caprun_runtime *rt);

/*
 * caprun_wait() waits until caprun_fd() is readable, or |timeout_ms| have passed (-1: no timeout).
 * caprun_wake() makes caprun_fd() readable until the next caprun_step(), which ends a wait. Any
 * thread may call these two.
 */
CAPRUN_API void caprun_wait(struct caprun_runtime *rt, int timeout_ms);
CAPRUN_API void caprun_wake(struct caprun_runtime *rt);

/* --- MCP servers --------------------------------------------------------------------------- */

/*
 * Reads the servers, permissions, registries and granted variables of the .caprun.json at |path|
 * (docs/config.md). The rest of the file is checked, but not used: that is left to the application.
 * From then on calls of runs without a handler go to these servers, if the permissions allow them,
 * and if the tool matches its pin in caprun.lock, a file in the same directory. Naming a file means
 * to trust it: unlike the command, the library asks nobody whether to accept it. The first call to
 * a server starts it, in the configured directory and with the configured environment.
 * caprun_free() ends it, and gives it two seconds for that; it also ends when this process ends, in
 * any way. Returns 0; CAPRUN_E_INVAL with file, line and column; CAPRUN_E_STATE if one is set
 * already; CAPRUN_E_NOMEM.
 */
CAPRUN_API int caprun_set_config(struct caprun_runtime *rt, const char *path);

/*
 * Sets a directory that is kept between processes: it remembers which protocol each server speaks,
 * and caches files of registries that are URLs. Set it before caprun_set_config(). By default
 * nothing is kept. Returns 0, CAPRUN_E_NOMEM or CAPRUN_E_STATE.
 */
CAPRUN_API int caprun_set_cache(struct caprun_runtime *rt, const char *dir);

enum caprun_audit {
    CAPRUN_AUDIT_ARGS = 1, /* lines have the text of the args, too, and not only their hash */
    CAPRUN_AUDIT_OFF = 2,  /* no calls: only one line for each run, which says that */
};

/*
 * Appends a line to the file |path| before each call of a run, handlers included, and another one
 * when it has ended (docs/audit.md). A call whose line cannot be written is not made, and fails
 * with CONFIG_ERROR. |flags| is 0, or some of CAPRUN_AUDIT_*. Set it before the first run starts;
 * caprun_set_config() does this with "audit" of the configuration, if nothing was set before it. By
 * default nothing is audited. Returns 0, CAPRUN_E_INVAL, CAPRUN_E_STATE if there is an audit
 * already, or CAPRUN_E_NOMEM.
 */
CAPRUN_API int caprun_set_audit(struct caprun_runtime *rt, const char *path, uint32_t flags);

/*
 * If |on| is not 0, caprun.lock may not change: what it does not pin fails (INTEGRITY_MISMATCH).
 * Returns 0, or CAPRUN_E_STATE before caprun_set_config().
 */
CAPRUN_API int caprun_set_frozen(struct caprun_runtime *rt, int on);

/*
 * Adds a rule to the permissions of the configuration. |pattern| is a glob over "ns:action". A DENY
 * that is added here overrides every other rule. Returns 0; CAPRUN_E_INVAL for an invalid pattern;
 * CAPRUN_E_STATE before caprun_set_config(); CAPRUN_E_NOMEM.
 */
CAPRUN_API int caprun_permit(struct caprun_runtime *rt, enum caprun_permission what,
                             const char *pattern);

/*
 * Makes the next caprun_list_tools() pin the tool |method|, "ns:action" with its exact name, in the
 * form that the server then lists. Returns 0; CAPRUN_E_INVAL if there is no such server;
 * CAPRUN_E_STATE before caprun_set_config().
 */
CAPRUN_API int caprun_accept_tool(struct caprun_runtime *rt, const char *method);

/* Called for one server: |json| is an object of |len| bytes, valid until it returns. */
typedef void caprun_tools_fn(void *data, const char *json, size_t len);

/*
 * Lists the tools of |server|, or of all servers if |server| is NULL. Starts the servers, unless
 * they run. In later steps |each| is called once for each server, when it has listed its tools or
 * has failed, with a JSON object (docs/servers.md). Returns the number of servers, 0 if there is no
 * such |server|; CAPRUN_E_STATE before caprun_set_config() or while another list is being made.
 */
CAPRUN_API int caprun_list_tools(struct caprun_runtime *rt, const char *server,
                                 caprun_tools_fn *each, void *data);

/* --- asking a person ------------------------------------------------------------------------ */

/*
 * Called when |run| waits for a person: its code has nothing to do, and every call that it has made
 * is answered, sent, or waits for this person. |json| is the question, an object of |len| bytes and
 * a NUL (docs/approvals.md); it has all calls that wait. It is valid until the function returns;
 * parts of it are untrusted. |question| counts from 1 in each run, and only the last question of a
 * run can be decided. Return at once, and answer now or later with caprun_decide() or
 * caprun_suspend().
 *
 * If |json| is NULL, the question is withdrawn: nobody has to decide about it any longer, because
 * its time limit is over, or the run has ended.
 */
typedef void caprun_ask_fn(void *data, struct caprun_run *run, uint32_t question, const char *json,
                           size_t len);

/*
 * |ask| is called for calls of all runs of this runtime that need a person's decision
 * (CAPRUN_ASK), after caprun_set_config(). Without |ask| such a call is denied ("by":
 * "no_channel"), and its server is not started. Set it before the first run. While a run waits only
 * for a person, its clock stands still: that time counts for no limit, but the run keeps its
 * worker.
 */
CAPRUN_API void caprun_set_ask(struct caprun_runtime *rt, caprun_ask_fn *ask, void *data);

/*
 * An |ask| for applications in which nobody can be asked now: runs with a journal are suspended, as
 * by caprun_suspend(). Other runs are treated as without |ask|. Not to be called.
 */
CAPRUN_API void caprun_ask_later(void *data, struct caprun_run *run, uint32_t question,
                                 const char *json, size_t len);

/*
 * Decides about calls of |question| of |run|. |json|, an object, is the decision:
 *
 *     {"allow": true, "calls": [3, 4], "for": "calls", "by": "human:application"}
 *
 * - allow: required. Calls that are denied fail with PERMISSION_DENIED.
 * - calls: numbers of calls of this question; by default all of them. The run asks again about the
 *   others.
 * - for: "calls", the default; or "run": further calls of the same tools in this run are decided in
 *   the same way, without a question; if "maxCalls" is there, at most so many.
 * - by: who decided: "human:application" (the default), "script" if no person did, or for denials
 *   "timeout" or "no_channel". Journal and envelope say it; it must be true.
 *
 * The run continues in a later step. Returns 0; CAPRUN_E_STATE if the run does not wait for this
 * question, or no longer; CAPRUN_E_INVAL for an invalid decision, and the question stays;
 * CAPRUN_E_NOMEM.
 */
CAPRUN_API int caprun_decide(struct caprun_run *run, uint32_t question, const char *json,
                             size_t len);

/*
 * Nobody can decide now. A run with a journal is suspended: it ends with APPROVAL_REQUIRED, as soon
 * as it waits only for a person, and keeps no process; caprun_run_resume() continues it, in any
 * process, and asks again. Calls of a run without a journal are denied ("by": "no_channel").
 * Returns 0; CAPRUN_E_STATE if no question of the run is open.
 */
CAPRUN_API int caprun_suspend(struct caprun_run *run);

/*
 * Returns the args of call |call|, which waits for a person: the very bytes that will be sent, JSON
 * without a NUL. The question has them only up to a size. Valid until the call is decided. Returns
 * NULL if the call does not wait for a person.
 */
CAPRUN_API const char *caprun_get_asked_args(const struct caprun_run *run, uint32_t call,
                                             size_t *ret_len);

/* --- a run --------------------------------------------------------------------------------- */

/*
 * caprun_run_new() makes a run and returns 0, CAPRUN_E_NOMEM or CAPRUN_E_SYS. caprun_run_free()
 * frees it; |run| may be NULL. A run that has not ended is ended, without an event.
 */
CAPRUN_API int caprun_run_new(struct caprun_runtime *rt, struct caprun_run **ret);
CAPRUN_API void caprun_run_free(struct caprun_run *run);

/*
 * Set the code, and the args as JSON; both are copied. The default of the args is {}. Returns 0;
 * CAPRUN_E_TOOBIG over 1 MiB of code or 16 MiB of args; CAPRUN_E_INVAL for code that is not UTF-8
 * or contains a NUL, and for args that are not JSON or have a duplicate key; CAPRUN_E_NOMEM;
 * CAPRUN_E_STATE after caprun_start().
 */
CAPRUN_API int caprun_run_set_code(struct caprun_run *run, const char *code, size_t len);
CAPRUN_API int caprun_run_set_args(struct caprun_run *run, const char *json, size_t len);

/*
 * Returns the code that was set or loaded, for example to show the line that a stack names; NULL if
 * there is none. It belongs to the run, and is valid until other code is set.
 */
CAPRUN_API const char *caprun_get_code(const struct caprun_run *run, size_t *ret_len);

/*
 * Names the code in stacks, `report.js:4:34`; otherwise it is named by its hash, `cap:1a2b3c4d`.
 * |name| is 1 to 64 letters, digits, spaces and . _ - + @ , = ~ and neither begins nor ends with a
 * space; it is copied. Returns 0; CAPRUN_E_INVAL for another name, and the code keeps its name;
 * CAPRUN_E_STATE after caprun_start().
 */
CAPRUN_API int caprun_run_set_code_name(struct caprun_run *run, const char *name);

/*
 * Sets the language of the code: "javascript"; "typescript", whose types are erased; or "auto", the
 * default: JavaScript, or TypeScript if the code does not parse as JavaScript. Returns 0;
 * CAPRUN_E_INVAL for another language; CAPRUN_E_STATE after caprun_start().
 */
CAPRUN_API int caprun_run_set_language(struct caprun_run *run, const char *language);

/*
 * Makes |run| a run of the capability |name|, "org.project.namespace.action", optionally with
 * ".hash" at the end; |name| is copied. caprun_start() then searches the registries of the
 * configuration, checks the capability against caprun.lock, pins it there at its first use, sets
 * the run's code, schema, tools and granted variables, and runs it. None of that blocks:
 * caprun_step() drives it. A failure is the run's outcome: INVALID_FQDN, NOT_FOUND,
 * REGISTRY_UNREACHABLE, METADATA_INVALID, INTEGRITY_MISMATCH, CONFIG_ERROR, PERMISSION_DENIED (a
 * required MCP server is not configured), VALIDATION_ERROR. The run's time starts when a worker has
 * the code. If the queue is full, the run waits all the same; there is no CAPRUN_E_BUSY. Returns 0;
 * CAPRUN_E_STATE after caprun_start() or before caprun_set_config(); CAPRUN_E_NOMEM.
 */
CAPRUN_API int caprun_run_load(struct caprun_run *run, const char *name);

/* What happens while a capability is loaded, and what |text| is then; parts of it are untrusted. */
enum caprun_loading {
    CAPRUN_LOADING_FETCH = 1,     /* progress of a fetch, ten times a second: its URL */
    CAPRUN_LOADING_OFFLINE = 2,   /* the registry cannot be reached, the cached copy runs: why */
    CAPRUN_LOADING_UNCACHED = 3,  /* fetched files cannot be cached: why */
    CAPRUN_LOADING_LOADED = 4,    /* "FQDN from REGISTRY, HASH" */
    CAPRUN_LOADING_PINNED = 5,    /* the capability's first use: "FQDN in LOCKFILE" */
    CAPRUN_LOADING_UNGRANTED = 6, /* variables that it wants but is not granted; what to add */
    CAPRUN_LOADING_RENEWED = 7,   /* of a registry in development: what has changed since */
};

/*
 * |loading| is called for each of these, before the run has a worker. It may cancel the run. |got|
 * and |total| are bytes of a fetch, 0 if unknown. |text| is valid until it returns.
 */
typedef void caprun_loading_fn(void *data, struct caprun_run *run, enum caprun_loading what,
                               const char *text, uint64_t got, uint64_t total);
CAPRUN_API void caprun_run_set_loading(struct caprun_run *run, caprun_loading_fn *loading,
                                       void *data);

/*
 * Set the JSON Schema that the args must match, and the variables that the code finds in args.env,
 * an object of strings; both are copied, |len| 0 means none. The worker checks the args before it
 * compiles the code, within the run's limits. Args that do not match end the run with
 * VALIDATION_ERROR, an invalid schema with METADATA_INVALID. $schema selects the dialect: 2020-12
 * (the default), 2019-09 or draft-07; other documents are never read. env is added after the check;
 * if there is an env, args that contain an "env" or are not an object do not match. Returns 0;
 * CAPRUN_E_TOOBIG over 1 MiB of schema or 256 KiB of env; CAPRUN_E_INVAL for invalid JSON, for a
 * duplicate key, and for an env that is not an object of strings; CAPRUN_E_NOMEM; CAPRUN_E_STATE
 * after caprun_start().
 */
CAPRUN_API int caprun_run_set_schema(struct caprun_run *run, const char *json, size_t len);
CAPRUN_API int caprun_run_set_env(struct caprun_run *run, const char *json, size_t len);

/*
 * Limits; 0 means the default: 300,000 ms of wall time, as much CPU time as wall time, 30,000 ms a
 * call, 512 MiB. Returns 0, CAPRUN_E_TOOBIG over 24 days or 16 GiB, or CAPRUN_E_STATE.
 */
CAPRUN_API int caprun_run_set_timeout(struct caprun_run *run, uint64_t ms);
CAPRUN_API int caprun_run_set_cpu(struct caprun_run *run, uint64_t ms);
CAPRUN_API int caprun_run_set_call_timeout(struct caprun_run *run, uint64_t ms);
CAPRUN_API int caprun_run_set_memory(struct caprun_run *run, uint64_t bytes);

/*
 * More limits; 0 means the default. Returns 0, CAPRUN_E_TOOBIG over the largest value, or
 * CAPRUN_E_STATE.
 * - max_result: bytes of the result as JSON. A longer one ends the run with OUTPUT_LIMIT. Default:
 *   16 MiB. Largest: 64 MiB.
 * - max_log: bytes of all log lines together; there are at most 10,000 lines. The rest is cut, and
 *   the last line says so. Default: 1 MiB. Largest: 16 MiB.
 * - max_calls: calls that the run may make. One more ends it with CALL_LIMIT. Default: 10,000.
 *   Largest: 100,000.
 * - max_calls_at_once: calls that may be open, without an answer. More wait in the worker. Default:
 *   256. Largest: 1,024.
 */
CAPRUN_API int caprun_run_set_max_result(struct caprun_run *run, uint64_t bytes);
CAPRUN_API int caprun_run_set_max_log(struct caprun_run *run, uint64_t bytes);
CAPRUN_API int caprun_run_set_max_calls(struct caprun_run *run, uint64_t calls);
CAPRUN_API int caprun_run_set_max_calls_at_once(struct caprun_run *run, uint64_t calls);

/*
 * Sets the tools that the run may call: |count| names like "files:read", which are copied. A call
 * of any other tool is denied before the handler gets it: it fails with PERMISSION_DENIED, and the
 * envelope says so ("by": "rule:tools"); its events are CALL and CALL_DONE, as usual. If |count| is
 * 0, every call is denied. If this function is not called, the handler alone decides, or without a
 * handler the permissions of caprun_set_config(). Returns 0; CAPRUN_E_INVAL for an invalid name
 * (patterns are not possible); CAPRUN_E_TOOBIG over 10,000 names; CAPRUN_E_NOMEM; CAPRUN_E_STATE.
 */
CAPRUN_API int caprun_run_set_tools(struct caprun_run *run, const char *const *names, size_t count);

/*
 * |log| gets each line that the code logs: untrusted bytes, without a NUL, valid until it returns.
 */
typedef void caprun_log_fn(void *data, const char *line, size_t len);
CAPRUN_API void caprun_run_set_log(struct caprun_run *run, caprun_log_fn *log, void *data);

/*
 * |handler| gets each call of the run: its number; its method, "namespace:action", ended by a NUL;
 * and its args, JSON, not ended by a NUL. Both are valid during the callback. Answer the call, then
 * or later, with one of the functions below. Calls that are not answered in time fail with
 * RPC_TIMEOUT. Without a handler calls go to the servers of caprun_set_config(), or fail.
 */
typedef void caprun_handler_fn(void *data, struct caprun_run *run, uint32_t call,
                               const char *method, const char *args, size_t args_len);
CAPRUN_API void caprun_run_set_handler(struct caprun_run *run, caprun_handler_fn *handler,
                                       void *data);

/*
 * Answer call |call|: _reply with the value that the call returns, as JSON; _reply_tool with the
 * JSON of an MCP tools/call result, whose value the code gets, or an MCPToolError; _fail with an
 * error that has this message. The bytes are copied. Returns 0; CAPRUN_E_STATE if no handler has
 * got the call yet, the call was answered or has timed out, or its run has ended; CAPRUN_E_INVAL
 * for invalid JSON, and the call can still be answered; CAPRUN_E_TOOBIG over 64 MiB, or if 256 MiB
 * wait to be read by the worker, and the call has failed; CAPRUN_E_NOMEM, and the run has ended.
 * A long answer takes its time in the calling thread: 30 to 170 ms for some 60 MB.
 */
CAPRUN_API int caprun_call_reply(struct caprun_run *run, uint32_t call, const char *json,
                                 size_t len);
CAPRUN_API int caprun_call_reply_tool(struct caprun_run *run, uint32_t call, const char *json,
                                      size_t len);
CAPRUN_API int caprun_call_fail(struct caprun_run *run, uint32_t call, const char *message,
                                size_t len);

/*
 * The same as caprun_call_reply(), but takes ownership of |json|, which malloc() must have
 * allocated, also if it fails. Large values are not copied.
 */
CAPRUN_API int caprun_call_give(struct caprun_run *run, uint32_t call, char *json, size_t len);

/* What can happen to a run. */
enum caprun_event {
    CAPRUN_EVENT_STARTED = 1,   /* the run has a worker, and the code is being sent to it */
    CAPRUN_EVENT_CALL = 2,      /* a call came; the handler is called next, unless it is refused */
    CAPRUN_EVENT_CALL_DONE = 3, /* a call was answered, with a value or a failure */
    CAPRUN_EVENT_CALL_LOST = 4, /* a call's answer is no longer needed: stop working on it */
    CAPRUN_EVENT_BLOCKED = 5,   /* the code tried to use something that is denied */
    CAPRUN_EVENT_ENDED = 6,     /* the run has its outcome; the last event: it may be freed */
};

/*
 * |event| is called for each event; |call| is the number of the call concerned, or 0. Each call
 * ends with one CALL_DONE or one CALL_LOST, and each run with one ENDED, in a step after its end. A
 * run that never had a worker has no STARTED; after caprun_run_free() there are no events.
 */
typedef void caprun_event_fn(void *data, struct caprun_run *run, enum caprun_event what,
                             uint32_t call);
CAPRUN_API void caprun_run_set_event(struct caprun_run *run, caprun_event_fn *event, void *data);

/*
 * |progress| is called when a server reports progress of a call. |json| is the params of the
 * notification (progress, perhaps total and message): untrusted, valid until it returns.
 */
typedef void caprun_progress_fn(void *data, struct caprun_run *run, uint32_t call, const char *json,
                                size_t len);
CAPRUN_API void caprun_run_set_progress(struct caprun_run *run, caprun_progress_fn *progress,
                                        void *data);

/*
 * If |stop| is not 0, the first use of something denied (files, network, eval …, or a call that is
 * not in the list of tools or not permitted) ends the run with PERMISSION_DENIED, caught or not.
 */
CAPRUN_API void caprun_run_set_stop_when_denied(struct caprun_run *run, int stop);

/*
 * |allow| not 0: a call in the run's list of tools that would ask a person is allowed. Calls that
 * are denied stay denied. Call it before the start.
 */
CAPRUN_API void caprun_run_set_allow_declared(struct caprun_run *run, int allow);

/*
 * Journals (docs/journal.md): by default nothing is recorded.
 * - record: writes all input and output of the worker to a new file at |path|, each line before its
 *   effect can be seen outside of the worker, and long values to the directory |path|.d. If the
 *   journal cannot be written, the run ends with INTERNAL. It contains the code, the args and the
 *   answers of tools, but only the names of the env.
 * - replay: repeats the run that was recorded at |path|. The run gets the recorded input and the
 *   recorded answers; no handler is called, no server is contacted. It ends with the recorded
 *   outcome, or with REPLAY_DIFFERED and the first difference in its message. Limits, also of
 *   resume, are the recorded ones, but at most the ones set for the run; where none is set, memory
 *   and time are at most the defaults. Code that is set afterwards replaces the recorded code; an
 *   env has to be set again. If |on| is not 0, real_time keeps the recorded timing.
 * - resume: continues the run that was recorded at |path| and whose host died, or which was
 *   cancelled, reached a limit or lost a server (docs/journal.md). Recorded answers are
 *   repeated and no call is made twice; then the run is live. Set the env and the handler again. A
 *   capability is loaded again: it has to be the one that the run began with, and match its pin, or
 *   the run ends with INTEGRITY_MISMATCH, as with any other code. A call that was sent and has no
 * recorded answer may have been carried out: it fails with RPC_ERROR and is shown as
 * in_flight_unknown, unless the configuration says that the tool is idempotent, or retry names the
 * call (0: all). The journal may lack calls that were made if the machine was restarted, if the
 * journal is a copy, or if it could not be locked; the run is then resumed only after retry with 0.
 *
 * Returns 0; CAPRUN_E_SYS if record cannot make the file, or it exists; CAPRUN_E_INVAL for a
 * journal that cannot be read, replayed or resumed, with the line; CAPRUN_E_NOMEM; CAPRUN_E_STATE.
 */
CAPRUN_API int caprun_run_record(struct caprun_run *run, const char *path);
CAPRUN_API int caprun_run_replay(struct caprun_run *run, const char *path);
CAPRUN_API void caprun_run_set_real_time(struct caprun_run *run, int on);
CAPRUN_API int caprun_run_resume(struct caprun_run *run, const char *path);
CAPRUN_API int caprun_run_retry(struct caprun_run *run, uint32_t call);

/*
 * Limits the journal of record and resume to |bytes|, with the files in |path|.d; 0 means 64 MiB.
 * At the limit the recording stops and the run continues. The journal then ends with a line "cut",
 * and cannot be replayed or resumed. Returns 0, CAPRUN_E_TOOBIG over 1 GiB, or CAPRUN_E_STATE after
 * the start.
 */
CAPRUN_API int caprun_run_set_record_limit(struct caprun_run *run, uint64_t bytes);

/*
 * For a run that will be resumed: returns 1 if call |call| of its journal was sent and has no
 * answer, unless the configuration says that its tool is idempotent; else 0. |call| counts from 1.
 */
CAPRUN_API int caprun_run_is_unknown(struct caprun_run *run, uint32_t call);

/*
 * After resume: uses the limits that are set for the run, even if the journal has lower ones; a run
 * that a limit has ended needs that. Memory and time limits that are not set are the journal's.
 */
CAPRUN_API void caprun_run_raise_limits(struct caprun_run *run);

/*
 * Sets a JSON object for the journal that says where the code came from; the application chooses
 * its keys. In the journal of a run that loads a capability, it is the member "application" of the
 * origin that caprun writes. A text "fqdn" is the name of a capability, which a resume loads again.
 * It is copied; |len| 0 means none. Returns 0; CAPRUN_E_INVAL if it is not a JSON object;
 * CAPRUN_E_TOOBIG over 32 KiB or 999 levels; CAPRUN_E_NOMEM; CAPRUN_E_STATE.
 */
CAPRUN_API int caprun_run_set_origin(struct caprun_run *run, const char *json, size_t len);

/*
 * Starts the run, or puts it in the queue; caprun_run() also waits for its end, and is not for
 * callbacks. Returns 0; CAPRUN_E_STATE if it has no code and loads none, if it was started before,
 * or if it is a resumed capability and there is no configuration that names registries;
 * CAPRUN_E_BUSY if the queue is full: start it later. Any other failure is the run's outcome.
 */
CAPRUN_API int caprun_start(struct caprun_run *run);
CAPRUN_API int caprun_run(struct caprun_run *run);

/*
 * End the run now, unless it has ended: caprun_cancel() with CANCELLED, because its result is no
 * longer needed; caprun_terminate() with WORKER_TERMINATED, because the application shuts down.
 */
CAPRUN_API void caprun_cancel(struct caprun_run *run);
CAPRUN_API void caprun_terminate(struct caprun_run *run);

/*
 * Ends a run that was not started, with |outcome| and |message|. A message over 64 KiB and a hint
 * over 511 bytes are cut; |hint| may be NULL.
 */
CAPRUN_API void caprun_reject(struct caprun_run *run, enum caprun_outcome outcome,
                              const char *message, const char *hint);

/* Returns 1 if the run has ended. Only then do the functions below return something useful. */
CAPRUN_API int caprun_done(const struct caprun_run *run);
CAPRUN_API enum caprun_outcome caprun_get_outcome(const struct caprun_run *run);

/*
 * The envelope, and parts of it: the result as JSON, the error's message and stack. The texts
 * belong to the run, and end with a NUL that the length does not count; |ret_len| may be NULL.
 * Returns NULL if the run has not ended, has no such value, or there was no memory. Making the
 * envelope takes at most some 25 ms with the default limits, 300 ms with the largest.
 */
CAPRUN_API const char *caprun_result_json(struct caprun_run *run, size_t *ret_len);
CAPRUN_API const char *caprun_get_result(struct caprun_run *run, size_t *ret_len);
CAPRUN_API const char *caprun_get_message(struct caprun_run *run, size_t *ret_len);
CAPRUN_API const char *caprun_get_stack(struct caprun_run *run, size_t *ret_len);

/*
 * Returns a sentence for a person if a run that has ended returned nothing and that may be a
 * mistake, because its last statement is an expression, or because a timer was still set. Otherwise
 * returns NULL.
 */
CAPRUN_API const char *caprun_get_note(const struct caprun_run *run);

/* The error's hint, type, and the tool that caused it, or ""; the run's id, also before the end. */
/* Replaces the hint of a run that has ended, before its envelope is asked for; at most 511 bytes.
 */
CAPRUN_API void caprun_run_set_hint(struct caprun_run *run, const char *hint);
CAPRUN_API const char *caprun_get_hint(const struct caprun_run *run);
CAPRUN_API const char *caprun_get_type(const struct caprun_run *run);
CAPRUN_API const char *caprun_get_tool(const struct caprun_run *run);

/*
 * The error's grant: JSON of the configuration that would allow the call that was denied, as in the
 * envelope; "" if there is none.
 */
CAPRUN_API const char *caprun_get_grant(const struct caprun_run *run);
CAPRUN_API const char *caprun_get_id(const struct caprun_run *run);

enum caprun_metric {
    CAPRUN_METRIC_STARTUP_US = 1,   /* from caprun_start() until a worker has the code */
    CAPRUN_METRIC_EXECUTION_US = 2, /* from then to the end */
    CAPRUN_METRIC_CPU_US = 3,       /* CPU time of the worker, as the kernel counts it */
    CAPRUN_METRIC_MEMORY_BYTES = 4, /* the worker's peak; docs/envelope.md says who measures it */
    CAPRUN_METRIC_CALLS = 5,
    CAPRUN_METRIC_WAIT_US = 6, /* in which the run waited only for a person; not in EXECUTION_US */
};

/* Returns 0 if |metric| is unknown. */
CAPRUN_API uint64_t caprun_get_metric(const struct caprun_run *run, enum caprun_metric metric);

/* Facts about a call, also before the end of the run. */
enum caprun_call_fact {
    CAPRUN_CALL_QUEUE_US = 1,  /* until it was sent to the server or the handler */
    CAPRUN_CALL_SERVER_US = 2, /* from then to its end */
    CAPRUN_CALL_ARGS_BYTES = 3,
    CAPRUN_CALL_ANSWER_BYTES = 4, /* 0 if it failed */
};

/* Returns 0 if |fact| is unknown, or the run has no such |call|. */
CAPRUN_API uint64_t caprun_get_call(const struct caprun_run *run, uint32_t call,
                                    enum caprun_call_fact fact);

/*
 * The method of a call, "ns:action"; its state as in the envelope; and if it failed, the message,
 * perhaps cut, and a hint, which the code does not get. "" if it is missing. The texts belong to
 * the run, until its next call.
 */
CAPRUN_API const char *caprun_get_call_method(const struct caprun_run *run, uint32_t call);
CAPRUN_API const char *caprun_get_call_state(const struct caprun_run *run, uint32_t call);
CAPRUN_API const char *caprun_get_call_message(const struct caprun_run *run, uint32_t call);
CAPRUN_API const char *caprun_get_call_hint(const struct caprun_run *run, uint32_t call);

/* The name of an outcome, as "CODE_ERROR", and the exit status that the command gives it, as 1. */
CAPRUN_API const char *caprun_outcome_name(enum caprun_outcome outcome);
CAPRUN_API int caprun_outcome_status(enum caprun_outcome outcome);

#ifdef __cplusplus
}
#endif

#endif
