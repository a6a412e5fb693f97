/* api_people.c - public functions: questions to a person, and decisions. */
#include "api.h"

void caprun_set_ask(struct caprun_runtime *rt, caprun_ask_fn *ask, void *data)
{
    rt->people.ask = ask;
    rt->people.only_suspends = ask == caprun_ask_later;
    rt->people.asker.wants_grant = ask == caprun_ask_later;
    rt->people.data = data;
}

void caprun_ask_later(void *data, struct caprun_run *run, uint32_t question, const char *json,
                      size_t len)
{
    (void)data;
    (void)question;
    (void)len;
    if (json)
        (void)caprun_suspend(run);
}

int caprun_decide(struct caprun_run *run, uint32_t question, const char *json, size_t len)
{
    return cr_people_decide_json(run, question, json, len, &run->runtime->err);
}

int caprun_suspend(struct caprun_run *run)
{
    return cr_people_suspend(run, &run->runtime->err);
}

const char *caprun_get_asked_args(const struct caprun_run *run, uint32_t call, size_t *ret_len)
{
    return cr_people_args(run, call, ret_len);
}
