/* exchange.c - performs one request through libcurl, and reads messages from the answer. */
#include "mcp/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "http/url.h"
#include "mcp/child.h"

#define STORED_MAX (64u << 10)  /* bytes at which a transfer is paused */
#define STORED_LIMIT (4u << 20) /* more than libcurl can deliver after a pause */
#define IGNORED_MAX (64u << 10) /* bytes of a body that is ignored, or of an error */
#define HEADERS_MAX (1u << 20)  /* bytes of all headers of a request */
#define CHUNK (32l << 10)       /* bytes that libcurl reads at once */
#define CONNECT_MS 10000l       /* name look-up and TLS included */

static void clear_reader(struct cr_exchange *x)
{
    cr_reader_clear(&x->reader);
    if (x->is_modern)
        cr_reader_find_types(&x->reader); /* a result may be a request for input */
}

/* --- the message ------------------------------------------------------------------------------ */

/* Takes over the memory of a part, or copies the part. Returns false if there is no memory. */
static bool keep_part(struct cr_exchange *x, const struct cr_outbox_part *from)
{
    struct cr_outbox_part *to = &x->parts[x->count];
    uint8_t **block = &x->blocks[x->count];

    to->len = from->len;
    if (from->block && *from->block) {
        *block = *from->block;
        *from->block = NULL;
        to->bytes = from->bytes;
        x->taken = block;
    } else {
        *block = malloc(from->len + 1);
        if (!*block)
            return false;
        memcpy(*block, from->bytes, from->len);
        to->bytes = *block;
    }
    x->count++;
    x->bytes += from->len;
    return true;
}

/* Can |text| be the value of a header, unchanged? */
static bool is_plain(const char *text)
{
    static const char sentinel[] = "=?base64?";
    size_t len = strlen(text);

    for (size_t i = 0; i < len; i++)
        if (text[i] < 0x20 || text[i] > 0x7e)
            return false;
    return len && text[0] != ' ' && text[len - 1] != ' ' &&
           strncmp(text, sentinel, sizeof(sentinel) - 1) != 0;
}

static void add_base64(struct cr_buf *out, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = strlen(text);

    for (size_t i = 0; i < len; i += 3) {
        size_t n = len - i < 3 ? len - i : 3;
        uint32_t bits = 0;
        char quad[4];

        for (size_t j = 0; j < 3; j++)
            bits = bits << 8 | (j < n ? (uint8_t)text[i + j] : 0);
        for (size_t j = 0; j < 4; j++)
            quad[j] = j <= n ? digits[bits >> (18 - 6 * j) & 63] : '=';
        cr_buf_add(out, quad, sizeof(quad));
    }
}

static void end_header(struct cr_buf *out)
{
    cr_buf_add(out, "", 1);
}

/* The headers that repeat what the body says. Only the modern era has the last two. */
static void add_label(struct cr_buf *out, const struct cr_transport_label *label)
{
    if (label->version[0]) {
        cr_buf_fmt(out, "MCP-Protocol-Version: %s", label->version);
        end_header(out);
    }
    if (label->is_modern && label->method) {
        cr_buf_fmt(out, "Mcp-Method: %s", label->method);
        end_header(out);
    }
    if (label->is_modern && label->tool) {
        cr_buf_str(out, "Mcp-Name: ");
        if (is_plain(label->tool)) {
            cr_buf_str(out, label->tool);
        } else {
            cr_buf_str(out, "=?base64?");
            add_base64(out, label->tool);
            cr_buf_str(out, "?=");
        }
        end_header(out);
    }
    end_header(out);
}

static struct cr_exchange *new_exchange(struct cr_loop *loop,
                                        const struct cr_transport_label *label)
{
    struct cr_exchange *x = calloc(1, sizeof(*x));
    struct cr_buf text;

    if (!x)
        return NULL;
    cr_buf_init(&text, HEADERS_MAX);
    add_label(&text, label);
    x->label = cr_buf_err(&text) ? NULL : (char *)text.data;
    x->loop = loop;
    x->id = label->id;
    x->is_repeatable = label->is_repeatable;
    if (label->method && strcmp(label->method, "initialize") == 0)
        x->step = CR_EXCHANGE_INITIALIZE;
    if (label->method && strcmp(label->method, "notifications/initialized") == 0)
        x->step = CR_EXCHANGE_INITIALIZED;
    cr_buf_init(&x->stored, STORED_LIMIT);
    cr_reader_init(&x->reader, CR_CHILD_LINE_MAX);
    x->is_modern = label->is_modern;
    clear_reader(x);
    if (x->label)
        return x;
    cr_buf_clear(&text);
    free(x);
    return NULL;
}

