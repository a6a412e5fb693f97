/*
 * spec.h - the inputs of a run: code, args, limits, tools. They do not change once it has started.
 */
#ifndef CR_SPEC_H
#define CR_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "policy/tool_list.h"
#include "wire.h"

struct cr_run_limits {
    uint64_t memory; /* this limit and the others: 0 until the start if none was set */
    uint32_t wall_ms;
    uint32_t cpu_ms;
    uint32_t call_ms; /* for one call */
    struct wire_limits most;
};

struct cr_spec {
    char id[37];
    struct cr_buf code, args;
    char code_name[WIRE_NAME_MAX + 1]; /* file name of the code in stacks; "": from its digest */
    uint32_t wording;                  /* enum wire_wording: how the engine words its errors */
    uint32_t language;                 /* enum wire_language */
    struct cr_buf schema, env;         /* may be empty */
    struct cr_buf origin;      /* JSON for the recorder: where the code came from; may be empty */
    char caller[5 * 64 + 5];   /* for rules: the capability's four-part name; "": other code */
    struct cr_tool_list tools; /* if it is set, the run may call only these */
    struct cr_run_limits limits;
    struct {
        uint64_t memory;
        uint32_t wall_ms, cpu_ms;
    } recorded; /* limits of the journal that are above |limits|; 0: not above */
    uint8_t seed[WIRE_SEED_MATH + WIRE_SEED_CRYPTO];
    bool has_seed; /* |seed| is set; otherwise it is made at the start */
    bool stop_when_denied;
    bool by_environment; /* the environment has accepted the configuration, not a person */
    bool allow_declared; /* calls in |tools| that would ask are allowed */
};

/* Names the code by its digest: stacks show cap:1a2b3c4d, and no path of the host. */
void cr_spec_name_code(struct cr_spec *spec, const uint8_t digest[CR_HASH_BYTES]);

#endif
