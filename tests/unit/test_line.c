/* test_line.c - the text of each line, and the chain of hashes. */
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/scan.h"
#include "journal/line.h"
#include "run/run_parts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct cr_buf text;
static struct cr_line line;

static void begin(void)
{
    cr_buf_clear(&text);
    cr_buf_init(&text, CR_LINE_MAX);
    cr_line_init(&line, &text);
}

static bool is(const char *wanted)
{
    const char *got = cr_buf_text(&text);

    if (got && strcmp(got, wanted) == 0)
        return true;
    printf("# got %s, wanted %s\n", got ? got : "nothing", wanted);
    return false;
}

/* --- values ------------------------------------------------------------------------------- */

TEST(json_is_unchanged_in_a_line_except_its_line_ends)
{
    static const char json[] = "{\"a\" :\r\n[1,\n\t2],\"b\\n\":\"\\r\xc3\xa9\"}";

    begin();
    cr_line_json(&line, "args", json, strlen(json));
    CHECK(is(",\"args\":{\"a\" :  [1, \t2],\"b\\n\":\"\\r\xc3\xa9\"}"));
    CHECK(line.blob_count == 0);
}

TEST(a_text_is_escaped)
{
    begin();
    cr_line_text(&line, "line", "a\"\\\n\0b", 6);
    CHECK(is(",\"line\":\"a\\\"\\\\\\n\\u0000b\""));
}

TEST(a_value_that_is_too_long_is_a_blob)
{
    static char json[CR_LINE_INLINE + 2];
    char wanted[300];
    uint8_t hash[CR_HASH_BYTES];
    char digits[CR_HASH_DIGITS + 1];

    memset(json, ' ', sizeof(json));
    json[0] = '7';
    begin();
    cr_line_json(&line, "json", json, CR_LINE_INLINE);
    CHECK(line.blob_count == 0 && text.len == CR_LINE_INLINE + strlen(",\"json\":"));
    begin();
    cr_line_json(&line, "json", json, CR_LINE_INLINE + 1);
    cr_hash_take(json, CR_LINE_INLINE + 1, hash);
    cr_hash_show(hash, digits);
    (void)snprintf(wanted, sizeof(wanted), ",\"jsonBlob\":\"%s\",\"jsonBytes\":65537", digits);
    CHECK(is(wanted));
    CHECK(line.blob_count == 1 && line.blobs[0].bytes == json);
    CHECK(line.blobs[0].len == CR_LINE_INLINE + 1 && strcmp(line.blobs[0].name, digits) == 0);
}

/* --- frames ------------------------------------------------------------------------------- */

/* A frame from a worker: |head|, then the parts. */
static void hear(unsigned type, uint32_t id, const void *head, size_t head_len, const char *rest)
{
    uint8_t payload[512];
    size_t len = head_len + strlen(rest);
    struct wire_header header = {.type = (uint16_t)type, .id = id, .length = (uint32_t)len};

    if (head_len)
        memcpy(payload, head, head_len);
    memcpy(payload + head_len, rest, strlen(rest) + 1);
    begin();
    cr_line_from_worker(&line, &header, payload);
}

TEST(each_frame_of_a_worker_has_its_body)
{
    struct wire_call call = {2, 3};
    struct wire_blocked blocked = {5, 3, 0, 4, 1};
    struct wire_threw threw = {1, 2, 3, 5, 3, 4};

    hear(WIRE_CALL, 7, &call, sizeof(call), "nsact{\"x\": 1}");
    CHECK(is("\"from\":\"call\",\"n\":7,\"method\":\"ns:act\",\"args\":{\"x\": 1}"));
    hear(WIRE_CALL, 7, &call, sizeof(call), "nsact{\"x\"");
    CHECK(is("\"from\":\"call\",\"n\":7,\"method\":\"ns:act\",\"argsText\":\"{\\\"x\\\"\""));
    hear(WIRE_LOG, 0, NULL, 0, "a\n\xe2\x82\xac");
    CHECK(is("\"from\":\"log\",\"line\":\"a\\n\xe2\x82\xac\""));
    hear(WIRE_LOG, 1, NULL, 0, "a");
    CHECK(is("\"from\":\"log\",\"cut\":true,\"line\":\"a\""));
    hear(WIRE_BLOCKED, 1, &blocked, sizeof(blocked), "fetchnetwhy;");
    CHECK(is("\"from\":\"blocked\",\"api\":\"fetch\",\"access\":\"net\",\"target\":\"\","
             "\"message\":\"why;\""));
    hear(WIRE_DONE, 0, NULL, 0, "[1,\n2]");
    CHECK(is("\"from\":\"done\",\"result\":[1, 2]"));
    hear(WIRE_THREW, 0, &threw, sizeof(threw), "Errormsgat x");
    CHECK(is("\"from\":\"threw\",\"why\":1,\"call\":2,\"blocked\":3,\"name\":\"Error\","
             "\"message\":\"msg\",\"stack\":\"at x\""));
    hear(WIRE_LATE, 0, NULL, 0, "at y");
    CHECK(is("\"from\":\"late\",\"stack\":\"at y\""));
    hear(WIRE_FULL, 0, NULL, 0, "");
    CHECK(is("\"from\":\"full\""));
}

/* A frame for a worker. */
static void tell(unsigned type, uint32_t id, const struct wire_part *parts, size_t count,
                 const struct cr_call *call)
{
    struct wire_header header = {.type = (uint16_t)type, .id = id, .date_us = 1010, .now_us = 10};

    begin();
    cr_line_to_worker(&line, &header, parts, count, call);
}

