/*
 * own_server.h - an MCP server inside the test program that uses it: `test_server serve WORD...`.
 *
 * It writes each received line, and each start, to the file "trace" in its directory. It behaves
 * like a server of its era, except as these words say:
 *
 *     modern, both        the era; legacy by default
 *     only-legacy         server/discover offers a version of the legacy era
 *     late                the answer to server/discover comes after the next line, twice
 *     exit-first          exits on server/discover
 *     exit                exits at once
 *     silent=METHOD       never answers METHOD
 *     bad-list            a second list is an error
 *     stay                does not exit when its input ends
 *     big-answer          the first answer is over 1 MiB, and has few values
 *     rich-answer         the first answer is under 1 MiB, and has 200,000 values
 *     big-error           the first answer is an error of 100 KiB
 *     big-list            the list is of 2 pages, 300 KiB each
 *     too-big-list        the list is over 4 MiB
 *
 * Its tools are in own_tools.
 */
#ifndef OWN_SERVER_H
#define OWN_SERVER_H

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const own_tools[] = {
    "echo",     /* answers with its args */
    "hold",     /* answers when "release" is called, like all earlier "hold" calls */
    "release",  /* see above */
    "crash",    /* writes "oh no", exits with status 3 */
    "leave",    /* closes its output, and exits with status 6 when a file "go" exists */
    "deaf",     /* answers, and then reads no further line */
    "progress", /* reports progress twice, once with a wrong token, and answers */
    "error",    /* a JSON-RPC error with a long message */
    "question", /* a result that asks for input */
    "long",     /* the same, but the request for input comes after 300 KiB */
    "changed",  /* answers, and reports that the list has changed */
    "wrong",    /* sends answers with other ids, two of its own, and noise */
    "ask",      /* sends three requests before it answers */
};

static char **own_words;
static char own_held[64][80]; /* the ids of the held calls */
static int own_held_count, own_lists;
static char own_late_id[80];

static inline bool own_is_told(const char *word)
{
    for (char **at = own_words; *at; at++)
        if (strcmp(*at, word) == 0)
            return true;
    return false;
}

__attribute__((format(printf, 1, 2))) static inline void own_say(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    (void)vprintf(fmt, ap);
    va_end(ap);
    (void)putchar('\n');
    (void)fflush(stdout);
}

#define OWN_RESULT "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":"

static inline void own_trace(const char *line)
{
    int fd = open("trace", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    (void)dprintf(fd, "%s\n", line);
    (void)close(fd);
}

/* Gets the text between |before| and |end|, cut to the size of |ret|; "" if not found. */
static inline void own_find(const char *line, const char *before, const char *end, char ret[80])
{
    const char *at = strstr(line, before);
    size_t len = 0;

    if (at) {
        at += strlen(before);
        len = strcspn(at, end);
        len = len < 79 ? len : 79;
        memcpy(ret, at, len);
    }
    ret[len] = '\0';
}

static inline void own_leave(void)
{
    (void)signal(SIGTERM, SIG_IGN);
    (void)fclose(stdout);
    for (int i = 0; i < 20000 && access("go", F_OK) < 0; i++)
        (void)usleep(1000);
    _exit(6);
}

static inline void own_call(const char *tool, const char *id, const char *line)
{
    char args[80];

    if (strcmp(tool, "hold") == 0) {
        if (own_held_count < 64)
            (void)snprintf(own_held[own_held_count++], sizeof(own_held[0]), "%s", id);
        return;
    }
    if (strcmp(tool, "crash") == 0) {
        (void)fputs("oh no\n", stderr);
        _exit(3);
    }
    if (strcmp(tool, "leave") == 0)
        own_leave();
    if (strcmp(tool, "error") == 0) {
        own_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32000,\"message\":\"no luck "
                "%02000d\"}}",
                id, 0);
        return;
    }
    for (; strcmp(tool, "release") == 0 && own_held_count; own_held_count--)
        own_say(OWN_RESULT "{\"held\":true}}", own_held[own_held_count - 1]);
    for (int i = 0; strcmp(tool, "progress") == 0 && i < 3; i++)
        own_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications\\/progress\",\"params\":"
                "{\"progressToken\":%s%s,\"progress\":%d}}",
                i == 1 ? "99" : "", id, i);
    if (strcmp(tool, "changed") == 0)
        own_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
    if (strcmp(tool, "wrong") == 0)
        own_say("starting ...\n" OWN_RESULT "{\"x\":1}}\n{\"result\":{},\"id\":null}", "77777");
    if (strcmp(tool, "ask") == 0)
        own_say(
            "{\"jsonrpc\":\"2.0\",\"id\":\"q-1\",\"method\":\"ping\"}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":-7,\"method\":\"roots/list\"}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"sampling/createMessage\",\"params\":{}}");
    if (strcmp(tool, "long") == 0) {
        own_say(OWN_RESULT "{\"text\":\"%0307200d\",\"resultType\":\"input_required\"}}", id, 0);
        return;
    }
    own_find(line, "\"arguments\":", ",", args);
    own_say(OWN_RESULT "{%s\"tool\":\"%s\",\"args\":%s}}", id,
            strcmp(tool, "question") == 0 ? "\"resultType\":\"input_required\"," : "", tool, args);
    if (strcmp(tool, "wrong") == 0)
        own_say(OWN_RESULT "{\"again\":true}}", id);
    if (strcmp(tool, "deaf") == 0)
        for (;;)
            (void)pause();
}

