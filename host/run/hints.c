/* hints.c - hints for outcomes, and for globals that other platforms have. */
#include "run/hints.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"

static const struct {
    const char *name;
    const char *hint;
} absent[] = {
    {"Buffer", "Buffer is Node's: use Uint8Array, TextEncoder, TextDecoder, btoa and atob"},
    {"Intl", "there are no locales here: format by hand"},
    {"setImmediate", "use queueMicrotask() or setTimeout()"},
    {"global", "use globalThis"},
    {"window", "there is no page here; use globalThis for globals"},
    {"document", "there is no page here"},
    {"navigator", "there is no browser here"},
    {"localStorage", "nothing is kept between runs: use args, the result, or a tool"},
    {"sessionStorage", "nothing is kept between runs: use args, the result, or a tool"},
    {"alert", "use console.log()"},
    {"prompt", "use args: code cannot ask the user"},
    {"confirm", "use args: code cannot ask the user"},
    {"module", "use return, or export default"},
    {"exports", "use return, or export default"},
    {"__dirname", "there are no files here: use mcp.<server>.<tool>()"},
    {"__filename", "there are no files here: use mcp.<server>.<tool>()"},
    {"Request", "there is no network here: use mcp.<server>.<tool>()"},
    {"Response", "there is no network here: use mcp.<server>.<tool>()"},
    {"Headers", "there is no network here: use mcp.<server>.<tool>()"},
    {"FormData", "there is no network here: use mcp.<server>.<tool>()"},
    {"Blob", "use Uint8Array"},
    {"File", "use Uint8Array"},
    {"WebAssembly", "only JavaScript runs here"},
    {"SharedArrayBuffer", "a run has one thread: use ArrayBuffer"},
    {"Atomics", "a run has one thread: nothing has to be atomic"},
    {"WeakRef", "use WeakMap or WeakSet"},
    {"FinalizationRegistry", "nothing runs after the code: clean up with finally"},
};

/* Limits that can be raised, and what else helps. */
static const struct {
    enum caprun_outcome outcome;
    enum cr_word setting;
    const char *more;
} limits[] = {
    {CAPRUN_OUTCOME_EXECUTION_TIMEOUT, CR_WORD_TIMEOUT, ""},
    {CAPRUN_OUTCOME_CPU_TIMEOUT, CR_WORD_CPU, ""},
    {CAPRUN_OUTCOME_RPC_TIMEOUT, CR_WORD_CALL_TIMEOUT, ""},
    {CAPRUN_OUTCOME_MEMORY_LIMIT, CR_WORD_MEMORY, "; or keep less at a time"},
    {CAPRUN_OUTCOME_OUTPUT_LIMIT, CR_WORD_RESULT, "; or return less: a summary, or a part"},
    {CAPRUN_OUTCOME_CALL_LIMIT, CR_WORD_CALLS, ""},
};

const char *cr_hints_for_outcome(enum caprun_outcome outcome, char room[CR_HINTS_ROOM])
{
    if (outcome == CAPRUN_OUTCOME_STALLED)
        return "look for a promise that nothing resolves";
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        if (limits[i].outcome != outcome)
            continue;
        (void)snprintf(room, CR_HINTS_ROOM, "raise it with %s%s", cr_words[limits[i].setting],
                       limits[i].more);
        return room;
    }
    return NULL;
}

const char *cr_hints_for(const char *message, size_t len)
{
    static const char before[] = "ReferenceError: ", after[] = " is not defined";
    const size_t head = sizeof(before) - 1, tail = sizeof(after) - 1;

    if (len <= head + tail || memcmp(message, before, head) != 0 ||
        memcmp(message + len - tail, after, tail) != 0)
        return NULL;
    message += head;
    len -= head + tail;
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
        if (strlen(absent[i].name) == len && memcmp(absent[i].name, message, len) == 0)
            return absent[i].hint;
    return NULL;
}
