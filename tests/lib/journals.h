/*
 * journals.h - makes journals for tests: adds hashes to hand-written lines, and writes them to the
 * directory of scratch.h.
 *
 *     journal_begin(HEAD) -> journal_add(…)... -> journal_put("x.jsonl")
 */
#ifndef JOURNALS_H
#define JOURNALS_H

#include <stdarg.h>

#include "base/buf.h"
#include "journal/line.h"
#include "scratch.h"

#define SEED "00000000000000000000000000000000000000000000000000000000000000000000000000000000"
#define LIMITS                                                                         \
    "\"limits\":{\"timeoutMs\":1000,\"cpuMs\":1000,\"rpcTimeoutMs\":1000,"             \
    "\"memoryBytes\":33554432,\"resultBytes\":1000,\"logBytes\":1000,\"maxCalls\":10," \
    "\"maxConcurrentCalls\":4}"
#define HEAD_BEFORE_NAME                                                              \
    "{\"journal\":2,\"run\":\"01234567-89ab-7def-8123-456789abcdef\",\"time\":\"t\"," \
    "\"caprun\":\"0\",\"engine\":\"e\",\"prelude\":\"p\",\"boot\":\"b\"," LIMITS      \
    ",\"onDenied\":\"continue\",\"seed\":\"" SEED "\""
#define HEAD_START HEAD_BEFORE_NAME ",\"codeName\":\"cap:0\""
#define HEAD HEAD_START ",\"code\":\"return 1\",\"args\":{\"a\":[1]}"
#define JOB "{\"at\":0,\"to\":\"job\",\"date\":1000000"
#define CALL(at, n) "{\"at\":" #at ",\"from\":\"call\",\"n\":" #n ",\"method\":\"a:b\",\"args\":{}"
#define SEND(at, n, tool)                                                                         \
    "{\"at\":" #at ",\"send\":" #n ",\"tool\":\"" tool "\",\"decision\":\"allow\",\"by\":\"rule:" \
    "x\""
#define RESUME "{\"at\":1,\"resume\":true,\"date\":5,\"boot\":\"b\""
#define STALLED(at) "{\"at\":" #at ",\"end\":\"STALLED\",\"calls\":0,\"cpuUs\":1,\"memoryBytes\":1"
#define END(at) "{\"at\":" #at ",\"end\":\"SUCCESS\",\"calls\":0,\"cpuUs\":1,\"memoryBytes\":1"

static struct cr_buf journal_text;
static uint8_t journal_chain[CR_HASH_BYTES];

/* Adds a line, given without its hash and last brace. */
static inline void journal_add(const char *line)
{
    size_t start = journal_text.len;

    cr_buf_str(&journal_text, line);
    cr_line_seal(&journal_text, start, journal_chain);
}

static inline void journal_begin(const char *head)
{
    cr_buf_clear(&journal_text);
    cr_buf_init(&journal_text, 64u << 20);
    memset(journal_chain, 0, sizeof(journal_chain));
    journal_add(head);
}

/* Writes the first |len| bytes of the journal. */
static inline bool journal_put_bytes(const char *name, size_t len)
{
    int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && write(fd, journal_text.data, len) == (ssize_t)len;

    if (fd >= 0)
        (void)close(fd);
    return ok;
}

static inline bool journal_put(const char *name)
{
    return journal_put_bytes(name, journal_text.len);
}

#endif
