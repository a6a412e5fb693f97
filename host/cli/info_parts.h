/*
 * info_parts.h - what the files of `caprun info` share.
 *
 *     info.c       loads the capability, and collects the facts
 *     info_text.c  shows them as text
 *     info_json.c  shows them as JSON
 */
#ifndef CR_CLI_INFO_PARTS_H
#define CR_CLI_INFO_PARTS_H

#include "cli/schema.h"
#include "config/config.h"
#include "policy/policy.h"
#include "registry/registry.h"

#define CR_INFO_REASONS 4096u /* bytes of what is missing */

struct cr_info_tool {
    const char *name; /* "ns:action", as in the metadata */
    struct cr_verdict verdict;
    bool looks_at_args;                    /* a rule with conditions may decide otherwise */
    const struct cr_config_server *server; /* NULL: not configured */
};

struct cr_info {
    const struct cr_config *config;
    bool frozen;
    struct cr_capability c;
    bool is_pinned;
    struct cr_pin pinned; /* if |is_pinned| */
    struct cr_info_tool *tools;
    size_t tool_count;
    struct cr_schema_rows args;
    struct cr_err server_missing; /* text "": no server is missing, or only one that a call needs */
    bool can_start;               /* false: a run would end before its first line */
    /* What is missing, in lines: first what prevents the start, then calls that would fail. */
    struct cr_buf reasons;
};

/* Returns the text |key| of the metadata, or "". */
const char *cr_info_text_of(const struct cr_info *i, const char *key);

/* Returns "not pinned", "same", "changed" or "other version" for the whole capability. */
const char *cr_info_pin_state(const struct cr_info *i);

/* Returns "same", "changed" or "not pinned" for one of the two hashes. */
const char *cr_info_hash_state(const struct cr_info *i, const char *pinned, const char *now);

/* Would a call of |tool| be sent? */
bool cr_info_is_callable(const struct cr_info_tool *tool);

/* Returns "allowed", "would ask" or "denied". */
const char *cr_info_permission(const struct cr_info_tool *tool);

void cr_info_write_text(const struct cr_info *i, struct cr_buf *out);
void cr_info_write_json(const struct cr_info *i, struct cr_buf *out);

#endif
