/*
 * fake_scenes.h - the scenes that the fake worker can play, one per function. Part of
 * fake_worker.h.
 */
#ifndef FAKE_SCENES_H
#define FAKE_SCENES_H

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fake_frames.h"

/* --- scenes: frames ----------------------------------------------------------------------- */

struct fake_job {
    struct wire_header header;
    char scene[256];
    long number; /* the number after the scene's name, or 0 */
};

static void honest(const struct fake_job *job)
{
    (void)job;
    fake_text(WIRE_DONE, "42");
}

/* A header that promises |number| bytes of payload, and only a few bytes. */
static void call_of_length(const struct fake_job *job)
{
    fake_header((uint32_t)job->number, WIRE_CALL, 1);
    fake_put("12345678", 8);
}

static void done_of_length(const struct fake_job *job)
{
    fake_header((uint32_t)job->number, WIRE_DONE, 0);
    fake_put("12345678", 8);
}

/* An error of code that used |number| KiB of memory. */
static void threw_taking(const struct fake_job *job)
{
    struct wire_threw threw = {.why = WIRE_WHY_THREW, .message_len = 2};

    fake_header(sizeof(threw) + 2, WIRE_THREW, (uint32_t)job->number);
    fake_put(&threw, sizeof(threw));
    fake_put("no", 2);
}

/* The result of a run that used |number| KiB of memory. */
static void done_taking(const struct fake_job *job)
{
    fake_header(2, WIRE_DONE, (uint32_t)job->number);
    fake_put("42", 2);
}

static void type(const struct fake_job *job)
{
    static const uint8_t zeros[64];

    fake_header(job->number == WIRE_JOB ? sizeof(zeros) : 0, (unsigned)job->number, 0);
    fake_put(zeros, job->number == WIRE_JOB ? sizeof(zeros) : 0);
}

static void reserved_field(const struct fake_job *job)
{
    struct wire_header header = {.length = 2, .type = WIRE_DONE};

    header.zero = job->number == 0;
    header.left_ms = job->number == 1;
    header.date_us = job->number == 2;
    header.now_us = job->number == 3;
    fake_put(&header, sizeof(header));
    fake_put("42", 2);
}

static void cut_frame(const struct fake_job *job)
{
    struct wire_header header = {.length = 100, .type = WIRE_DONE};
    uint8_t bytes[sizeof(header) + 100] = {0};

    memcpy(bytes, &header, sizeof(header));
    fake_put(bytes, (size_t)job->number);
    _exit(0);
}

/* Two lines of log and a result, as one run of bytes. */
static size_t stream(uint8_t *bytes)
{
    static const struct {
        enum wire_type type;
        const char *text;
    } frames[] = {{WIRE_LOG, "first"}, {WIRE_LOG, ""}, {WIRE_DONE, "42"}};
    size_t len = 0;

    for (size_t i = 0; i < COUNT(frames); i++) {
        struct wire_header header = {.type = (uint16_t)frames[i].type};

        header.length = (uint32_t)strlen(frames[i].text);
        memcpy(bytes + len, &header, sizeof(header));
        memcpy(bytes + len + sizeof(header), frames[i].text, header.length);
        len += sizeof(header) + header.length;
    }
    return len;
}

#define STREAM_MAX 128

/* The stream in two writes, cut at |number|; if 0, in one write. */
static void split_stream(const struct fake_job *job)
{
    uint8_t bytes[STREAM_MAX];
    size_t len = stream(bytes), at = (size_t)job->number % len;

    fake_put(bytes, at);
    fake_drain();
    fake_put(bytes + at, len - at);
}

static void stream_by_bytes(const struct fake_job *job)
{
    uint8_t bytes[STREAM_MAX];

    (void)job;
    fake_put_in_pieces(bytes, stream(bytes), 1);
}

/* --- scenes: calls ------------------------------------------------------------------------ */

