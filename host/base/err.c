/* err.c - sets errors: code, outcome, message and hint, cut to what fits. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void __attribute__((format(printf, 4, 0)))
set_error(struct cr_err *err, int code, enum caprun_outcome outcome, const char *fmt, va_list ap)
{
    err->code = code;
    err->outcome = outcome;
    err->hint[0] = '\0';
    (void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
}

int cr_err_set(struct cr_err *err, int code, const char *fmt, ...)
{
    va_list ap;

    if (!err)
        return code;
    va_start(ap, fmt);
    set_error(err, code, CAPRUN_OUTCOME_INTERNAL, fmt, ap);
    va_end(ap);
    return code;
}

int cr_err_sys(struct cr_err *err, const char *fmt, ...)
{
    int saved = errno;
    va_list ap;
    size_t len;

    if (!err)
        return CAPRUN_E_SYS;
    va_start(ap, fmt);
    set_error(err, CAPRUN_E_SYS, CAPRUN_OUTCOME_INTERNAL, fmt, ap);
    va_end(ap);
    len = strlen(err->text);
    (void)snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(saved));
    errno = saved;
    return CAPRUN_E_SYS;
}

int cr_err_end(struct cr_err *err, enum caprun_outcome outcome, const char *hint, const char *fmt,
               ...)
{
    va_list ap;

    va_start(ap, fmt);
    set_error(err, CAPRUN_E_INVAL, outcome, fmt, ap);
    va_end(ap);
    if (hint)
        (void)snprintf(err->hint, sizeof(err->hint), "%s", hint);
    return CAPRUN_E_INVAL;
}

int cr_err_hint(struct cr_err *err, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
    va_end(ap);
    return CAPRUN_E_INVAL;
}

int cr_err_memory(struct cr_err *err)
{
    return cr_err_set(err, CAPRUN_E_NOMEM, "no memory");
}
