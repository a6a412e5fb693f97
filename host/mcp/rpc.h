/*
 * rpc.h - writes the messages that caprun sends to MCP servers, for both protocol eras.
 *
 * Every function appends one JSON-RPC message without an end of line; check cr_buf_err()
 * afterwards. The appended bytes never contain a line break.
 */
#ifndef CR_RPC_H
#define CR_RPC_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "mcp/message.h"

#define CR_RPC_LEGACY_VERSION "2025-11-25" /* what initialize offers */
#define CR_RPC_MODERN_VERSION "2026-07-28"

/* UNKNOWN: not detected yet. */
enum cr_era { CR_ERA_UNKNOWN, CR_ERA_MODERN, CR_ERA_LEGACY };

void cr_rpc_discover(struct cr_buf *out, uint64_t id);
void cr_rpc_initialize(struct cr_buf *out, uint64_t id);
void cr_rpc_initialized(struct cr_buf *out);

/* |cursor| is JSON with its quotes; empty: the first page. */
void cr_rpc_list(struct cr_buf *out, enum cr_era era, uint64_t id, const struct cr_buf *cursor);

/*
 * Appends a call without its args. Returns where in |out| the args, JSON without line breaks, have
 * to be inserted when sending: they can be megabytes, and are not copied. The progress token is the
 * id.
 */
size_t cr_rpc_call(struct cr_buf *out, enum cr_era era, uint64_t id, const char *tool);

void cr_rpc_cancelled(struct cr_buf *out, uint64_t id, const char *reason);

/* Appends the answer to |request| of a server: {} for a ping, else "Method not found". */
void cr_rpc_answer(struct cr_buf *out, const struct cr_message *request);

/* Is |version| a revision of the legacy era that caprun speaks? */
int cr_rpc_is_legacy_version(const char *version);

#endif