static void put_call(uint32_t id, const char *ns, const char *action, const char *args)
{
    struct wire_call call = {(uint32_t)strlen(ns), (uint32_t)strlen(action)};

    fake_header((uint32_t)(sizeof(call) + strlen(ns) + strlen(action) + strlen(args)), WIRE_CALL,
                id);
    fake_put(&call, sizeof(call));
    fake_put(ns, strlen(ns));
    fake_put(action, strlen(action));
    fake_put(args, strlen(args));
}

static void put_threw(uint32_t why, uint32_t call, uint32_t blocked, const char *name,
                      const char *message, const char *stack)
{
    struct wire_threw threw = {
        .why = why,
        .call = call,
        .blocked = blocked,
        .name_len = (uint32_t)strlen(name),
        .message_len = (uint32_t)strlen(message),
        .stack_len = (uint32_t)strlen(stack),
    };

    fake_header((uint32_t)(sizeof(threw) + strlen(name) + strlen(message) + strlen(stack)),
                WIRE_THREW, 0);
    fake_put(&threw, sizeof(threw));
    fake_put(name, strlen(name));
    fake_put(message, strlen(message));
    fake_put(stack, strlen(stack));
}

/* Makes one call, waits for the failure, and throws it again. */
static void call_and_throw(const struct fake_job *job)
{
    static const char *const args[] = {"{}", "{\"a\":", "{\n}", "[1,\r\n2]", "{}\n{\"id\":1}"};
    struct wire_header header;

    put_call(1, "files", "read", args[job->number]);
    free(fake_next(&header));
    if (header.type != WIRE_FAIL || header.id != 1)
        _exit(WIRE_EXIT_FRAME);
    put_threw(WIRE_WHY_THREW, 1, 0, "Error", "words of the worker's own", "");
}

static void first_call_id(const struct fake_job *job)
{
    put_call((uint32_t)job->number, "files", "read", "{}");
}

static void call_id_again(const struct fake_job *job)
{
    (void)job;
    put_call(1, "files", "read", "{}");
    put_call(1, "files", "read", "{}");
}

static void call_name(const struct fake_job *job)
{
    static const char *const names[][2] = {
        {"", "read"},       {"files", ""},       {"fi les", "read"},  {"files", "re ad"},
        {"fi:les", "read"}, {"files", "re:ad"},  {"fi.les", "read"},  {"f\xc3\xa9", "read"},
        {"files", "\x01"},  {"files\n", "read"}, {"files", "read\""},
    };

    put_call(1, names[job->number][0], names[job->number][1], "{}");
}
#define CALL_NAMES 11

static void long_call_name(const struct fake_job *job)
{
    char ns[200] = {0}, action[200] = {0};

    memset(ns, 'n', job->number ? LIMIT_NAMESPACE_CHARS : LIMIT_NAMESPACE_CHARS + 1);
    memset(action, 'a', job->number ? LIMIT_ACTION_CHARS + 1 : LIMIT_ACTION_CHARS);
    put_call(1, ns, action, "{}");
}

static void call_lengths(const struct fake_job *job)
{
    static const struct wire_call lies[] = {
        {9, 1}, {1, 9}, {UINT32_MAX, 1}, {1, UINT32_MAX}, {UINT32_MAX, UINT32_MAX}, {0, 0},
    };

    fake_header(sizeof(struct wire_call) + 9, WIRE_CALL, 1);
    fake_put(&lies[job->number], sizeof(lies[0]));
    fake_put("abcdefghi", 9);
}
#define CALL_LENGTHS 6

/* Makes many calls, and never reads an answer. */
static void many_calls(const struct fake_job *job)
{
    for (long i = 1; i <= job->number; i++)
        put_call((uint32_t)i, "files", "read", "{}");
}

static void many_calls_and_done(const struct fake_job *job)
{
    many_calls(job);
    honest(job);
}

/* Makes one call, waits for its failure, and reports that the code does not compile. */
static void call_and_syntax(const struct fake_job *job)
{
    struct wire_header header;

    (void)job;
    put_call(1, "files", "read", "{}");
    free(fake_next(&header));
    put_threw(WIRE_WHY_SYNTAX, 1, 0, "SyntaxError", "words of the worker's own", "");
}

