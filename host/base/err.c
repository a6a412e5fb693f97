/* err.c - codes and words together. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int cr_err_set(struct cr_err *err, int code, const char *fmt, ...)
{
    va_list ap;

    if (!err)
        return code;
    err->code = code;
    va_start(ap, fmt);
    (void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
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
    err->code = CAPRUN_E_SYS;
    va_start(ap, fmt);
    (void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    len = strlen(err->text);
    (void)snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(saved));
    errno = saved;
    return CAPRUN_E_SYS;
}
