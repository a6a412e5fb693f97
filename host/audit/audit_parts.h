/*
 * audit_parts.h - shared by audit.c, which composes and hashes lines for runs, and queue.c, which
 * writes them.
 */
#ifndef CR_AUDIT_PARTS_H
#define CR_AUDIT_PARTS_H

#include "audit/audit.h"
#include "audit/compose.h"
#include "audit/file.h"
#include "base/hash.h"
#include "base/loop.h"

enum cr_audit_entry_state {
    CR_AUDIT_ENTRY_HASHING,
    CR_AUDIT_ENTRY_QUEUED,
    CR_AUDIT_ENTRY_WRITTEN,
    CR_AUDIT_ENTRY_FAILED,
};

/* A line in the queue, or on its way there or from there. */
struct cr_audit_entry {
    struct cr_audit_ticket ticket;     /* first: a ticket is its entry */
    struct cr_audit_entry *next, **at; /* in one of the lists */
    struct cr_audit_lines *list;
    bool is_awaited; /* the ticket is used */
    enum cr_audit_entry_state state;
    int64_t until_us; /* for an awaited one */
    struct cr_hash_sum sum;
    size_t hashed;
    struct cr_buf body;
};

struct cr_audit_lines {
    struct cr_audit_entry *first, **last;
};

struct cr_audit {
    struct cr_auditor auditor;
    struct cr_loop *loop;
    struct cr_audit_file *file; /* while there is |settling|, only the job uses it */
    bool has_args, is_off;
    struct cr_audit_lines hashing, queue;
    struct cr_audit_lines done; /* awaited lines that are written, or have failed */
    size_t unawaited;           /* bytes of lines in |queue| that no call waits for */
    bool renews;                /* the next write renews the record, too */
    uint64_t lost;              /* lines that did not fit into the queue */
    struct cr_task write, deliver, hash;
    struct cr_timer retry, renewal;
    int64_t pause_us;
    struct cr_audit_settling *settling;
    struct cr_err err; /* why lines cannot be written */
    struct cr_audit_who who;
};

/* A repair in a helper thread. */
struct cr_audit_settling {
    struct cr_job job;
    struct cr_audit *audit; /* the helper thread must not use it */
    struct cr_audit_file *file;
    int code;
    struct cr_err err;
};

/* An entry with an empty body; NULL: no memory. It is in no list. */
struct cr_audit_entry *cr_audit_new_entry(void);
void cr_audit_free_entry(struct cr_audit_entry *e);

/* Adds an entry at the end of a list, and takes it out of the list that it is in. */
void cr_audit_put(struct cr_audit_lines *list, struct cr_audit_entry *e);
void cr_audit_take(struct cr_audit_entry *e);

/* The awaited entry leaves its list for good: its call is told in a later step. */
void cr_audit_end_awaited(struct cr_audit *a, struct cr_audit_entry *e,
                          enum cr_audit_entry_state state);

/* Writes the queue, or arranges for it to be written. */
void cr_audit_write(struct cr_audit *a);

/* Will the queue be tried again soon? */
bool cr_audit_is_waiting(const struct cr_audit *a);

void cr_audit_free_file(struct cr_audit_file *file);

/* The tasks and timers. */
void cr_audit_write_due(struct cr_task *task);
void cr_audit_deliver_due(struct cr_task *task);
void cr_audit_retry_due(struct cr_timer *timer);
void cr_audit_renewal_due(struct cr_timer *timer);

#endif
