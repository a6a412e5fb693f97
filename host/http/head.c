/* head.c - reads the status line and the fields of a head, as ETag, Cache-Control and Location. */
#include "http/head.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A part of a line. */
struct span {
    const char *at;
    size_t len;
};

void cr_http_head_init(struct cr_http_head *head)
{
    memset(head, 0, sizeof(*head));
    head->max_age_s = -1;
    head->retry_after_s = -1;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct span trim(struct span s)
{
    while (s.len && is_space(s.at[0])) {
        s.at++;
        s.len--;
    }
    while (s.len && is_space(s.at[s.len - 1]))
        s.len--;
    return s;
}

static bool is_word(struct span s, const char *word)
{
    return s.len == strlen(word) && strncasecmp(s.at, word, s.len) == 0;
}

/* Returns a number of seconds, 10 digits at most, in quotes or not; or -1. */
static int64_t seconds(struct span s)
{
    int64_t n = 0;

    if (s.len >= 2 && s.at[0] == '"' && s.at[s.len - 1] == '"')
        s = (struct span){s.at + 1, s.len - 2};
    if (s.len == 0 || s.len > 10)
        return -1;
    for (size_t i = 0; i < s.len; i++) {
        if (s.at[i] < '0' || s.at[i] > '9')
            return -1;
        n = n * 10 + (s.at[i] - '0');
    }
    return n;
}

/* Of several times, the shortest counts. */
static void limit_age(struct cr_http_head *head, int64_t s)
{
    if (s < 0)
        s = 0;
    if (s > CR_HTTP_HEAD_FRESH_MAX)
        s = CR_HTTP_HEAD_FRESH_MAX;
    if (head->max_age_s < 0 || s < head->max_age_s)
        head->max_age_s = s;
}

static void read_cache_control(struct cr_http_head *head, struct span value)
{
    while (value.len) {
        const char *comma = memchr(value.at, ',', value.len);
        size_t len = comma ? (size_t)(comma - value.at) : value.len;
        struct span part = trim((struct span){value.at, len});

        if (is_word(part, "no-store"))
            head->no_store = true;
        else if (is_word(part, "no-cache"))
            limit_age(head, 0);
        else if (part.len >= 8 && strncasecmp(part.at, "max-age=", 8) == 0)
            limit_age(head, seconds((struct span){part.at + 8, part.len - 8}));
        value.at += len + (comma ? 1 : 0);
        value.len -= len + (comma ? 1 : 0);
    }
}

/* Ignores an ETag that is too long, or could not be sent back unchanged. */
static void read_etag(struct cr_http_head *head, struct span value)
{
    head->etag[0] = '\0';
    if (value.len >= sizeof(head->etag))
        return;
    for (size_t i = 0; i < value.len; i++)
        if (value.at[i] < 0x20 || value.at[i] > 0x7e)
            return;
    memcpy(head->etag, value.at, value.len);
    head->etag[value.len] = '\0';
}

static void read_location(struct cr_http_head *head, struct span value)
{
    size_t most = sizeof(head->location) - 1;

    (void)snprintf(head->location, sizeof(head->location), "%.*s",
                   (int)(value.len < most ? value.len : most), value.at);
}

static void read_status(struct cr_http_head *head, struct span line)
{
    const char *space = memchr(line.at, ' ', line.len);
    size_t bytes = head->bytes;
    unsigned codings = head->codings; /* counts those of informational answers, too */

    cr_http_head_init(head);
    head->bytes = bytes;
    head->codings = codings;
    head->has_begun = true;
    if (!space || (size_t)(space - line.at) + 4 > line.len)
        return;
    head->status = (long)seconds((struct span){space + 1, 3});
}

/* Content-Encoding: caprun asks for gzip, and accepts it once. */
static unsigned count_codings(struct span value)
{
    if (is_word(value, "identity") || !value.len)
        return 0;
    return is_word(value, "gzip") || is_word(value, "x-gzip") ? 1 : 2;
}

static void read_field(struct cr_http_head *head, struct span line)
{
    const char *colon = memchr(line.at, ':', line.len);
    struct span name, value;

    if (!colon)
        return;
    name = (struct span){line.at, (size_t)(colon - line.at)};
    value = trim((struct span){colon + 1, line.len - name.len - 1});
    if (is_word(name, "etag"))
        read_etag(head, value);
    else if (is_word(name, "cache-control"))
        read_cache_control(head, value);
    else if (is_word(name, "age"))
        head->age_s = seconds(value) > 0 ? seconds(value) : 0;
    else if (is_word(name, "retry-after"))
        head->retry_after_s = seconds(value);
    else if (is_word(name, "location"))
        read_location(head, value);
    else if (is_word(name, "content-encoding"))
        head->codings += count_codings(value);
    else if (is_word(name, "transfer-encoding"))
        head->codings += is_word(value, "chunked") ? 0 : 2;
}

bool cr_http_head_line(struct cr_http_head *head, const char *line, size_t len)
{
    struct span text = trim((struct span){line, len});

    head->bytes += len;
    if (head->bytes > CR_HTTP_HEAD_MAX)
        return false;
    if (head->done)
        return true;
    if (text.len == 0) {
        head->done = head->status >= 200;
        head->has_begun = false;
    } else if (!head->has_begun && text.len >= 5 && memcmp(text.at, "HTTP/", 5) == 0)
        read_status(head, text);
    else
        read_field(head, text);
    return true;
}

int64_t cr_http_head_fresh_s(const struct cr_http_head *head)
{
    if (head->max_age_s < 0)
        return -1;
    return head->max_age_s > head->age_s ? head->max_age_s - head->age_s : 0;
}

const char *cr_http_head_words(long status)
{
    static const struct {
        long status;
        const char *words;
    } known[] = {
        {301, "Moved Permanently"},     {302, "Found"},          {304, "Not Modified"},
        {400, "Bad Request"},           {401, "Unauthorized"},   {403, "Forbidden"},
        {405, "Method Not Allowed"},    {406, "Not Acceptable"}, {429, "Too Many Requests"},
        {500, "Internal Server Error"}, {502, "Bad Gateway"},    {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].status == status)
            return known[i].words;
    return "";
}
