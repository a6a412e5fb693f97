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
static uint64_t time_of(uint64_t ms, bool is_replay)
{
    return ms && is_replay ? cr_replay_time(ms) : ms;
}

int cr_journal_limits_set(struct caprun_run *run, const struct cr_options *o,
                          const struct cr_config *config, bool is_replay)
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
    if (caprun_run_set_timeout(run, first_set(o->timeout_ms, time_of(most.timeout_ms, is_replay))) <
            0 ||
        caprun_run_set_cpu(run, first_set(o->cpu_ms, time_of(most.cpu_ms, is_replay))) < 0 ||
        caprun_run_set_call_timeout(run, first_set(o->rpc_timeout_ms, most.rpc_timeout_ms)) < 0 ||
        caprun_run_set_memory(run, first_set(o->memory, memory)) < 0 ||
        caprun_run_set_max_result(run, most.result_bytes) < 0 ||
        caprun_run_set_max_log(run, most.log_bytes) < 0 ||
        caprun_run_set_max_calls(run, most.max_calls) < 0)
        return CAPRUN_E_TOOBIG;
    return caprun_run_set_max_calls_at_once(run, most.max_concurrent_calls);
}
