/* journal_limits.c - limits of a run with a journal, from options, configuration and journal. */
#include "cli/journal_limits.h"

#include "journal/journal.h"
#include "journal/replay.h"

#define MIB (1024u * 1024u)

static uint64_t first_set(uint64_t a, uint64_t b)
{
    return a ? a : b;
}

/* A replay gets more time than the limits of the recorded run. */
static uint64_t time_of(uint64_t ms)
{
    return ms ? cr_replay_time(ms) : ms;
}

/* The command's option; else the larger of journal and configuration; 0: the journal's, limited. */
static uint64_t resumed(uint64_t option, uint64_t own, uint64_t configured)
{
    if (option)
        return option;
    return configured > own ? configured : own;
}

int cr_journal_limits_resume(struct caprun_run *run, const struct cr_options *o,
                             const struct cr_config *config, bool is_own)
{
    static const struct cr_head none;
    const struct cr_head *h = is_own ? &cr_replay_journal(run)->head : &none;
    const struct cr_config_limits *c = &config->limits;

    uint64_t own_cpu =
        h->cpu_ms == h->timeout_ms ? 0 : h->cpu_ms; /* else it follows the wall time */

    caprun_run_raise_limits(run);
    if (caprun_run_set_timeout(run, resumed(o->timeout_ms, h->timeout_ms, c->timeout_ms)) < 0 ||
        caprun_run_set_cpu(run, resumed(o->cpu_ms, own_cpu, c->cpu_ms)) < 0 ||
        caprun_run_set_call_timeout(
            run, resumed(o->rpc_timeout_ms, h->rpc_timeout_ms, c->rpc_timeout_ms)) < 0 ||
        caprun_run_set_memory(run, resumed(o->memory, h->memory, c->memory_mb * MIB)) < 0 ||
        caprun_run_set_max_result(
            run, c->result_bytes ? resumed(0, h->result_bytes, c->result_bytes) : 0) < 0 ||
        caprun_run_set_max_log(run, is_own ? 0 : c->log_bytes) < 0 ||
        caprun_run_set_max_calls(run, c->max_calls ? resumed(0, h->max_calls, c->max_calls) : 0) <
            0)
        return CAPRUN_E_TOOBIG;
    return caprun_run_set_max_calls_at_once(run, is_own ? 0 : c->max_concurrent_calls);
}

int cr_journal_limits_replay(struct caprun_run *run, const struct cr_options *o,
                             const struct cr_config *config)
{
    const struct cr_head *h = &cr_replay_journal(run)->head;
    struct cr_config_limits most = {.timeout_ms = h->timeout_ms,
                                    .cpu_ms = h->cpu_ms,
                                    .result_bytes = h->result_bytes,
                                    .log_bytes = h->log_bytes,
                                    .max_calls = h->max_calls,
                                    .max_concurrent_calls = h->max_calls_at_once,
                                    .rpc_timeout_ms = h->rpc_timeout_ms};
    uint64_t memory = config ? config->limits.memory_mb * MIB : h->memory;

    if (config)
        most = config->limits;
    if (caprun_run_set_timeout(run, first_set(o->timeout_ms, time_of(most.timeout_ms))) < 0 ||
        caprun_run_set_cpu(run, first_set(o->cpu_ms, time_of(most.cpu_ms))) < 0 ||
        caprun_run_set_call_timeout(run, first_set(o->rpc_timeout_ms, most.rpc_timeout_ms)) < 0 ||
        caprun_run_set_memory(run, first_set(o->memory, memory)) < 0 ||
        caprun_run_set_max_result(run, most.result_bytes) < 0 ||
        caprun_run_set_max_log(run, most.log_bytes) < 0 ||
        caprun_run_set_max_calls(run, most.max_calls) < 0)
        return CAPRUN_E_TOOBIG;
    return caprun_run_set_max_calls_at_once(run, most.max_concurrent_calls);
}
