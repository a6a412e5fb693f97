/* view.c - small functions with which other rooms read and set up a run. */
#include "base/watchdog.h"
#include "run/run_parts.h"

struct cr_run_view cr_run_look(const struct caprun_run *run)
{
    return (struct cr_run_view){.runtime = run->runtime,
                                .loop = run->loop,
                                .state = run->state,
                                .outcome = run->outcome,
                                .message = &run->error.message,
                                .cpu_us = run->cpu_us,
                                .memory_used = run->memory_used,
                                .call_count = run->call_count,
                                .calls_open = run->calls_open,
                                .job_us = run->job_us,
                                .date_us = run->date_us,
                                .waited_us = run->waited_us,
                                .wake_us = run->wake_us,
                                .is_replaying = run->is_replaying};
}

int64_t cr_run_now(const struct caprun_run *run)
{
    return (run->paused_us ? run->paused_us : cr_loop_now()) - run->job_us;
}

struct cr_spec *cr_run_spec(struct caprun_run *run)
{
    return &run->spec;
}

const uint8_t *cr_run_digest(const struct caprun_run *run)
{
    return run->digest;
}

struct cr_budgets *cr_run_budgets(struct caprun_run *run)
{
    return &run->budgets;
}

void cr_run_set_recorder(struct caprun_run *run, struct cr_recorder *recorder)
{
    run->recorder = recorder;
}

struct cr_recorder *cr_run_recorder(const struct caprun_run *run)
{
    return run->recorder;
}

void cr_run_set_player(struct caprun_run *run, struct cr_player *player, bool is_replaying)
{
    run->player = player;
    run->is_replaying = is_replaying;
}

struct cr_player *cr_run_player(const struct caprun_run *run)
{
    return run->player;
}

void cr_run_answer_from_journal(struct caprun_run *run)
{
    run->gate = NULL;
    run->auditor = NULL;
    run->on_call = NULL;
}

uint64_t cr_run_default_memory(const struct caprun_run *run)
{
    return run->pool->sizes.memory;
}

void cr_run_set_time(struct caprun_run *run, int64_t now_us, int64_t date_us)
{
    run->replay_time.now_us = now_us;
    run->replay_time.date_us = date_us;
}

struct cr_loader *cr_run_loader(const struct caprun_run *run)
{
    return run->loader;
}

void cr_run_allow_setters(struct caprun_run *run, bool is_given)
{
    run->is_given = is_given;
}

bool cr_run_wants_loading(const struct caprun_run *run)
{
    return run->on_loading != NULL;
}

bool cr_run_notify_loading(struct caprun_run *run, enum caprun_loading what, const char *text,
                           uint64_t got, uint64_t total)
{
    if (run->on_loading) {
        cr_watchdog_leave();
        run->on_loading(run->loading_data, run, what, text, got, total);
        cr_watchdog_return();
    }
    return run->state == CR_RUN_LOADING;
}
