/* api_journal.c - public functions: audit, record, replay and resume. */
#include "api.h"
#include <stdlib.h>

#include "audit/audit.h"
#include "base/mem.h"
#include "base/scan.h"
#include "journal/line.h"
#include "journal/record.h"
#include "journal/replay.h"

#define MAX_ORIGIN (32u << 10) /* so that it fits into the header, and is no blob */

int caprun_set_audit(struct caprun_runtime *rt, const char *path, uint32_t flags)
{
    cr_autofree char *absolute = NULL;
    struct cr_audit_spec spec = {.has_args = flags & CAPRUN_AUDIT_ARGS,
                                 .is_off = flags & CAPRUN_AUDIT_OFF};

    if (rt->audit)
        return cr_err_set(&rt->err, CAPRUN_E_STATE, "there is an audit already");
    if (flags & ~(uint32_t)(CAPRUN_AUDIT_ARGS | CAPRUN_AUDIT_OFF))
        return cr_err_set(&rt->err, CAPRUN_E_INVAL, "unknown flags of an audit: %u", flags);
    if (path[0] && cr_api_make_absolute(path, &absolute, &rt->err) < 0)
        return rt->err.code;
    spec.path = path[0] ? absolute : "";
    return cr_audit_new(&rt->loop, &spec, &rt->audit, &rt->err);
}

int caprun_run_set_origin(struct caprun_run *run, const char *json, size_t len)
{
    struct cr_err *err = &run->runtime->err;
    struct cr_err why;

    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (len &&
        (json[0] != '{' || cr_scan_json((const uint8_t *)json, len, CR_SCAN_STRICT, &why) < 0))
        return cr_err_set(err, CAPRUN_E_INVAL, "the origin is not a JSON object");
    if (len > MAX_ORIGIN)
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the origin is over %u bytes", MAX_ORIGIN);
    if (cr_line_is_long(json, len, true))
        return cr_err_set(err, CAPRUN_E_TOOBIG, "the origin has too many levels");
    cr_buf_clear(&run->spec.origin);
    cr_buf_add(&run->spec.origin, json, len);
    if (cr_buf_err(&run->spec.origin))
        return cr_err_set(err, cr_buf_err(&run->spec.origin), "no room for the origin");
    return 0;
}

int caprun_run_record(struct caprun_run *run, const char *path)
{
    struct cr_record_spec spec = {.path = path, .max_bytes = run->record_limit};

    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    return cr_record_new(run, &spec, &run->runtime->err);
}

int caprun_run_set_record_limit(struct caprun_run *run, uint64_t bytes)
{
    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (bytes > CR_RECORD_MAX_BYTES)
        return cr_err_set(&run->runtime->err, CAPRUN_E_TOOBIG, "a journal has at most 1 GiB");
    run->record_limit = bytes;
    cr_record_limit(run, bytes);
    return 0;
}

static int refuse_second(struct caprun_run *run)
{
    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (run->player || run->recorder)
        return cr_err_set(&run->runtime->err, CAPRUN_E_STATE, "the run has a journal already");
    return 0;
}

static int refuse_journal(struct caprun_run *run, const struct cr_err *why)
{
    return cr_err_set(&run->runtime->err,
                      why->outcome == CAPRUN_OUTCOME_INTERNAL ? CAPRUN_E_NOMEM : CAPRUN_E_INVAL,
                      "%s", why->text);
}

int caprun_run_replay(struct caprun_run *run, const char *path)
{
    struct cr_err why;

    if (refuse_second(run) < 0)
        return CAPRUN_E_STATE;
    return cr_replay_new(run, path, NULL, &why) < 0 ? refuse_journal(run, &why) : 0;
}

int caprun_run_resume(struct caprun_run *run, const char *path)
{
    struct cr_record_spec spec = {.path = path, .max_bytes = run->record_limit};
    struct cr_err why;

    if (refuse_second(run) < 0)
        return CAPRUN_E_STATE;
    return cr_replay_resume(run, &spec, &why) < 0 ? refuse_journal(run, &why) : 0;
}

void caprun_run_set_real_time(struct caprun_run *run, int on)
{
    cr_replay_set_real_time(run, on != 0);
}

void caprun_run_raise_limits(struct caprun_run *run)
{
    cr_replay_raise_limits(run);
}

int caprun_run_is_unknown(struct caprun_run *run, uint32_t call)
{
    if (cr_api_refuse_after_start(run) < 0)
        return 0;
    run->gate = cr_api_gate(run->runtime);
    return cr_replay_is_unknown(run, call);
}

int caprun_run_retry(struct caprun_run *run, uint32_t call)
{
    if (cr_api_refuse_after_start(run) < 0)
        return CAPRUN_E_STATE;
    if (cr_replay_retry(run, call) < 0)
        return cr_err_set(&run->runtime->err, CAPRUN_E_NOMEM, "no memory");
    return 0;
}
