/*
 * route_parts.h - types and functions that the files of host/route share: route.c (the gate, and
 * code for all targets), servers.c (configured servers), target_mcp.c (a call to a server),
 * lockfile_wait.c and pins.c (pins), listing.c (listings).
 */
#ifndef CR_ROUTE_PARTS_H
#define CR_ROUTE_PARTS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "mcp/server.h"
#include "registry/tool_pins.h"
#include "route/route.h"

#define CR_ROUTE_NAME 64 /* characters of a server's name; the configuration is checked for it */
#define CR_ROUTE_TOOL 512
#define CR_ROUTE_CALLED 256 /* "server:action" as the code called it, with its NUL */

struct cr_route_job;

/* The results of comparing a server's tools with the lockfile. */
struct cr_route_pins {
    uint8_t *states;       /* enum cr_tool_state of each tool of the list; NULL: not known */
    uint32_t *words_at;    /* for each changed tool: where in |words| its explanation is */
    struct cr_buf words;   /* texts and hints, each with a NUL at its end */
    struct cr_err failure; /* of the last check, if |has_failed| */
    bool has_checked, has_failed;
    bool is_unused;                    /* no call has used the result of the last check yet */
    int64_t kept_until_us;             /* how long the result of the last check may be used */
    struct cr_route_job *check, *list; /* running jobs: for a call, and for a listing */
    struct cr_timer again, list_again; /* retry timers, set while others write the lockfile */
    int64_t busy_us, list_busy_us;     /* when waiting for them began; 0: not waiting */
};

struct cr_route_server {
    struct cr_route *route;
    char name[CR_ROUTE_NAME + 1];
    const char *dir; /* where its relative paths start, the configuration's; NULL: it has a URL */
    char *place;     /* JSON, for questions to a person: its command and directory, or its URL */
    struct cr_server *server;
    char accept[CR_ROUTE_TOOL + 1]; /* the tool whose change a person accepts, or "" */

    struct cr_route_pins pins;
    struct cr_server_waiter waiter; /* of a listing */
};

/* Suggestions per run: comparing with hundreds of names takes long. */
#define CR_ROUTE_SUGGESTIONS 3u

struct cr_route {
    struct cr_gate gate;
    struct cr_policy policy;
    struct cr_patterns idempotent; /* allows the calls that may be repeated */
    struct cr_servers all;
    struct cr_route_server *servers;
    size_t count;
    char *dir;              /* where the lockfile is */
    char *file, *user_file; /* configurations, for denials; the user's may be NULL */
    bool frozen;
    size_t lock_bytes; /* of the lockfile, when tools were last compared with it */

    bool has_read_lock;                    /* the lockfile was read without error */
    struct cr_route_read *read;            /* the running job that reads it, or NULL */
    struct cr_mcp_call *held, **held_last; /* calls that wait for that job */
    size_t held_bytes;                     /* bytes of the args of these calls */
    size_t asked_bytes;                    /* the same of calls that wait for a ruling */
    struct cr_err *lock_problem;           /* why the lockfile cannot be read, or NULL */
    struct cr_task release;                /* continues or fails the held calls */

    /* The callback of the running listing; NULL while the route is freed: no report then. */
    caprun_tools_fn *each;
    void *data;
    size_t to_list; /* servers still to report; 0: no listing is running */
};

/* --- route.c: what all targets share -----------------------------------------------------------
 */

struct cr_target_call;

struct cr_target_ops {
    /* The run has cancelled the call: the target stops, and must not touch the run. */
    void (*cancel)(struct cr_target_call *call, const char *why);
    /* Policy, or a person, has allowed the call, later: the target continues it, or fails it. */
    void (*resume)(struct cr_target_call *call);
    /* The audit has been written: the target, to which cr_calls_send() said LATER, tries again. */
    void (*send)(struct cr_target_call *call);
    void (*free)(struct cr_target_call *call);
};

/* A call on its way to a target. Each kind of target has its own struct around this one. */
struct cr_target_call {
    const struct cr_target_ops *ops;
    struct cr_route *route;
    struct caprun_run *run;
    uint32_t number;
    const char *method;           /* as the code called it; the run owns it */
    char called[CR_ROUTE_CALLED]; /* |method| with the target's exact name before the action */
    const char *args;             /* JSON that the strict scanner has accepted */
    size_t args_len;
    const char *dir;    /* where the target's relative paths start; NULL: unknown */
    bool awaits_ruling; /* files are looked up, or a person is asked; meanwhile the target does
                           not hold the call */
    char *ruled_tool;   /* exact name of the tool of the ruling that came, or comes, later; NULL */
    uint8_t ruled_hash[CR_HASH_BYTES]; /* of its definition */
    size_t ruled_patterns;             /* number of patterns then */
    const char *person; /* "by" of the person who has allowed the call; a new rule only repeats
                           that; or NULL */
    const char *place;  /* of the server */
    struct {
        char code[CR_HASH_DIGITS + 1], tool[CR_HASH_DIGITS + 1], server[CR_HASH_DIGITS + 1];
    } pins;                        /* for remembered rules */
    const struct cr_rule *counted; /* the rule whose budget the call was counted for, or NULL */
    bool is_timed;                 /* counted for its rate, too */
    struct cr_pending pending;
};

