/*
 * match.c - replays a run that may make its calls in another order, or also other calls.
 *
 * Each call gets the answer of an equal recorded call: the same method and args. Recorded times do
 * not fit another order, so the run has a clock of its own: each call takes as long as it took when
 * it was recorded, timers fire when they are due, and whatever is next moves the clock forward.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "journal/replay_parts.h"
#include "run/calls.h"

#define MAX_US ((int64_t)1 << 52) /* 142 years */

/* --- calls ---------------------------------------------------------------------------------- */

/* Returns the part of a CALL's body after its number, which may differ. */
static const char *after_number(const char *body, size_t len, size_t *ret_len)
{
    static const char start[] = "\"from\":\"call\",\"n\":";
    size_t at = sizeof(start) - 1;

    while (at < len && body[at] >= '0' && body[at] <= '9')
        at++;
    *ret_len = len > at ? len - at : 0;
    return body + (len < at ? len : at);
}

static bool is_equal(const struct cr_journal_line *made, const char *now, size_t now_len)
{
    size_t len;
    const char *recorded = after_number(made->body, made->body_len, &len);

    return len == now_len && memcmp(recorded, now, len) == 0;
}

/* Returns whether both calls have the same method, the first field. */
static bool is_alike(const struct cr_journal_line *made, const char *now, size_t now_len)
{
    size_t len, same = 0;
    const char *recorded = after_number(made->body, made->body_len, &len);
    int quotes = 0;

    while (same < len && same < now_len && recorded[same] == now[same] && quotes < 4)
        quotes += recorded[same++] == '"';
    return quotes == 4;
}

/* Equal calls have equal hashes, and nobody can make many others with the same hash. */
static uint64_t hash_of(const char *text, size_t len)
{
    uint8_t hash[CR_HASH_BYTES];
    uint64_t ret;

    cr_hash_take(text, len, hash);
    memcpy(&ret, hash, sizeof(ret));
    return ret;
}

