/* line.c - writes the lines of a journal, and adds and checks their hashes. */
#include "journal/line.h"

#include <stdbool.h>
#include <string.h>

#include "base/escape.h"
#include "base/nest.h"
#include "base/scan.h"
#include "run/envelope.h"

const char cr_line_stack[] = ",\"stack\":";

void cr_line_init(struct cr_line *line, struct cr_buf *text)
{
    *line = (struct cr_line){.text = text};
}

void cr_line_begin(struct cr_line *line, struct cr_buf *text, int64_t at_us)
{
    cr_line_init(line, text);
    cr_buf_str(text, "{\"at\":");
    cr_buf_number(text, (uint64_t)at_us);
    cr_buf_str(text, ",");
}

/* Lines are written for each call, so the parts of every line avoid printf, which is slow. */
static void add_name(struct cr_buf *out, const char *name)
{
    cr_buf_str(out, ",\"");
    cr_buf_str(out, name);
    cr_buf_str(out, "\":");
}

/* Returns the known hash of a value, or NULL. */
static const struct cr_kept *find_known(const struct cr_line *line, const void *bytes, size_t len)
{
    const struct cr_kept *known = line->known;

    return known && known->bytes == bytes && known->len == len ? known : NULL;
}

static void name_blob(const struct cr_line *line, struct cr_line_blob *blob)
{
    const struct cr_kept *known = find_known(line, blob->bytes, blob->len);
    uint8_t hash[CR_HASH_BYTES] = {0};

    if (known) {
        memcpy(blob->name, known->name, sizeof(blob->name));
        blob->is_stored = known->is_stored;
        return;
    }
    if (!line->is_nameless)
        cr_hash_take(blob->bytes, blob->len, hash);
    cr_hash_show(hash, blob->name);
}

static void add_blob(struct cr_line *line, const char *name, const void *bytes, size_t len)
{
    struct cr_line_blob *blob = &line->blobs[line->blob_count++];

    *blob = (struct cr_line_blob){.bytes = bytes, .len = len};
    name_blob(line, blob);
    cr_buf_fmt(line->text, ",\"%sBlob\":\"", name);
    blob->name_at = line->text->len;
    cr_buf_fmt(line->text, "%s\",\"%sBytes\":%zu", blob->name, name, len);
}

bool cr_line_is_long(const void *value, size_t len, bool is_json)
{
    return len > CR_LINE_INLINE || (is_json && !cr_nest_fits(value, len));
}

void cr_line_json(struct cr_line *line, const char *name, const void *json, size_t len)
{
    struct cr_buf *out = line->text;
    size_t start;

    if (cr_line_is_long(json, len, true)) {
        add_blob(line, name, json, len);
        return;
    }
    add_name(out, name);
    start = out->len;
    cr_buf_add(out, json, len);
    for (size_t i = start; i < out->len; i++)
        if (out->data[i] == '\n' || out->data[i] == '\r')
            out->data[i] = ' ';
}

void cr_line_text(struct cr_line *line, const char *name, const char *text, size_t len)
{
    add_name(line->text, name);
    cr_escape_json(line->text, text, len);
}

void cr_line_long_text(struct cr_line *line, const char *name, const char *text, size_t len)
{
    if (cr_line_is_long(text, len, false))
        add_blob(line, name, text, len);
    else
        cr_line_text(line, name, text, len);
}

/* --- from the worker ------------------------------------------------------------------------ */

/* A compromised worker can send args that are not JSON; the call fails, and the line has a text. */
static void add_args(struct cr_line *line, const char *args, size_t len)
{
    const struct cr_kept *known = find_known(line, args, len);

    if (known ? known->is_json : cr_scan_json((const uint8_t *)args, len, CR_SCAN_PASS, NULL) == 0)
        cr_line_json(line, "args", args, len);
    else
        cr_line_text(line, "argsText", args, len < CR_LINE_INLINE ? len : CR_LINE_INLINE);
}