/* Makes |number| calls, then throws the error of a call that has no answer yet. */
static void calls_and_a_throw(const struct fake_job *job)
{
    many_calls(job);
    put_threw(WIRE_WHY_THREW, 1, 0, "Error", "of a call that has not failed", "");
}

/* --- scenes: attempts --------------------------------------------------------------------- */

static void put_blocked(uint32_t id, const char *target)
{
    static const char before[] = "fetchnet", message[] = "no; use mcp";
    struct wire_blocked blocked = {5, 3, (uint32_t)strlen(target), sizeof(message) - 1, 7};

    fake_header(
        (uint32_t)(sizeof(blocked) + sizeof(before) - 1 + strlen(target) + sizeof(message) - 1),
        WIRE_BLOCKED, id);
    fake_put(&blocked, sizeof(blocked));
    fake_put(before, sizeof(before) - 1);
    fake_put(target, strlen(target));
    fake_put(message, sizeof(message) - 1);
}

static void attempts(const struct fake_job *job)
{
    for (long i = 1; i <= job->number; i++)
        put_blocked((uint32_t)i, i % 2 ? "evil.example" : "");
    honest(job);
}

static void attempt_of_number(const struct fake_job *job)
{
    put_blocked((uint32_t)job->number, "");
    honest(job);
}

static void attempt_and_throw(const struct fake_job *job)
{
    for (long i = 1; i <= job->number; i++)
        put_blocked((uint32_t)i, "");
    put_threw(WIRE_WHY_THREW, 0, 1, "PermissionDenied", "words of the worker's own", "");
}

/* A message with a NUL before the text that says what to use instead. */
static void attempt_with_nul(const struct fake_job *job)
{
    static const struct wire_blocked blocked = {0, 0, 0, LIMIT_DENIED_MESSAGE_BYTES, 1};
    static const char nothing[LIMIT_DENIED_MESSAGE_BYTES];

    (void)job;
    fake_header(sizeof(blocked) + sizeof(nothing), WIRE_BLOCKED, 1);
    fake_put(&blocked, sizeof(blocked));
    fake_put(nothing, sizeof(nothing));
    put_threw(WIRE_WHY_THREW, 0, 1, "PermissionDenied", "", "");
}

static void attempt_lengths(const struct fake_job *job)
{
    static const struct wire_blocked lies[] = {
        {3, 3, 3, 1, 0},          {3, 3, 2, 0, 0},          {UINT32_MAX, 3, 3, 2, 0},
        {3, UINT32_MAX, 3, 2, 0}, {3, 3, UINT32_MAX, 2, 0}, {3, 3, 2, UINT32_MAX, 0},
        {3, 3, 2, 1, 2},          {3, 3, 2, 1, UINT32_MAX}, {0, 9, UINT32_MAX, 1, 0},
    };

    fake_header(sizeof(lies[0]) + 9, WIRE_BLOCKED, 1);
    fake_put(&lies[job->number], sizeof(lies[0]));
    fake_put("abcdefghi", 9);
    honest(job);
}
#define ATTEMPT_LENGTHS 9

/* One part of its maximal length plus |number| / 4; the other parts are empty. */
static void attempt_of_long_part(const struct fake_job *job)
{
    static const uint32_t most[] = {LIMIT_DENIED_API_BYTES, LIMIT_DENIED_ACCESS_BYTES,
                                    LIMIT_DENIED_TARGET_BYTES, LIMIT_DENIED_MESSAGE_BYTES};
    uint32_t len = most[job->number % 4] + (uint32_t)job->number / 4;
    struct wire_blocked blocked = {0};
    char text[LIMIT_DENIED_MESSAGE_BYTES + 1];

    memset(text, 'x', sizeof(text));
    memcpy((uint32_t *)&blocked + job->number % 4, &len, sizeof(len));
    fake_header((uint32_t)sizeof(blocked) + len, WIRE_BLOCKED, 1);
    fake_put(&blocked, sizeof(blocked));
    fake_put(text, len);
    honest(job);
}

