/*
 * rpc.h - what caprun says to an MCP server, in the words of both eras.
 *
 * Every function appends one JSON-RPC message without an end of line; ask cr_buf_err() afterwards.
 * Nothing that is appended can have a line break in it.
 */
#ifndef CR_RPC_H
#define CR_RPC_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "mcp/message.h"

#define CR_RPC_LEGACY_VERSION "2025-11-25" /* what initialize offers */
#define CR_RPC_MODERN_VERSION "2026-07-28"

/* Unknown: not found out yet. */
enum cr_era { CR_ERA_UNKNOWN, CR_ERA_MODERN, CR_ERA_LEGACY };

void cr_rpc_discover(struct cr_buf *out, uint64_t id);
void cr_rpc_initialize(struct cr_buf *out, uint64_t id);
void cr_rpc_initialized(struct cr_buf *out);

/* |cursor| is JSON with its quotes; empty: the first page. */
void cr_rpc_list(struct cr_buf *out, enum cr_era era, uint64_t id, const struct cr_buf *cursor);

/*
 * A call without its args, which are JSON without line breaks: returns where in |out| they belong.
 * They can be megabytes, and are sent from where they are. The progress token is the id.
 */
size_t cr_rpc_call(struct cr_buf *out, enum cr_era era, uint64_t id, const char *tool);

void cr_rpc_cancelled(struct cr_buf *out, uint64_t id, const char *reason);

/* The answer to |request|, which a server sent: a ping gets {}, all else "not found". */
void cr_rpc_answer(struct cr_buf *out, const struct cr_message *request);

/* Is |version| a revision of the legacy era that caprun speaks? */
int cr_rpc_is_legacy_version(const char *version);

#endif
