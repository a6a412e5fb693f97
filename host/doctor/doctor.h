/*
 * doctor.h - checks that the sandbox works on this machine. caprun_doctor() in caprun.h says what
 * is reported.
 *
 * What each layer reports about itself is compared with attacks from inside (probe.h) and with what
 * the kernel says from outside (outside.h). A layer is absent if it reports itself missing; failed
 * if an attack got through or the kernel shows it missing; present if it stopped an attack or the
 * kernel shows it; otherwise it cannot be checked.
 */
#ifndef CR_DOCTOR_H
#define CR_DOCTOR_H

#include "base/err.h"
#include "caprun.h"
#include "pool/zygote.h"

/*
 * |program| is the path of the worker program, |rules| are the runtime's. Returns 1, 0 or an error,
 * as caprun_doctor() does.
 */
int cr_doctor(struct caprun_runtime *rt, const char *program, const struct cr_zygote_rules *rules,
              caprun_layer_fn *report, void *data, struct cr_err *err);

#endif