/* --- scenes: waiting ---------------------------------------------------------------------- */

static void idle_beyond(const struct fake_job *job)
{
    (void)job;
    fake_idle(2, 0);
}

static void idle_before(const struct fake_job *job)
{
    fake_idle(0, -1);
    honest(job);
}

static void idle_again(const struct fake_job *job)
{
    fake_idle((uint32_t)job->number, INT64_MAX);
    fake_idle((uint32_t)job->number, INT64_MAX);
    honest(job);
}

static void idle_without_timer(const struct fake_job *job)
{
    fake_idle(1, job->number ? INT64_MIN : -1);
}

static void idle_for_ever(const struct fake_job *job)
{
    fake_idle(1, job->number ? INT64_MAX - job->number : INT64_MAX);
}

/* Asks three times to be woken at a past time, and gets a WAKE each time. */
static void idle_in_the_past(const struct fake_job *job)
{
    struct wire_header header;

    for (uint32_t frames = 1; frames <= 3; frames++) {
        fake_idle(frames, 0);
        free(fake_next(&header));
        if (header.type != WIRE_WAKE || header.now_us < 0 || !header.left_ms)
            _exit(WIRE_EXIT_FRAME);
    }
    honest(job);
}

static void idle_a_while(const struct fake_job *job)
{
    int64_t wake_us = job->header.now_us + 20000;
    struct wire_header header;

    fake_idle(1, wake_us);
    free(fake_next(&header));
    if (header.type != WIRE_WAKE || header.now_us < wake_us)
        _exit(WIRE_EXIT_FRAME);
    honest(job);
}

static void says_nothing(const struct fake_job *job)
{
    (void)job;
}

/* Writes a log line, so that the host knows that it has read its job. */
static void says_a_word(const struct fake_job *job)
{
    (void)job;
    fake_text(WIRE_LOG, "word");
}

static void late_early(const struct fake_job *job)
{
    (void)job;
    fake_text(WIRE_LATE, "at once");
}

static void late_in_time(const struct fake_job *job)
{
    fake_sleep_ms(job->header.left_ms);
    fake_text(WIRE_LOG, "the last words");
    fake_text(WIRE_LATE, "    at loop");
}

static void done_after_the_limit(const struct fake_job *job)
{
    fake_sleep_ms(job->header.left_ms + 5);
    done_taking(job);
}

/* Uses |number| ms of CPU time. */
static void computes(const struct fake_job *job)
{
    struct timespec used;

    do
        (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < job->number);
    honest(job);
}

static void gone_after_the_limit(const struct fake_job *job)
{
    fake_sleep_ms(job->header.left_ms + 5);
    _exit(WIRE_EXIT_SOCKET);
}

/* --- scenes: ends ------------------------------------------------------------------------- */

static void done(const struct fake_job *job)
{
    static const char *const texts[] = {
        "{", "nul", "1 2", "\xff", "\"\xc3\"", "\357\273\2771", "undefined", "'a'", " ", "[1,]",
    };

    fake_text(WIRE_DONE, texts[job->number]);
}
#define BAD_RESULTS 10

static void done_with_equal_keys(const struct fake_job *job)
{
    (void)job;
    fake_text(WIRE_DONE, "{\"a\":1,\"a\":2}");
}

static void done_of_depth(const struct fake_job *job)
{
    size_t depth = (size_t)job->number;
    char *text = malloc(2 * depth);

    if (!text)
        _exit(WIRE_EXIT_SOCKET);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    fake_frame(WIRE_DONE, 0, text, 2 * depth);
    free(text);
}

/* Sends frames after the last one; the host must ignore them. */
static void done_twice(const struct fake_job *job)
{
    honest(job);
    fake_text(WIRE_DONE, "43");
    put_threw(WIRE_WHY_THREW, 0, 0, "Error", "after the end", "");
}

