/*
 * run_limits.h - the limits that host and worker share: the defaults of limits that a user may set,
 * and fixed maximums.
 */
#ifndef CAPRUN_RUN_LIMITS_H
#define CAPRUN_RUN_LIMITS_H

#define LIMIT_KIB 1024u
#define LIMIT_MIB (1024u * LIMIT_KIB)

#define LIMIT_CODE_BYTES (1u * LIMIT_MIB)
#define LIMIT_ARGS_BYTES (16u * LIMIT_MIB) /* the args of a run, and of one call */
#define LIMIT_SCHEMA_BYTES (1u * LIMIT_MIB)
#define LIMIT_ENV_BYTES (256u * LIMIT_KIB)
#define LIMIT_LOG_LINES 10000u
#define LIMIT_TOOLS 10000u                   /* names in a capability's list of tools */
#define LIMIT_ANSWER_BYTES (64u * LIMIT_MIB) /* to one call */

/* Attempts to use denied APIs: how many are listed, and the longest texts. */
#define LIMIT_BLOCKED 1000u
#define LIMIT_DENIED_API_BYTES 128u
#define LIMIT_DENIED_ACCESS_BYTES 16u
#define LIMIT_DENIED_TARGET_BYTES 1024u
#define LIMIT_DENIED_MESSAGE_BYTES (2u * LIMIT_KIB)

/* Texts of an error: enough for a person, too little to flood the host. */
#define LIMIT_ERROR_NAME_BYTES 256u
#define LIMIT_ERROR_MESSAGE_BYTES (64u * LIMIT_KIB)
#define LIMIT_ERROR_STACK_BYTES (16u * LIMIT_KIB)

#define LIMIT_NAMESPACE_CHARS 64u
#define LIMIT_ACTION_CHARS 128u
#define LIMIT_TOOL_CHARS (LIMIT_NAMESPACE_CHARS + 1u + LIMIT_ACTION_CHARS) /* "ns:action" */

#define LIMIT_JS_STACK_BYTES (1u * LIMIT_MIB)

/*
 * The default and the maximum of what can be set for a run. The host keeps about a hundred bytes
 * for each call until the run ends, a kilobyte if the call failed, and for each open call the space
 * for its failure.
 */
#define LIMIT_DEFAULT_RESULT_BYTES (16u * LIMIT_MIB)
#define LIMIT_MAX_RESULT_BYTES (64u * LIMIT_MIB)
#define LIMIT_DEFAULT_LOG_BYTES (1u * LIMIT_MIB)
#define LIMIT_MAX_LOG_BYTES (16u * LIMIT_MIB)
#define LIMIT_DEFAULT_CALLS 10000u
#define LIMIT_MAX_CALLS 100000u
#define LIMIT_DEFAULT_CALLS_AT_ONCE 256u
#define LIMIT_MAX_CALLS_AT_ONCE 1024u

#define LIMIT_DEFAULT_MEMORY_BYTES (512ull * LIMIT_MIB)
#define LIMIT_MAX_MEMORY_BYTES (16ull * 1024 * LIMIT_MIB)
#define LIMIT_DEFAULT_WALL_MS (300u * 1000u)
#define LIMIT_DEFAULT_CALL_MS (30u * 1000u)
#define LIMIT_MAX_MS (24u * 24u * 3600u * 1000u) /* 24 days fit in 31 bits of milliseconds */

#endif