TEST(each_frame_for_a_worker_has_its_body)
{
    struct wire_reply tool = {.kind = WIRE_REPLY_TOOL}, value = {.kind = WIRE_REPLY_VALUE};
    struct wire_fail fail = {9, 2};
    struct cr_call call = {.state = CR_CALL_DENIED, .by = "rule", .rule = "a:*"};
    struct wire_part reply[] = {{&tool, sizeof(tool)}, {"{}", 2}};
    struct wire_part failure[] = {{&fail, sizeof(fail)}, {"RPC_ERROR", 9}, {"n\"", 2}};

    tell(WIRE_JOB, 0, NULL, 0, NULL);
    CHECK(is("\"to\":\"job\",\"date\":1000"));
    tell(WIRE_WAKE, 0, NULL, 0, NULL);
    CHECK(is("\"to\":\"wake\""));
    tell(WIRE_REPLY, 3, reply, 2, &call);
    CHECK(is("\"to\":\"reply\",\"n\":3,\"kind\":\"tool\",\"json\":{}"));
    reply[0].bytes = &value;
    tell(WIRE_REPLY, 3, reply, 2, &call);
    CHECK(is("\"to\":\"reply\",\"n\":3,\"kind\":\"value\",\"json\":{}"));
    tell(WIRE_FAIL, 3, failure, 3, &call);
    CHECK(strstr(cr_buf_text(&text), "\"state\":\"denied\",\"by\":\"rule"));
    call.state = CR_CALL_UNKNOWN;
    tell(WIRE_FAIL, 3, failure, 3, &call);
    CHECK(is("\"to\":\"fail\",\"n\":3,\"state\":\"unknown\",\"code\":\"RPC_ERROR\","
             "\"message\":\"n\\\"\""));
    call.state = CR_CALL_FAILED;
    tell(WIRE_FAIL, 3, failure, 3, &call);
    CHECK(strstr(cr_buf_text(&text), "\"state\":\"failed\",\"code\""));
}

/* --- hashes ------------------------------------------------------------------------------- */

static const char *const bodies[] = {"{\"journal\":1", "{\"at\":0,\"to\":\"wake\"", "{",
                                     "{\"h\":\"x\""};

static void seal_all(size_t ends[COUNT(bodies)])
{
    uint8_t chain[CR_HASH_BYTES] = {0};

    begin();
    for (size_t i = 0; i < COUNT(bodies); i++) {
        size_t start = text.len;

        cr_buf_str(&text, bodies[i]);
        cr_line_seal(&text, start, chain);
        ends[i] = text.len;
    }
}

/* Returns how many lines have the right hash. */
static size_t count_good(const size_t ends[COUNT(bodies)])
{
    uint8_t chain[CR_HASH_BYTES] = {0};
    size_t start = 0, i = 0;

    for (; i < COUNT(bodies); i++) {
        if (cr_line_check((char *)text.data + start, ends[i] - 1 - start, chain) !=
            strlen(bodies[i]))
            break;
        start = ends[i];
    }
    return i;
}

TEST(sealed_lines_have_the_right_hashes)
{
    size_t ends[COUNT(bodies)];

    seal_all(ends);
    CHECK(count_good(ends) == COUNT(bodies));
    CHECK(text.data[ends[0] - 1] == '\n' && text.data[ends[0] - 2] == '}');
    CHECK(memcmp(text.data, "{\"journal\":1,\"h\":\"", 18) == 0);
    CHECK(ends[0] == strlen(bodies[0]) + strlen(",\"h\":\"\"}\n") + CR_LINE_HASH);
}

TEST(the_first_hash_is_of_zeros_and_the_text)
{
    uint8_t both[CR_HASH_BYTES + 1] = {0}, hash[CR_HASH_BYTES], chain[CR_HASH_BYTES] = {0};
    char digits[CR_HASH_DIGITS + 1];

    both[CR_HASH_BYTES] = '{';
    cr_hash_take(both, sizeof(both), hash);
    cr_hash_show(hash, digits);
    begin();
    cr_buf_str(&text, "{");
    cr_line_seal(&text, 0, chain);
    CHECK(memcmp(text.data + strlen("{,\"h\":\""), digits, CR_LINE_HASH) == 0);
    CHECK(memcmp(chain, hash, sizeof(hash)) == 0);
}

TEST(each_changed_bit_makes_a_hash_wrong)
{
    size_t ends[COUNT(bodies)];

    seal_all(ends);
    for (size_t i = 0; i < text.len; i++) {
        size_t number = 0;

        while (i >= ends[number])
            number++;
        if (i == ends[number] - 1)
            continue; /* the line end is not part of the line */
        for (unsigned bit = 1; bit < 256; bit <<= 1) {
            text.data[i] ^= (uint8_t)bit;
            CHECK(count_good(ends) == number);
            text.data[i] ^= (uint8_t)bit;
        }
    }
    CHECK(count_good(ends) == COUNT(bodies));
}

TEST(a_line_that_is_too_short_for_a_hash_is_refused)
{
    uint8_t chain[CR_HASH_BYTES] = {0};
    const char *tail = ",\"h\":\"00000000000000000000000000000000\"}";

    for (size_t len = 0; len <= strlen(tail); len++)
        CHECK(cr_line_check(tail, len, chain) == 0);
}

TEST(a_buffer_that_has_failed_is_not_sealed)
{
    uint8_t chain[CR_HASH_BYTES] = {0}, zeros[CR_HASH_BYTES] = {0};

    cr_buf_clear(&text);
    cr_buf_init(&text, 4);
    cr_buf_str(&text, "{\"a\":1");
    CHECK(cr_buf_err(&text) == CAPRUN_E_TOOBIG);
    cr_line_seal(&text, 0, chain);
    CHECK(memcmp(chain, zeros, sizeof(chain)) == 0);
    cr_buf_clear(&text);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