static inline void own_list(const char *id)
{
    if (++own_lists > 1 && own_is_told("bad-list")) {
        own_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32603,\"message\":\"busy\"}}",
                id);
        return;
    }
    if (own_is_told("too-big-list")) {
        own_say(OWN_RESULT "{\"tools\":[],\"x\":\"%05000000d\"}}", id, 0);
        return;
    }
    if (own_is_told("big-list") && own_lists % 2) {
        own_say(OWN_RESULT "{\"tools\":[],\"x\":\"%0307200d\",\"nextCursor\":\"2\"}}", id, 0);
        return;
    }
    (void)printf(OWN_RESULT "{\"ttlMs\":120000,", id);
    if (own_is_told("big-list"))
        (void)printf("\"x\":\"%0307200d\",", 0);
    (void)printf("\"tools\":[");
    for (size_t i = 0; i < sizeof(own_tools) / sizeof(own_tools[0]); i++)
        (void)printf("%s{\"name\":\"%s\"}", i ? "," : "", own_tools[i]);
    own_say("]}}");
}

static inline void own_discover(const char *id)
{
    own_say(OWN_RESULT "{\"supportedVersions\":[\"%s\"],\"_meta\":{"
                       "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"own\"}}}}",
            id, own_is_told("only-legacy") ? "2025-06-18" : "2026-07-28");
}

/* Sends the first answer, if the words ask for an oversized one. */
static inline bool own_exaggerate(const char *id)
{
    if (own_is_told("big-answer")) {
        own_say(OWN_RESULT "{\"protocolVersion\":\"2025-06-18\",\"x\":\"%02000000d\"}}", id, 0);
    } else if (own_is_told("rich-answer")) {
        (void)printf(OWN_RESULT "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":[0", id);
        for (int i = 0; i < 200000; i++)
            (void)fputs(",0", stdout);
        own_say("]}}");
    } else if (own_is_told("big-error")) {
        own_say(
            "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32022,\"message\":\"%0102400d\"}}",
            id, 0);
    } else {
        return false;
    }
    return true;
}

/* Must |method| stay unanswered? */
static inline bool own_is_silent(const char *method)
{
    char silent[100];

    (void)snprintf(silent, sizeof(silent), "silent=%s", method);
    return own_is_told(silent);
}

static inline void own_request(const char *method, const char *tool, const char *id,
                               const char *line)
{
    bool modern = own_is_told("modern"), both = own_is_told("both");

    if (own_is_silent(method))
        return;
    if ((strcmp(method, "initialize") == 0 || strcmp(method, "server/discover") == 0) &&
        own_exaggerate(id))
        return;
    if (strcmp(method, "server/discover") == 0 && own_is_told("exit-first"))
        _exit(1);
    if (strcmp(method, "tools/call") == 0)
        own_call(tool, id, line);
    else if (strcmp(method, "tools/list") == 0)
        own_list(id);
    else if (strcmp(method, "server/discover") == 0 && own_is_told("late"))
        (void)snprintf(own_late_id, sizeof(own_late_id), "%s", id);
    else if (strcmp(method, "server/discover") == 0 && (modern || both))
        own_discover(id);
    else if (strcmp(method, "initialize") == 0 && !modern)
        own_say(OWN_RESULT
                "{\"protocolVersion\":\"2025-06-18\",\"serverInfo\":{\"name\":\"own\"}}}",
                id);
    else
        own_say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32601,\"message\":\"what?\"}}",
                id);
}

/* Restarts without the C library's allocation cache, whose blocks would look like leaks. */
static inline void own_count_exactly(char **argv)
{
    if (!getenv("GLIBC_TUNABLES") &&
        setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1) == 0)
        (void)execv("/proc/self/exe", argv);
}

static inline int own_serve(char **words)
{
    static char line[1 << 20];

    own_words = words;
    own_trace("started");
    if (own_is_told("exit"))
        _exit(7);
    while (fgets(line, sizeof(line), stdin)) {
        char id[80], method[80], tool[80];

        line[strcspn(line, "\n")] = '\0';
        own_trace(line);
        own_find(line, "\"id\":", ",", id);
        own_find(line, "\"method\":\"", "\"", method);
        own_find(line, "\"params\":{\"name\":\"", "\"", tool);
        if (own_late_id[0]) {
            own_discover(own_late_id);
            own_discover(own_late_id);
            own_late_id[0] = '\0';
        }
        if (method[0] && id[0])
            own_request(method, tool, id, line);
    }
    while (own_is_told("stay"))
        (void)pause();
    _exit(0);
}

#endif
