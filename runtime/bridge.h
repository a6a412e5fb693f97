/*
 * bridge.h - what the prelude is given to reach the host with, and the clock that the host sets.
 *
 * The prelude (js/prelude.js) gets one object with three functions, `call`, `log` and `now`, and
 * closes over them before any code of a stranger runs. Everything that decides how a call's failure
 * is classified later is kept here, out of JavaScript's reach.
 */
#ifndef CRW_BRIDGE_H
#define CRW_BRIDGE_H

#include <stdint.h>

#include "quickjs.h"
#include "wire.h"

/* Runs the prelude. Returns `mcp`, or an exception. */
JSValue crw_bridge_install(JSContext *ctx);

/* A frame arrived: time is now what it says. */
void crw_bridge_set_time(const struct wire_header *header);
int64_t crw_bridge_now_us(void);

/* Call |id| failed; |payload| is that of a WIRE_FAIL frame of |len| bytes. */
void crw_bridge_fail(JSContext *ctx, uint32_t id, const uint8_t *payload, size_t len);

/* Returns the number of the call whose failure made |error|, or 0 if it is no such error. */
uint32_t crw_bridge_call_of(JSContext *ctx, JSValueConst error);

#endif