struct cr_exchange *cr_exchange_new(struct cr_loop *loop, const struct cr_transport_label *label,
                                    const struct cr_outbox_part *parts, size_t count)
{
    struct cr_exchange *x = new_exchange(loop, label);

    for (size_t i = 0; x && i < count; i++) {
        if (keep_part(x, &parts[i]))
            continue;
        cr_exchange_free(x);
        return NULL;
    }
    return x;
}

struct cr_exchange *cr_exchange_new_delete(struct cr_loop *loop, const char *version)
{
    struct cr_exchange *x = new_exchange(loop, &(struct cr_transport_label){.version = version});

    if (x)
        x->is_delete = true;
    return x;
}

void cr_exchange_forget_message(struct cr_exchange *x)
{
    for (size_t i = 0; i < CR_TRANSPORT_PARTS; i++) {
        if (x->blocks[i])
            cr_helper_free(&x->loop->helper, x->blocks[i], x->parts[i].len);
        x->blocks[i] = NULL;
    }
    x->is_forgotten = true;
}

void cr_exchange_free(struct cr_exchange *x)
{
    cr_exchange_stop(x);
    cr_exchange_forget_message(x);
    cr_reader_clear(&x->reader);
    cr_buf_clear(&x->stored);
    cr_loop_unset(x->loop, &x->timer);
    free(x->label);
    free(x);
}

/* --- called by libcurl ------------------------------------------------------------------------ */

static size_t give_body(char *to, size_t size, size_t count, void *data)
{
    struct cr_exchange *x = data;
    size_t room = size * count, given = 0;

    while (given < room && x->part < x->count) {
        const struct cr_outbox_part *part = &x->parts[x->part];
        size_t n = part->len - x->offset < room - given ? part->len - x->offset : room - given;

        memcpy(to + given, (const char *)part->bytes + x->offset, n);
        given += n;
        x->offset += n;
        if (x->offset == part->len) {
            x->part++;
            x->offset = 0;
        }
    }
    x->left -= given;
    if (!x->left)
        x->stirred(x);
    return given;
}

/* libcurl would send the message again, although the server may have read it. */
static int rewind_body(void *data, curl_off_t offset, int origin)
{
    const struct cr_exchange *x = data;
    bool is_at_start = x->part == 0 && x->offset == 0;

    return offset == 0 && origin == SEEK_SET && is_at_start ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL;
}

/* If |line| is the field |name|, stores its value; a value that is too long is not stored. */
static void keep_field(const char *line, size_t len, const char *name, char *ret, size_t size)
{
    size_t start = strlen(name);

    if (len <= start || strncasecmp(line, name, start) != 0 || line[start] != ':')
        return;
    for (start++; start < len && (line[start] == ' ' || line[start] == '\t');)
        start++;
    while (len > start && (uint8_t)line[len - 1] <= ' ')
        len--;
    ret[0] = '\0';
    if (len - start >= size)
        return;
    memcpy(ret, line + start, len - start);
    ret[len - start] = '\0';
}

static bool is_type(const char *type, const char *wanted)
{
    size_t len = strlen(wanted);

    return strncasecmp(type, wanted, len) == 0 && strchr("; \t", type[len]);
}

/* The head is complete: what is the body? */
static void choose_body(struct cr_exchange *x)
{
    /* then an error is about the session, and not about the request */
    bool is_session_lost = x->head.status == 404 && x->had_session;
    bool is_good = x->head.status / 100 == 2, is_error = x->head.status >= 400;

    if (is_good && is_type(x->type, "text/event-stream"))
        x->body = CR_EXCHANGE_EVENTS;
    else if ((is_good || is_error) && !is_session_lost && is_type(x->type, "application/json"))
        x->body = CR_EXCHANGE_JSON;
    else
        x->body = CR_EXCHANGE_NONE;
    cr_sse_init(&x->sse);
}

static size_t take_line(char *line, size_t size, size_t count, void *data)
{
    struct cr_exchange *x = data;
    size_t len = size * count;

    if (x->head.done)
        return len; /* trailers */
    if (!x->head.has_begun)
        x->type[0] = x->session[0] = '\0';
    if (!cr_http_head_line(&x->head, line, len))
        x->fault = CR_EXCHANGE_LONG_HEAD;
    else if (x->head.codings)
        x->fault = CR_EXCHANGE_ENCODED; /* caprun has not asked for it */
    keep_field(line, len, "content-type", x->type, sizeof(x->type));
    keep_field(line, len, "mcp-session-id", x->session, sizeof(x->session));
    if (x->head.done)
        choose_body(x);
    return x->fault ? 0 : len;
}

/* A JSON document may have line breaks between its parts; |reader| takes a message of one line. */
static void join_lines(uint8_t *bytes, size_t len)
{
    uint8_t *feed;

    while ((feed = memchr(bytes, '\n', len))) {
        *feed = '\r';
        len -= (size_t)(feed + 1 - bytes);
        bytes = feed + 1;
    }
}