static void add_call(struct cr_line *line, const struct wire_header *header, const uint8_t *payload)
{
    const char *names = (const char *)payload + sizeof(struct wire_call);
    struct wire_call call;
    size_t args_at;

    memcpy(&call, payload, sizeof(call));
    args_at = (size_t)call.namespace_len + call.action_len;
    cr_buf_str(line->text, "\"from\":\"call\",\"n\":");
    cr_buf_number(line->text, header->id);
    cr_buf_str(line->text, ",\"method\":\"");
    cr_buf_add(line->text, names, call.namespace_len);
    cr_buf_str(line->text, ":");
    cr_buf_add(line->text, names + call.namespace_len, call.action_len);
    cr_buf_str(line->text, "\"");
    add_args(line, names + args_at, header->length - sizeof(call) - args_at);
}

static void add_log(struct cr_line *line, const struct wire_header *header, const uint8_t *payload)
{
    cr_buf_str(line->text, "\"from\":\"log\"");
    if (header->id)
        cr_buf_str(line->text, ",\"cut\":true");
    cr_line_long_text(line, "line", (const char *)payload, header->length);
}

static void add_blocked(struct cr_line *line, const uint8_t *payload)
{
    const char *at = (const char *)payload + sizeof(struct wire_blocked);
    struct wire_blocked b;

    memcpy(&b, payload, sizeof(b));
    cr_buf_str(line->text, "\"from\":\"blocked\"");
    cr_line_text(line, "api", at, b.api_len);
    at += b.api_len;
    cr_line_text(line, "access", at, b.access_len);
    at += b.access_len;
    cr_line_text(line, "target", at, b.target_len);
    at += b.target_len;
    cr_line_text(line, "message", at, b.message_len);
}

static void add_done(struct cr_line *line, const struct wire_header *header, const uint8_t *payload)
{
    cr_buf_str(line->text, "\"from\":\"done\"");
    cr_line_json(line, "result", payload, header->length);
}

static void add_threw(struct cr_line *line, const uint8_t *payload)
{
    const char *at = (const char *)payload + sizeof(struct wire_threw);
    struct wire_threw threw;

    memcpy(&threw, payload, sizeof(threw));
    cr_buf_fmt(line->text, "\"from\":\"threw\",\"why\":%u,\"call\":%u,\"blocked\":%u", threw.why,
               threw.call, threw.blocked);
    cr_line_text(line, "name", at, threw.name_len);
    at += threw.name_len;
    cr_line_text(line, "message", at, threw.message_len);
    at += threw.message_len;
    cr_buf_str(line->text, cr_line_stack);
    cr_escape_json(line->text, at, threw.stack_len);
}

void cr_line_from_worker(struct cr_line *line, const struct wire_header *header,
                         const uint8_t *payload)
{
    switch ((enum wire_type)header->type) {
    case WIRE_CALL:
        add_call(line, header, payload);
        break;
    case WIRE_LOG:
        add_log(line, header, payload);
        break;
    case WIRE_BLOCKED:
        add_blocked(line, payload);
        break;
    case WIRE_DONE:
        add_done(line, header, payload);
        break;
    case WIRE_THREW:
        add_threw(line, payload);
        break;
    case WIRE_LATE:
        cr_buf_str(line->text, "\"from\":\"late\"");
        cr_buf_str(line->text, cr_line_stack);
        cr_escape_json(line->text, (const char *)payload, header->length);
        break;
    case WIRE_FULL:
        cr_buf_str(line->text, "\"from\":\"full\"");
        break;
    case WIRE_JOB:
    case WIRE_REPLY:
    case WIRE_FAIL:
    case WIRE_WAKE:
    case WIRE_READY:
    case WIRE_IDLE:
        break; /* never called with these */
    }
}

/* --- to the worker -------------------------------------------------------------------------- */