static void threw(const struct fake_job *job)
{
    put_threw((uint32_t)job->number, 0, 0, "TypeError", "x is not a function", "    at f");
}

static void threw_lengths(const struct fake_job *job)
{
    static const struct wire_threw lies[] = {
        {1, 0, 0, 3, 3, 4},
        {1, 0, 0, 3, 3, 2},
        {1, 0, 0, UINT32_MAX, 5, 5},
        {1, 0, 0, 5, UINT32_MAX, 5},
        {1, 0, 0, 5, 5, UINT32_MAX},
        {1, 0, 0, UINT32_MAX, UINT32_MAX, 11},
        {1, 1, 0, 3, 3, 3},
        {1, UINT32_MAX, 0, 3, 3, 3},
        {1, 0, 1, 3, 3, 3},
        {1, 0, LIMIT_BLOCKED, 3, 3, 3},
        {1, 0, LIMIT_BLOCKED + 1, 3, 3, 3},
        {1, 0, LIMIT_BLOCKED + 2, 3, 3, 3},
        {1, 0, UINT32_MAX, 3, 3, 3},
    };

    fake_header(sizeof(lies[0]) + 9, WIRE_THREW, 0);
    fake_put(&lies[job->number], sizeof(lies[0]));
    fake_put("abcdefghi", 9);
}
#define THREW_LENGTHS 13

/* One part of its maximal length plus |number| / 3; the other parts are empty. */
static void threw_long_part(const struct fake_job *job)
{
    static const uint32_t most[] = {LIMIT_ERROR_NAME_BYTES, LIMIT_ERROR_MESSAGE_BYTES,
                                    LIMIT_ERROR_STACK_BYTES};
    uint32_t len = most[job->number % 3] + (uint32_t)job->number / 3;
    struct wire_threw threw = {.why = WIRE_WHY_THREW};
    char text[LIMIT_ERROR_MESSAGE_BYTES + 1];

    memset(text, 'x', sizeof(text));
    memcpy(&threw.name_len + job->number % 3, &len, sizeof(len));
    fake_header((uint32_t)sizeof(threw) + len, WIRE_THREW, 0);
    fake_put(&threw, sizeof(threw));
    fake_put(text, len);
}

static void full(const struct fake_job *job)
{
    (void)job;
    fake_header(0, WIRE_FULL, 0);
}

static void log_lines(const struct fake_job *job)
{
    for (long i = 0; i < job->number; i++)
        fake_text(WIRE_LOG, "x");
    honest(job);
}

/* |count| lines, each as long as the whole log may be. */
static void fake_long_lines(int count)
{
    char *line = calloc(1, LIMIT_DEFAULT_LOG_BYTES);

    if (!line)
        _exit(WIRE_EXIT_SOCKET);
    for (int i = 0; i < count; i++)
        fake_frame(WIRE_LOG, 0, line, LIMIT_DEFAULT_LOG_BYTES);
    free(line);
}

/* One line as long as the whole log may be, and |number| more bytes. */
static void log_bytes(const struct fake_job *job)
{
    fake_long_lines(1);
    log_lines(job);
}

static void log_bytes_twice(const struct fake_job *job)
{
    fake_long_lines(2);
    log_lines(job);
}

static void exits(const struct fake_job *job)
{
    _exit((int)job->number);
}

static void dies(const struct fake_job *job)
{
    sigset_t all;

    /* a sanitizer may have installed a handler */
    (void)signal((int)job->number, SIG_DFL);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_UNBLOCK, &all, NULL);
    (void)raise((int)job->number);
}

static void closes(const struct fake_job *job)
{
    if (job->number)
        (void)shutdown(WIRE_FD, SHUT_RDWR);
    else
        (void)close(WIRE_FD);
}

static void says_done_and_exits(const struct fake_job *job)
{
    honest(job);
    _exit(WIRE_EXIT_SOCKET);
}

#endif