static int compare_entries(const void *a, const void *b)
{
    const struct cr_replay_entry *one = a, *other = b;

    if (one->hash != other->hash)
        return one->hash < other->hash ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

void cr_match_begin(struct cr_replay *p)
{
    size_t len;

    free(p->index);
    p->index = calloc(p->journal.calls + 1, sizeof(*p->index));
    for (uint32_t i = 0; p->index && i < p->journal.calls; i++) {
        const struct cr_journal_line *made = p->calls[i].made;
        const char *text = after_number(made->body, made->body_len, &len);

        p->index[i] = (struct cr_replay_entry){.hash = hash_of(text, len), .number = i + 1};
    }
    if (p->index)
        qsort(p->index, p->journal.calls, sizeof(*p->index), compare_entries);
}

/* Returns the first entry with |hash|, or the one after the last entry. */
static struct cr_replay_entry *find_entry(const struct cr_replay *p, uint64_t hash)
{
    size_t low = 0, high = p->journal.calls;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (p->index[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return &p->index[low];
}

/* Returns the recorded call that the call in |p->body| is equal to, or 0. */
static uint32_t find_equal(struct cr_replay *p)
{
    size_t len;
    const char *now = after_number((const char *)p->body.data, p->body.len, &len);
    uint64_t hash = hash_of(now, len);
    struct cr_replay_entry *first = find_entry(p, hash), *end = p->index + p->journal.calls;
    bool has_more;

    for (struct cr_replay_entry *e = first + (first < end ? first->used : 0);
         e < end && e->hash == hash; e++) {
        p->compared++;
        if (!is_equal(p->calls[e->number - 1].made, now, len))
            continue;
        has_more = e + 1 < end && e[1].hash == hash;
        first->used = (uint32_t)(e - first) + (p->compare == CR_REPLAY_CALLS || has_more);
        return e->number;
    }
    return 0;
}

/* Returns an unused recorded call of the same tool: probably it is this call with other args. */
static const struct cr_journal_line *find_alike(const struct cr_replay *p)
{
    size_t len;
    const char *now = after_number((const char *)p->body.data, p->body.len, &len);

    for (uint32_t n = 1; n <= p->journal.calls; n++)
        if (!p->calls[n - 1].is_matched && is_alike(p->calls[n - 1].made, now, len))
            return p->calls[n - 1].made;
    return NULL;
}

static void match_call(struct cr_replay *p, struct caprun_run *run, uint32_t number)
{
    struct cr_replay_match match = {.recorded = p->index ? find_equal(p) : 0, .made_us = p->now_us};

    if (p->index && !match.recorded) {
        cr_replay_report_difference(p, run, CR_JOURNAL_CALL, number, find_alike(p));
        return;
    }
    if (p->index) {
        p->calls[match.recorded - 1].is_matched = true;
        cr_buf_add(&p->matches, &match, sizeof(match));
        cr_buf_add(&p->open, &number, sizeof(number));
        if (!cr_buf_err(&p->matches) && !cr_buf_err(&p->open))
            return;
    }
    cr_run_set_message(run, "No memory to compare with");
    cr_run_end(run, CAPRUN_OUTCOME_INTERNAL);
}

static struct cr_replay_match match_of(const struct cr_replay *p, uint32_t number)
{
    struct cr_replay_match match;

    memcpy(&match, p->matches.data + (number - 1) * sizeof(match), sizeof(match));
    return match;
}

uint32_t cr_replay_recorded_number(const struct cr_replay *p, uint32_t number)
{
    if (p->compare == CR_REPLAY_EXACT)
        return number;
    return number * sizeof(struct cr_replay_match) <= p->matches.len ? match_of(p, number).recorded
                                                                     : 0;
}

uint32_t cr_match_find_missing(const struct cr_replay *p)
{
    for (uint32_t n = 1; n <= p->journal.calls && p->compare == CR_REPLAY_CALLS; n++)
        if (!p->calls[n - 1].is_matched)
            return n;
    return 0;
}

/* --- the end -------------------------------------------------------------------------------- */

static bool has_same(const struct cr_journal_line *a, const struct cr_journal_line *b,
                     const char *key)
{
    size_t a_len = 0, b_len = 0;
    const char *in_a = cr_journal_member(a, key, &a_len), *in_b = cr_journal_member(b, key, &b_len);

    return in_a && in_b && a_len == b_len && memcmp(in_a, in_b, a_len) == 0;
}

/* An error is the same in another place of the code, and after other calls. */
static bool is_same_end(const struct cr_replay *p, enum cr_journal_kind kind)
{
    struct cr_journal_line now;
    struct cr_buf text;
    bool is_same;

    if (!p->last || p->last->kind != kind)
        return false;
    if (kind != CR_JOURNAL_THREW)
        return p->last->body_len == p->body.len &&
               memcmp(p->last->body, p->body.data, p->body.len) == 0;
    cr_replay_make_line(&text, kind, &p->body, &now);
    is_same = has_same(p->last, &now, "why") && has_same(p->last, &now, "name") &&
              has_same(p->last, &now, "message");
    cr_buf_clear(&text);
    return is_same;
}

void cr_match_frame(struct cr_replay *p, struct caprun_run *run, enum cr_journal_kind kind,
                    uint32_t number)
{
    if (kind == CR_JOURNAL_CALL)
        match_call(p, run, number);
    else if ((kind == CR_JOURNAL_DONE || kind == CR_JOURNAL_THREW) && !is_same_end(p, kind))
        cr_replay_report_difference(p, run, kind, 0, p->last);
}

/* --- the next input ------------------------------------------------------------------------- */

/* Removes the calls that are not open any longer from |p->open|. Returns how many are left. */
static size_t sweep_open(struct cr_replay *p, const struct caprun_run *run)
{
    uint32_t *open = (uint32_t *)(void *)p->open.data; /* aligned by malloc() */
    size_t count = p->open.len / sizeof(*open), kept = 0;

    for (size_t i = 0; i < count; i++)
        if (cr_calls_at(run, open[i])->state == CR_CALL_OPEN)
            open[kept++] = open[i];
    p->open.len = kept * sizeof(*open);
    return kept;
}

/* Returns the open call that is answered next, or 0; |ret_due_us| is when. */
static uint32_t find_next_answer(struct cr_replay *p, const struct caprun_run *run,
                                 int64_t *ret_due_us)
{
    size_t count = sweep_open(p, run);
    uint32_t found = 0;

    for (size_t i = 0; i < count; i++) {
        const uint32_t n = ((const uint32_t *)(const void *)p->open.data)[i];
        struct cr_replay_match match = match_of(p, n);
        const struct cr_replay_call *call = &p->calls[match.recorded - 1];
        int64_t due_us;

        if (!call->answer)
            continue;
        due_us = match.made_us + (call->answer->at_us - call->made->at_us);
        due_us = due_us < MAX_US ? due_us : MAX_US; /* the journal may be forged */
        if (!found || due_us < *ret_due_us) {
            found = n;
            *ret_due_us = due_us;
        }
    }
    return found;
}

static void report_endless_wait(struct caprun_run *run)
{
    uint32_t n = 1;

    while (cr_calls_at(run, n)->state != CR_CALL_OPEN)
        n++;
    cr_run_set_message(run,
                       "The code waits for something that was not recorded\nrecorded: no answer to "
                       "%s\nnow:      it waits for the answer to call %u",
                       cr_calls_at(run, n)->method, n);
    cr_run_end(run, CAPRUN_OUTCOME_REPLAY_DIFFERED);
}

bool cr_match_next(struct cr_replay *p, struct caprun_run *run)
{
    struct cr_run_view v = cr_run_look(run);
    int64_t due_us = 0;
    uint32_t next = find_next_answer(p, run, &due_us);
    bool is_wake = v.wake_us >= 0 && (!next || v.wake_us < due_us);

    if (!next && !is_wake && !v.calls_open)
        return false; /* the run is stalled; perhaps that is the recorded end */
    if (!next && !is_wake) {
        report_endless_wait(run);
        return true;
    }
    if (is_wake)
        due_us = v.wake_us;
    p->now_us = due_us > p->now_us ? due_us : p->now_us;
    p->giving = (struct cr_journal_line){.kind = CR_JOURNAL_WAKE};
    if (!is_wake) {
        p->giving = *p->calls[match_of(p, next).recorded - 1].answer;
        p->giving.n = next;
    }
    cr_run_set_time(run, p->now_us, p->base_us + p->now_us);
    cr_replay_give(p, run, &p->giving);
    return true;
}
