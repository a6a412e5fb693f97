/*
 * fuzz_journal.c - reads and replays the fuzzer's bytes as a journal: unchanged, and with right
 * hashes, which a fuzzer cannot find.
 *
 * What must hold: a refusal has the path, the line and a message. In an accepted journal every line
 * has a kind and a body within the text, its times and numbers are in range, and each value is
 * JSON. A fake worker sends the recorded frames; it gets all recorded input, or the run ends
 * before. The run always ends with an envelope that is JSON, and no handler is called.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#include "journal/diff.h"
#include "base/locate.h"
#include "journal/journal.h"
#include "journal/undo.h"
#include "journal/line.h"
#include "journal/replay.h"

#include "fake_ends.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_TEXT_MAX (64u << 20)
#define FUZZ_LINES_PLAYED 400

/* --- reading ------------------------------------------------------------------------------ */

static int journal_file(const void *bytes, size_t len)
{
    int fd = memfd_create("journal", MFD_CLOEXEC);

    insist(fd >= 0 && write(fd, bytes, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

static void journal_look_at_values(const struct cr_journal *j, const struct cr_journal_line *line)
{
    static const char *const names[] = {"args", "json", "result", "message", "line", "code", "by",
                                        "end",  "boot", "method", "state",   "kind", "x"};
    struct cr_err why;
    struct cr_buf out, before;

    cr_buf_init(&before, FUZZ_TEXT_MAX);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        cr_buf_init(&out, FUZZ_TEXT_MAX);
        if (cr_journal_json(j, line, names[i], &out, &why) == 0) {
            (void)look_whole(out.data, out.len);
            cr_diff_json(&before, (const char *)out.data, out.len, "{\"a\":[1,{}]}", 12);
        } else {
            insist(why.outcome == CAPRUN_OUTCOME_JOURNAL_INVALID);
            insist(strncmp(why.text, "p/j:", 4) == 0);
        }
        cr_buf_clear(&out);
        cr_journal_text(line, names[i], &out);
        insist(!cr_buf_err(&out) && out.len <= 3 * line->len);
        cr_buf_clear(&out);
    }
    cr_buf_clear(&before);
}

static void journal_look_at_line(const struct cr_journal *j, const struct cr_journal_line *line)
{
    const char *text = (const char *)j->text.data;

    insist(line->kind <= CR_JOURNAL_CUT && line->n <= j->calls);
    insist(line->text >= text && line->text + line->len <= text + j->whole_len);
    insist(line->body > line->text && line->body + line->body_len <= line->text + line->len);
    insist(line->at_us >= 0 && line->at_us <= (int64_t)1 << 52);
    insist(!memchr(line->text, '\n', line->len));
    journal_look_at_values(j, line);
}

/* What a resume takes back leaves a journal that has no end, and all lines about earlier calls. */
static void journal_look_at_undo(const struct cr_journal *j)
{
    struct cr_journal copy = *j;
    const char *why = NULL;
    size_t first = j->end ? cr_undo_find(j, &why) : 0;

    insist(cr_undo_can_resume(j, &why) == (!j->cut && (!j->end || first)));
    if (!first)
        return;
    copy.lines = malloc((j->count + 1) * sizeof(*copy.lines));
    insist(copy.lines && first < j->count);
    memcpy(copy.lines, j->lines, j->count * sizeof(*copy.lines));
    cr_undo_apply(&copy, first, NULL);
    insist(!copy.end && copy.count < j->count && copy.count >= first && copy.calls <= j->calls);
    for (size_t i = 0; i < copy.count; i++)
        insist(copy.lines[i].n <= copy.calls && copy.lines[i].kind != CR_JOURNAL_END);
    free(copy.lines);
}

static void journal_look_at(const struct cr_journal *j)
{
    uint32_t calls = 0;
    struct cr_err why;
    struct cr_buf out;
    char outcome[64];

    insist(j->whole_len <= j->text.len && strlen(j->head.run) == 36);
    insist(!j->head.code != !j->head.code_blob);
    insist(j->head.timeout_ms && j->head.memory && j->head.max_calls);
    insist(!(j->end && j->cut));
    for (size_t i = 0; i < j->count; i++) {
        journal_look_at_line(j, &j->lines[i]);
        insist(j->lines[i].number >= i + 2 && j->lines[i].number <= j->line_count);
        insist(j->lines[i].kind != CR_JOURNAL_CALL || j->lines[i].n == ++calls);
        insist(!i || j->lines[i].kind == CR_JOURNAL_JOB ||
               j->lines[i].at_us >= j->lines[i - 1].at_us);
    }
    insist(calls == j->calls && (!j->end || j->end == &j->lines[j->count - 1]));
    journal_look_at_undo(j);
    cr_journal_outcome(j, outcome);
    cr_buf_init(&out, FUZZ_TEXT_MAX);
    (void)cr_journal_code(j, &out, &why);
    cr_buf_clear(&out);
    if (cr_journal_input(j, "args", &out, &why) == 0)
        (void)look_whole(out.data, out.len);
    cr_buf_clear(&out);
    (void)cr_journal_input(j, "schema", &out, &why);
    cr_buf_clear(&out);
}

/* Returns whether the bytes are a journal with an end. */
static bool journal_read_bytes(const void *bytes, size_t len)
{
    struct cr_journal j = {0};
    struct cr_err why = {0};
    int fd = journal_file(bytes, len);
    bool has_end = false;

    if (cr_journal_read("p/j", fd, &j, &why) == 0) {
        journal_look_at(&j);
        has_end = j.end != NULL;
        cr_journal_clear(&j);
    } else {
        insist(why.outcome == CAPRUN_OUTCOME_JOURNAL_INVALID && why.hint[0] && !j.text.data);
        insist(strncmp(why.text, "p/j:", 4) == 0 && why.text[4] >= '1' && why.text[4] <= '9');
        insist(strstr(why.text + 4, ": ") && !strchr(why.text, '\n'));
    }
    (void)close(fd);
    return has_end;
}

/* --- the right hashes --------------------------------------------------------------------- */

static size_t journal_without_hash(const char *line, size_t len)
{
    const size_t tail = strlen(",\"h\":\"\"}") + CR_LINE_HASH;

    if (len > tail && memcmp(line + len - tail, ",\"h\":\"", 6) == 0)
        return len - tail;
    return len && line[len - 1] == '}' ? len - 1 : len;
}

static void journal_repair(struct cr_buf *out, const uint8_t *data, size_t size)
{
    const char *at = (const char *)data, *end = at + size, *stop;
    uint8_t chain[CR_HASH_BYTES] = {0};

    while (at < end && (stop = memchr(at, '\n', (size_t)(end - at)))) {
        size_t start = out->len;

        cr_buf_add(out, at, journal_without_hash(at, (size_t)(stop - at)));
        cr_line_seal(out, start, chain);
        at = stop + 1;
    }
    cr_buf_add(out, at, (size_t)(end - at));
}

/* --- replaying ---------------------------------------------------------------------------- */

static void journal_abort_call(void *data, struct caprun_run *run, uint32_t call,
                               const char *method, const char *args, size_t args_len)
{
    (void)data, (void)run, (void)call, (void)method, (void)args, (void)args_len;
    abort();
}

static void journal_zygote_changed(struct cr_zygote *z)
{
    (void)z;
}

/* Adds a fake zygote, which the pool then owns. Returns the other end of its socket. */
static int journal_add_zygote(struct cr_pool *of)
{
    struct cr_zygote *z = malloc(sizeof(*z));
    int control[2];

    insist(z && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) == 0);
    *z = (struct cr_zygote){.loop = of->loop,
                            .patience = {.when_us = -1},
                            .look = {.when_us = -1},
                            .changed = journal_zygote_changed,
                            .control = {.fd = control[0]},
                            .program_ended = {.fd = -1},
                            .ended = {.fd = -1},
                            .greeted = true,
                            .born_us = cr_loop_now()};
    of->stock.zygotes = of->stock.current = z;
    return control[1];
}

/* Appends at most |most| bytes of the text |name| of the line; returns how many. */
static uint32_t journal_add_text(struct cr_buf *out, const struct cr_journal_line *line,
                                 const char *name, size_t most)
{
    struct cr_buf text;
    size_t len;

    cr_buf_init(&text, FUZZ_TEXT_MAX);
    cr_journal_text(line, name, &text);
    len = text.len < most ? text.len : most;
    for (size_t i = 0; i < len; i++)
        cr_buf_add(out, text.data[i] ? (const void *)&text.data[i] : " ", 1);
    cr_buf_clear(&text);
    return (uint32_t)len;
}

static void journal_play_call(struct cr_buf *payload, const struct cr_journal_line *line)
{
    struct wire_call head = {0};
    size_t len = 0;
    const char *args = cr_locate_member(line->text, line->len, "args", &len), *colon = NULL;
    struct cr_buf method;

    cr_buf_init(&method, FUZZ_TEXT_MAX);
    (void)journal_add_text(&method, line, "method", LIMIT_NAMESPACE_CHARS + LIMIT_ACTION_CHARS);
    if (method.len)
        colon = memchr(method.data, ':', method.len);
    if (colon) {
        head.namespace_len = (uint32_t)(colon - (const char *)method.data);
        head.action_len = (uint32_t)(method.len - head.namespace_len - 1);
    }
    cr_buf_add(payload, &head, sizeof(head));
    if (colon) {
        cr_buf_add(payload, method.data, head.namespace_len);
        cr_buf_add(payload, colon + 1, head.action_len);
    }
    cr_buf_add(payload, args ? args : "{}", args ? len : 2);
    cr_buf_clear(&method);
}

static void journal_play_blocked(struct cr_buf *payload, const struct cr_journal_line *line)
{
    struct wire_blocked head = {0};
    struct cr_buf rest;

    cr_buf_init(&rest, FUZZ_TEXT_MAX);
    head.api_len = journal_add_text(&rest, line, "api", LIMIT_DENIED_API_BYTES);
    head.access_len = journal_add_text(&rest, line, "access", LIMIT_DENIED_ACCESS_BYTES);
    head.target_len = journal_add_text(&rest, line, "target", LIMIT_DENIED_TARGET_BYTES);
    head.message_len = journal_add_text(&rest, line, "message", LIMIT_DENIED_MESSAGE_BYTES);
    cr_buf_add(payload, &head, sizeof(head));
    cr_buf_add(payload, rest.data, rest.len);
    cr_buf_clear(&rest);
}

static uint32_t journal_number_in(const struct cr_journal_line *line, const char *name)
{
    size_t len = 0;
    const char *digits = cr_locate_member(line->text, line->len, name, &len);
    uint32_t n = 0;

    for (size_t i = 0; digits && i < len && i < 6 && digits[i] >= '0' && digits[i] <= '9'; i++)
        n = n * 10 + (uint32_t)(digits[i] - '0');
    return n;
}

static void journal_play_threw(struct cr_buf *payload, const struct cr_journal_line *line)
{
    struct wire_threw head = {.why = journal_number_in(line, "why"),
                              .call = journal_number_in(line, "call"),
                              .blocked = journal_number_in(line, "blocked")};
    struct cr_buf rest;

    cr_buf_init(&rest, FUZZ_TEXT_MAX);
    head.name_len = journal_add_text(&rest, line, "name", LIMIT_ERROR_NAME_BYTES);
    head.message_len = journal_add_text(&rest, line, "message", LIMIT_ERROR_MESSAGE_BYTES);
    head.stack_len = journal_add_text(&rest, line, "stack", LIMIT_ERROR_STACK_BYTES);
    cr_buf_add(payload, &head, sizeof(head));
    cr_buf_add(payload, rest.data, rest.len);
    cr_buf_clear(&rest);
}

/* Makes the frame of a line from the worker, or the IDLE frame before a line to the worker. */
static uint16_t journal_frame(const struct caprun_run *run, const struct cr_journal_line *line,
                              uint32_t *attempts, struct wire_header *header,
                              struct cr_buf *payload)
{
    struct wire_idle idle = {.wake_us = line->kind == CR_JOURNAL_WAKE ? line->at_us : -1};
    size_t len = 0;
    const char *result;

    switch ((int)line->kind) {
    case CR_JOURNAL_CALL:
        header->id = line->n;
        journal_play_call(payload, line);
        return WIRE_CALL;
    case CR_JOURNAL_LOG:
        (void)journal_add_text(payload, line, "line", 10000);
        return WIRE_LOG;
    case CR_JOURNAL_BLOCKED:
        header->id = ++*attempts;
        journal_play_blocked(payload, line);
        return WIRE_BLOCKED;
    case CR_JOURNAL_DONE:
        result = cr_locate_member(line->text, line->len, "result", &len);
        cr_buf_add(payload, result ? result : "1", result ? len : 1);
        return WIRE_DONE;
    case CR_JOURNAL_THREW:
        journal_play_threw(payload, line);
        return WIRE_THREW;
    case CR_JOURNAL_LATE:
        (void)journal_add_text(payload, line, "stack", LIMIT_ERROR_STACK_BYTES);
        return WIRE_LATE;
    case CR_JOURNAL_FULL:
        return WIRE_FULL;
    default:
        header->id = (uint32_t)run->frames_sent;
        cr_buf_add(payload, &idle, sizeof(idle));
        return WIRE_IDLE;
    }
}

/* Plays the worker: sends the recorded frames, and waits where the recorded worker waited. */
static void journal_play(struct caprun_run *run, int fd)
{
    const struct cr_journal *j = cr_replay_journal(run);
    uint32_t attempts = 0;
    struct cr_buf payload, heard;

    cr_buf_init(&payload, FUZZ_TEXT_MAX);
    cr_buf_init(&heard, FUZZ_TEXT_MAX);
    for (size_t i = 0; i < j->count && i < FUZZ_LINES_PLAYED && !caprun_done(run); i++) {
        struct wire_header header = {0};

        if (j->lines[i].kind == CR_JOURNAL_JOB || j->lines[i].kind == CR_JOURNAL_SEND ||
            j->lines[i].kind == CR_JOURNAL_RESUME || j->lines[i].kind == CR_JOURNAL_UNDO)
            continue; /* no frame of the worker belongs to this line */
        cr_buf_clear(&payload);
        header.type = journal_frame(run, &j->lines[i], &attempts, &header, &payload);
        header.length = (uint32_t)payload.len;
        if (send(fd, &header, sizeof(header), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ||
            (payload.len && send(fd, payload.data, payload.len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0))
            break;
        for (int step = 0; step < 4 && !caprun_done(run); step++) {
            cr_loop_step(run->loop, 0);
            (void)fake_hear(fd, &heard, NULL, NULL);
        }
    }
    cr_buf_clear(&payload);
    cr_buf_clear(&heard);
}

static int journal_take_socket(int control)
{
    struct wire_control packet;
    int fd;

    insist(wire_receive_packet(control, &packet, &fd, MSG_CMSG_CLOEXEC) == 1);
    insist(packet.kind == WIRE_CONTROL_FORK && fd >= 0);
    return fd;
}

static void journal_start(struct caprun_run *run)
{
    static const struct wire_header ready = {.type = WIRE_READY};
    int control = journal_add_zygote(run->pool), fd = -1;

    insist(caprun_start(run) == 0);
    cr_loop_step(run->loop, 0);
    if (run->state == CR_RUN_STARTING) {
        fd = journal_take_socket(control);
        cr_worker_forked(run->worker, open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
        insist(send(fd, &ready, sizeof(ready), MSG_NOSIGNAL) == (ssize_t)sizeof(ready));
        cr_loop_step(run->loop, 0);
        journal_play(run, fd);
        (void)close(fd);
    }
    caprun_cancel(run);
    (void)close(control);
}

static void journal_replay(const struct cr_buf *text)
{
    struct caprun_runtime *runtime;
    struct caprun_run *run;
    struct cr_err why;
    const char *envelope;
    char path[64];
    size_t len;
    int fd = journal_file(text->data, text->len);

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    insist(caprun_new(&runtime) == 0 && caprun_set_worker(runtime, "/nowhere") == 0);
    insist(caprun_set_warm(runtime, CAPRUN_WARM_NONE) == 0 && caprun_run_new(runtime, &run) == 0);
    caprun_run_set_handler(run, journal_abort_call, NULL);
    if (cr_replay_new(run, path, NULL, &why) == 0) {
        cr_replay_set_compare(run, (enum cr_replay_compare)(text->len % 3));
        journal_start(run);
        envelope = caprun_result_json(run, &len);
        insist(caprun_done(run) && envelope);
        (void)look_whole(envelope, len);
    } else {
        insist(why.outcome == CAPRUN_OUTCOME_JOURNAL_INVALID);
    }
    caprun_run_free(run);
    caprun_free(runtime);
    (void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cr_buf repaired;

    (void)journal_read_bytes(data, size);
    cr_buf_init(&repaired, FUZZ_TEXT_MAX);
    journal_repair(&repaired, data, size);
    if (repaired.data && journal_read_bytes(repaired.data, repaired.len))
        journal_replay(&repaired);
    cr_buf_clear(&repaired);
    return 0;
}
