/*
 * bridge.h - what a capability reaches the host with, and the clock and the limits that the host
 * sets.
 *
 * The prelude (js/prelude.js) makes `mcp` of one native function, before any code of a stranger
 * runs.
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

/* The run's limits, from the job on. */
void crw_bridge_set_limits(const struct wire_limits *limits);
const struct wire_limits *crw_bridge_limits(void);

/* How many calls have no answer yet. */
unsigned crw_bridge_waiting(void);

/*
 * Call |id| was answered, or failed; |payload| is that of a WIRE_REPLY or WIRE_FAIL frame of |len|
 * bytes, with a NUL behind it.
 */
void crw_bridge_reply(JSContext *ctx, uint32_t id, const uint8_t *payload, size_t len);
void crw_bridge_fail(JSContext *ctx, uint32_t id, const uint8_t *payload, size_t len);

#endif
