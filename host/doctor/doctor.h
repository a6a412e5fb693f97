/*
 * doctor.h - is the sandbox what it should be on this machine? caprun_doctor() in caprun.h says
 * what is told.
 *
 * What each layer reports of itself is compared with attacks from inside (probe.h) and with what
 * the kernel says from outside (outside.h). Reported as missing is absent; got through, or seen not
 * to be there, is failed; stopped, or seen, is present; else nobody here can tell.
 */
#ifndef CR_DOCTOR_H
#define CR_DOCTOR_H

#include "base/err.h"
#include "caprun.h"
#include "pool/zygote.h"

/*
 * |program| is the worker's, |rules| those of the runtime. Returns 1, 0 or an error, as
 * caprun_doctor() does.
 */
int cr_doctor(struct caprun_runtime *rt, const char *program, const struct cr_zygote_rules *rules,
              caprun_layer_fn *hear, void *data, struct cr_err *err);

#endif