static size_t take_body(char *bytes, size_t size, size_t count, void *data)
{
    struct cr_exchange *x = data;
    size_t len = size * count;

    if (x->body != CR_EXCHANGE_NONE && x->stored.len - x->used > STORED_MAX) {
        x->is_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    x->body_bytes += len;
    if (x->body_bytes > IGNORED_MAX && (x->body == CR_EXCHANGE_NONE || x->head.status >= 400)) {
        x->fault = CR_EXCHANGE_LONG_BODY;
        return 0;
    }
    if (x->body == CR_EXCHANGE_NONE)
        return len;
    cr_buf_add(&x->stored, bytes, len);
    if (cr_buf_err(&x->stored)) {
        x->fault = CR_EXCHANGE_NO_MEMORY;
        return 0;
    }
    if (x->body == CR_EXCHANGE_JSON)
        join_lines(x->stored.data + x->stored.len - len, len);
    x->stirred(x);
    return len;
}

/* --- the transfer ----------------------------------------------------------------------------- */

static void add_header(struct cr_buf *out, const char *name, const char *value)
{
    cr_buf_fmt(out, "%s%s", name, value);
    end_header(out);
}

static void add_headers(const struct cr_exchange *x, const struct cr_exchange_site *site,
                        const char *session, struct cr_buf *out)
{
    add_header(out, "Accept: application/json, text/event-stream", "");
    if (!x->is_delete)
        add_header(out, "Content-Type: application/json", "");
    add_header(out, "Expect:", ""); /* no waiting for "100 Continue" */
    if (session[0] && x->step != CR_EXCHANGE_INITIALIZE)
        add_header(out, "Mcp-Session-Id: ", session);
    for (const char *line = x->label; *line; line += strlen(line) + 1)
        add_header(out, line, "");
    for (char **line = site->headers; line && *line; line++)
        add_header(out, *line, "");
}

/* libcurl reads the list, and does not change it. Both blocks of memory are of this file. */
static bool make_headers(struct cr_exchange *x, const struct cr_exchange_site *site,
                         const char *session)
{
    struct cr_buf text;
    size_t count = 0;
    char *line;

    cr_buf_init(&text, HEADERS_MAX);
    add_headers(x, site, session, &text);
    x->header_text = cr_buf_err(&text) ? NULL : (char *)text.data;
    for (size_t i = 0; x->header_text && i < text.len; i++)
        count += !text.data[i];
    x->headers = calloc(count + 1, sizeof(*x->headers));
    if (!x->header_text || !x->headers) {
        if (!x->header_text)
            cr_buf_clear(&text);
        return false;
    }
    line = x->header_text;
    for (size_t i = 0; i < count; i++) {
        x->headers[i] =
            (struct curl_slist){.data = line, .next = i + 1 < count ? &x->headers[i + 1] : NULL};
        line += strlen(line) + 1;
    }
    return true;
}

static bool set_trust(const struct cr_exchange_site *site, const struct cr_http_lib *lib,
                      CURL *easy)
{
    bool good = true;

    if (site->ca_file)
        good = !lib->easy_setopt(easy, CURLOPT_CAINFO, site->ca_file) &&
               !lib->easy_setopt(easy, CURLOPT_CAPATH, NULL);
    else if (site->uses_ca_folder)
        good = !lib->easy_setopt(easy, CURLOPT_CAINFO, NULL);
    /* an empty proxy is none, whatever the environment says */
    return good && !lib->easy_setopt(easy, CURLOPT_PROXY, site->proxy ? site->proxy : "") &&
           !lib->easy_setopt(easy, CURLOPT_NOPROXY, "");
}

static bool set_up(struct cr_exchange *x, const struct cr_exchange_site *site)
{
    const struct cr_http_lib *lib = x->multi->lib;
    CURL *easy = x->easy;

    (void)lib->easy_setopt(easy, CURLOPT_PRIVATE, x);
    (void)lib->easy_setopt(easy, CURLOPT_ERRORBUFFER, x->reason);
    (void)lib->easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_line);
    (void)lib->easy_setopt(easy, CURLOPT_HEADERDATA, x);
    (void)lib->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    (void)lib->easy_setopt(easy, CURLOPT_WRITEDATA, x);
    (void)lib->easy_setopt(easy, CURLOPT_HTTPHEADER, x->headers);
    (void)lib->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
    (void)lib->easy_setopt(easy, CURLOPT_BUFFERSIZE, CHUNK);
    (void)lib->easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    if (cr_url_is_https(site->url)) /* wait and see if one connection does for all */
        (void)lib->easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    if (x->is_delete) {
        (void)lib->easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "DELETE");
    } else {
        (void)lib->easy_setopt(easy, CURLOPT_POST, 1L);
        (void)lib->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)x->bytes);
        (void)lib->easy_setopt(easy, CURLOPT_READFUNCTION, give_body);
        (void)lib->easy_setopt(easy, CURLOPT_READDATA, x);
        (void)lib->easy_setopt(easy, CURLOPT_SEEKFUNCTION, rewind_body);
        (void)lib->easy_setopt(easy, CURLOPT_SEEKDATA, x);
    }
    return cr_http_multi_prepare(x->multi, easy) &&
           !lib->easy_setopt(easy, CURLOPT_URL, site->url) &&
           !lib->easy_setopt(easy, CURLOPT_USERAGENT, "caprun/" CAPRUN_VERSION) &&
           set_trust(site, lib, easy);
}

