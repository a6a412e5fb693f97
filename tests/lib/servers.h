/*
 * servers.h - starts scripts of /bin/sh as servers, and keeps what they send.
 *
 *     begin -> start_script, or start -> CHECK_SOON -> end
 *
 * A script has the function |say|, which sends a notification. It holds a lock as descriptor 9,
 * which its children inherit: nobody_is_left() returns true when the whole process tree has ended.
 */
#ifndef SERVERS_H
#define SERVERS_H

#include <errno.h>
#include <stdint.h>
#include <sys/file.h>

#include "failing.h"
#include "mcp/child.h"
#include "scratch.h"
#include "tap.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SAY "say() { printf '{\"jsonrpc\":\"2.0\",\"method\":\"%s\"}\\n' \"$1\"; }\n"
#define LOCK "exec 9>>\"$LOCK\"; flock -s 9;\n"

static struct cr_loop loop;
static bool has_loop;
static struct cr_err err;
static struct cr_child *child;
static const char *guard_path, *work_in;
static const char *const *environment;
static bool is_slow; /* the owner's callbacks take longer than a turn */

static struct seen {
    char said[4096]; /* the methods of notifications, with a space after each */
    char *last;      /* the last message */
    size_t last_len;
    int messages, rooms, endings, too_long;
    bool after_the_end;
} seen;

/* Makes each callback of the owner use up the turn. */
static inline void use_up_turn(void)
{
    int64_t since = cr_loop_now();

    while (is_slow && cr_loop_now() <= since + CR_LOOP_TURN_US)
        ;
}

static inline void on_message(void *data, const struct cr_message *m)
{
    const char *method;
    size_t len = strlen(seen.said);

    (void)data;
    use_up_turn();
    seen.messages++;
    seen.after_the_end = seen.after_the_end || seen.endings;
    seen.too_long += m->kind == CR_MESSAGE_TOO_LONG;
    if (!m->bytes)
        return;
    free(seen.last);
    seen.last = malloc(m->len + 1);
    if (!seen.last)
        return;
    memcpy(seen.last, m->bytes, m->len);
    seen.last[m->len] = '\0';
    seen.last_len = m->len;
    method = strstr(seen.last, "\"method\":\"");
    if (method)
        (void)snprintf(seen.said + len, sizeof(seen.said) - len, "%.*s ",
                       (int)strcspn(method + 10, "\""), method + 10);
}

static inline void on_room(void *data)
{
    (void)data;
    seen.rooms++;
}

static inline void on_ended(void *data)
{
    (void)data;
    seen.endings++;
}

static const struct cr_transport_owner watcher = {
    .message = on_message, .room = on_room, .ended = on_ended};

static inline int64_t patience_us(void)
{
    const char *times = getenv("CAPRUN_TEST_TIMEOUT_MULTIPLIER");

    return 10000000 * (times ? strtol(times, NULL, 10) : 1);
}

/* Steps until |condition| holds, or until the deadline. */
#define CHECK_SOON(condition)                                                \
    do {                                                                     \
        int64_t until_ = cr_loop_now() + patience_us();                      \
        while (!(condition) && cr_loop_now() < until_)                       \
            cr_loop_step(&loop, 10);                                         \
        if (!(condition) && child)                                           \
            printf("# said: %s; why: %s\n", seen.said, cr_child_why(child)); \
        CHECK(condition);                                                    \
    } while (0)

static inline bool begin(void)
{
    guard_path = built_program("caprun-guard");
    work_in = "/";
    environment = NULL;
    is_slow = false;
    free(seen.last);
    seen = (struct seen){.messages = 0};
    child = NULL;
    if (has_loop) {
        printf("Bail out! the test before has failed, and its threads are still there\n");
        exit(1);
    }
    has_loop = cr_loop_init(&loop, &err) == 0;
    return has_loop && scratch_begin();
}

static inline void forget_child(void)
{
    cr_child_free(child);
    child = NULL;
}

static inline bool nobody_is_left(void)
{
    int fd = open(path_of("lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bool alone = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;

    if (fd >= 0)
        (void)close(fd);
    return alone;
}

/* Frees everything. Returns whether no process and no loop source is left. */
static inline bool end(void)
{
    bool ok;

    forget_child();
    ok = nobody_is_left() && !loop.timers.first && !loop.tasks.first && !loop.busy.first;
    cr_loop_clear(&loop);
    has_loop = false;
    scratch_end();
    free(seen.last);
    seen.last = NULL;
    return ok;
}

static inline int start(const char *const *argv)
{
    static char lock[1100];
    const char *const plain[] = {"PATH=/usr/local/bin:/usr/bin:/bin", lock, NULL};
    struct cr_child_spec spec = {guard_path, argv, environment ? environment : plain, work_in};

    (void)snprintf(lock, sizeof(lock), "LOCK=%s", path_of("lock"));
    return cr_child_start(&loop, &spec, &watcher, NULL, &child, &err);
}

#define START(...) (start((const char *const[]){__VA_ARGS__, NULL}) == 0)
#define SCRIPT(text) START("sh", "-c", SAY LOCK text)

static inline int send_bytes(const void *line, size_t len)
{
    return cr_child_send(child, &(struct cr_outbox_part){.bytes = line, .len = len}, 1, &err);
}

static inline bool send_line(const char *line)
{
    return send_bytes(line, strlen(line)) == 0;
}

static inline bool why_is(const char *text)
{
    bool same = strcmp(cr_child_why(child), text) == 0;

    if (!same)
        printf("# it %s\n", cr_child_why(child));
    return same;
}

/* Returns the last words of the child, valid until the next call. */
static inline const char *last_words(size_t max)
{
    static char text[8192];
    struct cr_buf out;

    cr_buf_init(&out, sizeof(text) - 1);
    cr_child_last_words(child, " | ", max, &out);
    (void)snprintf(text, sizeof(text), "%.*s", (int)out.len, out.data ? (char *)out.data : "");
    cr_buf_clear(&out);
    return text;
}

static inline bool last_words_are(const char *text)
{
    bool same = strcmp(last_words(4096), text) == 0;

    if (!same)
        printf("# last words: %s\n", last_words(4096));
    return same;
}

#endif
