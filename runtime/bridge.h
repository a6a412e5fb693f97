/*
 * bridge.h - the calls from a capability to the host (`mcp`), and the clock and the limits that the
 * host sets.
 *
 * The prelude (js/prelude.js) builds `mcp` on one native function, before any untrusted code runs.
 */
#ifndef CRW_BRIDGE_H
#define CRW_BRIDGE_H

#include <stdint.h>

#include "quickjs.h"
#include "wire.h"

/* Runs the prelude. Returns `mcp`, or an exception. */
JSValue crw_bridge_install(JSContext *ctx);

/* Sets the clock to the time in |header|, of a frame that arrived. */
void crw_bridge_set_time(const struct wire_header *header);
int64_t crw_bridge_now_us(void);

/* The run's limits, as the job sets them. */
void crw_bridge_set_limits(const struct wire_limits *limits);
const struct wire_limits *crw_bridge_limits(void);

/* Returns how many calls have no answer yet. */
unsigned crw_bridge_waiting(void);

/*
 * Settles call |id|, which was answered or failed. |payload| is the payload of a WIRE_REPLY or
 * WIRE_FAIL frame, |len| bytes with a NUL after them.
 */
void crw_bridge_reply(JSContext *ctx, uint32_t id, const uint8_t *payload, size_t len);
void crw_bridge_fail(JSContext *ctx, uint32_t id, const uint8_t *payload, size_t len);

#endif