bool cr_exchange_start(struct cr_exchange *x, struct cr_http_multi *multi,
                       const struct cr_exchange_site *site, const char *session)
{
    x->multi = multi;
    x->part = x->offset = 0;
    x->left = x->bytes;
    x->had_session = session[0] && x->step != CR_EXCHANGE_INITIALIZE;
    cr_http_head_init(&x->head);
    x->easy = multi->lib->easy_init();
    if (x->easy && make_headers(x, site, session) && set_up(x, site) &&
        cr_http_multi_add(multi, x->easy))
        return true;
    if (x->easy)
        multi->lib->easy_cleanup(x->easy);
    x->easy = NULL;
    cr_exchange_stop(x);
    return false;
}

void cr_exchange_stop(struct cr_exchange *x)
{
    if (x->easy) {
        cr_http_multi_remove(x->multi, x->easy);
        x->multi->lib->easy_cleanup(x->easy);
    }
    free(x->headers);
    free(x->header_text);
    x->easy = NULL;
    x->multi = NULL;
    x->headers = NULL;
    x->header_text = NULL;
    x->left = 0;
    x->is_done = x->is_paused = x->has_ended = false;
    x->fault = CR_EXCHANGE_FINE;
    x->code = CURLE_OK;
    x->reason[0] = x->type[0] = x->session[0] = '\0';
    x->body = CR_EXCHANGE_UNKNOWN;
    x->stored.len = x->used = x->in_left = x->body_bytes = 0;
    clear_reader(x);
}

/* --- the answer ------------------------------------------------------------------------------- */

static void feed(struct cr_exchange *x, const void *bytes, size_t len)
{
    x->in = bytes;
    x->in_left = len;
}

/* Feeds the next piece of an event. Returns false if no more has come. */
static bool feed_event(struct cr_exchange *x)
{
    const uint8_t *at = x->stored.data ? x->stored.data + x->used : NULL;
    size_t left = x->stored.len - x->used;
    struct cr_sse_piece piece;
    bool found = cr_sse_next(&x->sse, &at, &left, &piece);

    x->used = x->stored.len - left;
    if (!found)
        return false;
    if (piece.kind == CR_SSE_DATA)
        feed(x, piece.at, piece.len);
    else if (piece.kind == CR_SSE_END)
        feed(x, "\n", 1);
    else
        clear_reader(x);
    return true;
}

/* Feeds what has come of the document, and at its end a line feed. */
static bool feed_document(struct cr_exchange *x)
{
    if (x->used < x->stored.len)
        feed(x, x->stored.data + x->used, x->stored.len - x->used);
    else if (x->is_done && !x->has_ended && x->code == CURLE_OK)
        feed(x, "\n", 1);
    else
        return false;
    x->has_ended = x->used == x->stored.len;
    x->used = x->stored.len;
    return true;
}

bool cr_exchange_next(struct cr_exchange *x, struct cr_message *ret)
{
    bool more = true;

    while (more) {
        if (cr_reader_next(&x->reader, &x->in, &x->in_left, ret))
            return true;
        more = x->body == CR_EXCHANGE_EVENTS ? feed_event(x)
               : x->body == CR_EXCHANGE_JSON ? feed_document(x)
                                             : false;
    }
    x->stored.len = x->used = 0;
    return false;
}

void cr_exchange_continue(struct cr_exchange *x)
{
    if (!x->is_paused)
        return;
    x->is_paused = false;
    (void)x->multi->lib->easy_pause(x->easy, CURLPAUSE_CONT);
}

size_t cr_exchange_kept(const struct cr_exchange *x)
{
    return x->reader.done ? 0 : x->reader.line.len;
}

bool cr_exchange_is_over(const struct cr_exchange *x)
{
    return x->is_done && !x->in_left && x->used == x->stored.len &&
           (x->body != CR_EXCHANGE_JSON || x->has_ended || x->code != CURLE_OK);
}
