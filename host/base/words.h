/*
 * words.h - what messages and hints call the settings that their reader can change: the user of the
 * command has its options, a program that embeds the library has functions.
 *
 * Each program has one set of words, chosen when it is linked: words.c defines cr_words for the
 * library; the command is linked with cli/words.c, which defines it first, so that the linker
 * leaves words.c out.
 */
#ifndef CR_WORDS_H
#define CR_WORDS_H

/* An option and the same limit in the configuration, which only the command reads. */
#define CR_WORDS_KEY(key) "\"limits\": {\"" key "\": …} in .caprun.json"
#define CR_WORDS_EITHER(option, key) option ", or " CR_WORDS_KEY(key)

/* name, in the library, in the command */
#define CR_WORDS(X)                                                                               \
    X(TIMEOUT, "caprun_run_set_timeout()", CR_WORDS_EITHER("--timeout", "timeoutMs"))             \
    X(CPU, "caprun_run_set_cpu()", CR_WORDS_EITHER("--cpu", "cpuMs"))                             \
    X(CALL_TIMEOUT, "caprun_run_set_call_timeout()",                                              \
      CR_WORDS_EITHER("--rpc-timeout", "rpcTimeoutMs"))                                           \
    X(MEMORY, "caprun_run_set_memory()", CR_WORDS_EITHER("--memory", "memoryMB"))                 \
    X(RESULT, "caprun_run_set_max_result()", CR_WORDS_KEY("resultBytes"))                         \
    X(CALLS, "caprun_run_set_max_calls()", CR_WORDS_KEY("maxCalls"))                              \
    X(CONFIG, "caprun_set_config()", "--config")                                                  \
    X(FROZEN, "caprun_set_frozen()", "--frozen")                                                  \
    X(RECORD, "caprun_run_record()", "--record")                                                  \
    X(MAKES_JOURNAL, "caprun_run_record() makes one",                                             \
      "--record FILE makes one; caprun runs lists those that caprun has made")                    \
    X(SET_ENV, "caprun_run_set_env()", "caprun replay --env NAME")                                \
    X(RETRY_ALL, "caprun_run_retry() with 0; a number cannot name calls",                         \
      "--retry-unknown; --fail-unknown and --retry-call cannot name calls")                       \
    X(REGISTRY, "in .caprun.json", "with --registry DIR|URL, or in .caprun.json")                 \
    X(PATTERN, "caprun_permit(): ", "--") /* then "deny" or "ask", and the pattern */             \
    X(ALLOW, "permit it with caprun_permit(): ", "allow it with --allow ") /* then the pattern */ \
    X(APPROVE, "caprun_run_resume() continues it; run ", "decide with: caprun approve ")          \
    X(GET_PROCESSES,                                                                              \
      "raise the limits of this process, or lower caprun_set_max_workers(); see caprun_doctor()", \
      "raise the limit of descriptors or processes; caprun doctor shows whether the sandbox "     \
      "works here")

#define CR_WORDS_NAME(name, library, command) CR_WORD_##name,
enum cr_word { CR_WORDS(CR_WORDS_NAME) CR_WORD_COUNT };
#undef CR_WORDS_NAME

/* The words of this program. */
extern const char *const cr_words[CR_WORD_COUNT];

#endif
