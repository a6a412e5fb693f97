/* line.c - writes and parses the lines of an audit. */
#include "audit/line.h"

#include <string.h>
#include <time.h>

#include "audit/record.h"
#include "base/date.h"

#define DAY_S 86400

static void write_digits(char *end, int count, int64_t number)
{
    for (; count > 0; count--, number /= 10)
        *--end = (char)('0' + number % 10);
}

static void add_time(struct cr_buf *out)
{
    char text[] = "\"time\":\"0000-00-00T00:00:00.000000Z\"";
    char *at = text + strlen("\"time\":\"");
    struct timespec now;
    struct cr_date date;
    int64_t s;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    s = now.tv_sec % DAY_S;
    date = cr_date_from_days(now.tv_sec / DAY_S);
    write_digits(at + 4, 4, date.year);
    write_digits(at + 7, 2, date.month);
    write_digits(at + 10, 2, date.day);
    write_digits(at + 13, 2, s / 3600);
    write_digits(at + 16, 2, s / 60 % 60);
    write_digits(at + 19, 2, s % 60);
    write_digits(at + 26, 6, now.tv_nsec / 1000);
    cr_buf_str(out, text);
}

void cr_audit_line_begin(struct cr_buf *body, const char *event)
{
    add_time(body);
    cr_buf_str(body, ",\"event\":\"");
    cr_buf_str(body, event);
    cr_buf_str(body, "\"");
}

void cr_audit_line_add(struct cr_buf *out, uint64_t n, const void *body, size_t len,
                       uint8_t chain[CR_HASH_BYTES])
{
    size_t start = out->len;
    char prev[CR_HASH_DIGITS + 1];

    cr_hash_show(chain, prev);
    cr_buf_str(out, "{\"n\":");
    cr_buf_number(out, n);
    cr_buf_str(out, ",");
    cr_buf_add(out, body, len);
    cr_buf_str(out, ",\"prev\":\"");
    cr_buf_add(out, prev, CR_HASH_DIGITS);
    cr_buf_str(out, "\"}");
    if (cr_buf_err(out))
        return;
    cr_hash_take(out->data + start, out->len - start, chain);
    cr_buf_str(out, "\n");
}

static const struct cJSON *get_string(const struct cJSON *root, const char *name)
{
    const struct cJSON *value = cr_json_get(root, name);

    return value && cr_json_type(value) == CR_JSON_STRING ? value : NULL;
}

int cr_audit_line_parse(const char *text, size_t len, struct cr_audit_line *ret)
{
    struct cr_audit_line line = {0};
    const struct cJSON *n, *prev, *event;
    struct cr_err err;

    if (cr_json_parse(text, len, &line.doc, &err) < 0)
        return err.code == CAPRUN_E_NOMEM ? CAPRUN_E_NOMEM : CAPRUN_E_INVAL;
    n = cr_json_get(line.doc.root, "n");
    prev = get_string(line.doc.root, "prev");
    event = get_string(line.doc.root, "event");
    if (!n || !prev || !event || cr_json_number(n, UINT64_MAX, &line.n) < 0 || line.n == 0 ||
        !cr_audit_hash_parse(cr_json_text(prev), line.prev)) {
        cr_json_clear(&line.doc);
        return CAPRUN_E_INVAL;
    }
    line.event = cr_json_text(event);
    *ret = line;
    return 0;
}

void cr_audit_line_clear(struct cr_audit_line *line)
{
    cr_json_clear(&line->doc);
}

const char *cr_audit_line_get(const struct cr_audit_line *line, const char *name)
{
    const struct cJSON *value = cr_json_get(line->doc.root, name);
    const char *text = value ? cr_json_text(value) : NULL;

    return text ? text : "";
}