static void add_reply(struct cr_line *line, uint32_t number, const struct wire_part *parts)
{
    struct wire_reply reply;

    memcpy(&reply, parts[0].bytes, sizeof(reply));
    cr_buf_str(line->text, "\"to\":\"reply\",\"n\":");
    cr_buf_number(line->text, number);
    cr_buf_str(line->text,
               reply.kind == WIRE_REPLY_TOOL ? ",\"kind\":\"tool\"" : ",\"kind\":\"value\"");
    cr_line_json(line, "json", parts[1].bytes, parts[1].len);
}

static void add_fail(struct cr_line *line, uint32_t number, const struct wire_part *parts,
                     const struct cr_call *call)
{
    static const char *const states[] = {
        [CR_CALL_FAILED] = "failed", [CR_CALL_DENIED] = "denied", [CR_CALL_UNKNOWN] = "unknown"};

    cr_buf_fmt(line->text, "\"to\":\"fail\",\"n\":%u,\"state\":\"%s\"", number,
               states[call->state]);
    if (call->state == CR_CALL_DENIED && call->by) {
        cr_buf_str(line->text, ",\"by\":");
        cr_envelope_add_by(line->text, call);
    }
    cr_line_text(line, "code", parts[1].bytes, parts[1].len);
    cr_line_text(line, "message", parts[2].bytes, parts[2].len);
    if (call->is_lost)
        cr_buf_str(line->text, ",\"_lost\":true");
}

void cr_line_to_worker(struct cr_line *line, const struct wire_header *header,
                       const struct wire_part *parts, size_t count, const struct cr_call *call)
{
    if (header->type == WIRE_JOB)
        cr_buf_fmt(line->text, "\"to\":\"job\",\"date\":%lld",
                   (long long)(header->date_us - header->now_us));
    else if (header->type == WIRE_WAKE)
        cr_buf_str(line->text, "\"to\":\"wake\"");
    else if (header->type == WIRE_REPLY && count == 2)
        add_reply(line, header->id, parts);
    else if (header->type == WIRE_FAIL && count == 3)
        add_fail(line, header->id, parts, call);
}

/* --- the hash ------------------------------------------------------------------------------- */

static const char before_hash[] = ",\"h\":\"", after_hash[] = "\"}";
#define BEFORE (sizeof(before_hash) - 1)
#define AFTER (sizeof(after_hash) - 1)
_Static_assert(BEFORE + CR_LINE_HASH + AFTER + 1 == CR_LINE_SEAL, "the length of a seal");

static void show_chain(const uint8_t chain[CR_HASH_BYTES], char ret[CR_HASH_DIGITS + 1])
{
    cr_hash_show(chain, ret);
    ret[CR_LINE_HASH] = '\0';
}

void cr_line_seal(struct cr_buf *text, size_t start, uint8_t chain[CR_HASH_BYTES])
{
    char digits[CR_HASH_DIGITS + 1];

    if (cr_buf_err(text))
        return;
    cr_hash_chain(chain, text->data + start, text->len - start);
    show_chain(chain, digits);
    cr_buf_str(text, before_hash);
    cr_buf_add(text, digits, CR_LINE_HASH);
    cr_buf_str(text, after_hash);
    cr_buf_str(text, "\n");
}

size_t cr_line_check(const char *line, size_t len, uint8_t chain[CR_HASH_BYTES])
{
    const size_t tail = BEFORE + CR_LINE_HASH + AFTER;
    char digits[CR_HASH_DIGITS + 1];
    size_t body;

    if (len <= tail)
        return 0;
    body = len - tail;
    if (memcmp(line + body, before_hash, BEFORE) != 0 ||
        memcmp(line + len - AFTER, after_hash, AFTER) != 0)
        return 0;
    cr_hash_chain(chain, line, body);
    show_chain(chain, digits);
    return memcmp(line + body + BEFORE, digits, CR_LINE_HASH) == 0 ? body : 0;
}

const char *cr_line_hash(const char *text, size_t end)
{
    return text + end - 1 - AFTER - CR_LINE_HASH;
}