/* Fills |call|, which is all zeros, except for its args; |name| is the target's name. */
void cr_target_init(struct cr_target_call *call, const struct cr_target_ops *ops,
                    const struct cr_gate_call *from, struct cr_route *route, const char *name);

/* May the tool |name| ("server:tool", exact) be called twice? */
bool cr_route_is_idempotent(struct cr_route *route, const char *name);

/* Returns the part of the method after the colon. */
const char *cr_target_action(const struct cr_target_call *call);

/*
 * Asks policy by the name as called, before anything is started. DENIED: the call has ended and is
 * freed. LATER: resume() follows when policy allows it.
 */
enum cr_ruling_answer cr_target_may_start(struct cr_target_call *call);

/*
 * Asks policy by the exact name |tool| with its |definition|, and the args. Returns true if the
 * call is allowed. Returns false if it is denied, and then it has ended and is freed; or while
 * files are looked up or a person is asked, and resume() follows when the call is allowed. The
 * target then asks again: its tools may have changed.
 */
bool cr_target_may_call(struct cr_target_call *call, const char *tool, const char *definition,
                        size_t definition_len);

/* Fails the call, which may end its run, and frees it. |hint| is shown only to the user, or "". */
void cr_target_fail(struct cr_target_call *call, enum caprun_outcome outcome, const char *words,
                    const char *hint);

/* --- servers.c -------------------------------------------------------------------------------- */

/* Returns 0, CAPRUN_E_INVAL or CAPRUN_E_NOMEM; cr_route_free_servers() must follow in any case. */
int cr_route_add_servers(struct cr_route *route, const struct cr_config *config, const char *guard,
                         const char *cache, struct cr_err *err);

/* Returns the server that |method| begins with, by exact name or with "_" for "-"; or NULL. */
struct cr_route_server *cr_route_find(struct cr_route *route, const char *method);

/* Stops all servers, and steps the loop until their processes have ended. */
void cr_route_end_servers(struct cr_route *route);
void cr_route_free_servers(struct cr_route *route);

/* --- target_mcp.c ----------------------------------------------------------------------------- */

struct cr_mcp_call {
    struct cr_target_call target;
    struct cr_route_server *rs;
    struct cr_server_call at; /* its place in the queue of the server */
    char *sent_as;            /* "server:tool", exact, when it was first sent; or NULL */
    bool is_held; /* waits for caprun.lock to be read, and is not in the server's queue yet */
    struct cr_mcp_call *next, **held_at; /* in the list of held calls: next, and pointer to this */
};

/* Takes a call as take() of struct cr_gate does. */
struct cr_target_call *cr_mcp_take(struct cr_route_server *rs, const struct cr_gate_call *from);

/* Puts the call into the server's queue, or fails it. */
void cr_mcp_continue(struct cr_mcp_call *c);

/* Fails the call with |why|. */
void cr_mcp_fail(struct cr_mcp_call *c, const struct cr_err *why);

/* --- lockfile_wait.c -------------------------------------------------------------------------- */

/*
 * Makes |c| wait until the lockfile is read; then the loop calls cr_mcp_continue() or
 * cr_mcp_fail(). Returns 0, or an error whose text the untrusted code may see.
 */
int cr_route_hold(struct cr_route *route, struct cr_mcp_call *c, struct cr_err *err);

/* Removes |c| from the list of held calls. */
void cr_route_remove_waiting(struct cr_route *route, struct cr_mcp_call *c);

/* The task that continues or fails the held calls. */
void cr_route_release_held(struct cr_task *task);

/* Stops reading the lockfile, when the route is freed. */
void cr_route_end_hold(struct cr_route *route);

/* --- pins.c ---------------------------------------------------------------------------------- */

#define CR_ROUTE_LATER 1

/* The server has a new list of tools: forgets all results of comparing the old one. */
void cr_route_forget_pins(struct cr_route_server *rs);

/* Stops the jobs and timers of the server, which is about to be freed. */
void cr_route_end_pins(struct cr_route_server *rs);

/*
 * Is |tool|, of the server's list, as it is pinned? The first use pins all tools that are not
 * pinned. Returns 0; CR_ROUTE_LATER, and cr_server_continue() is called when the answer is known;
 * INTEGRITY_MISMATCH; CONFIG_ERROR if the lockfile cannot be read or written; or CAPRUN_E_NOMEM.
 */
int cr_route_check_pin(struct cr_route_server *rs, const struct cr_tool *tool, struct cr_err *why);

/*
 * Pins the tool to accept, if there is one, and finds all tools that differ from their pins. Then
 * cr_route_deliver_changes() is called, perhaps before this function returns.
 */
void cr_route_find_changes(struct cr_route_server *rs);

/* The retry timers of a server. */
void cr_route_check_again(struct cr_timer *timer);
void cr_route_list_again(struct cr_timer *timer);

/* --- listing.c ------------------------------------------------------------------------------- */

/*
 * Takes the result of cr_route_find_changes(): |changed|, JSON objects with commas between them; or
 * an error |code|, explained by |why|.
 */
void cr_route_deliver_changes(struct cr_route_server *rs, int code, const struct cr_err *why,
                              const struct cr_buf *changed);

#endif
