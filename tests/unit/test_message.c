/*
 * test_message.c - reading lines of JSON-RPC: their parts, wherever the stream is cut; lines that
 * are not messages; and lines that are too long.
 */
#include "messages.h"

/* --- messages ------------------------------------------------------------------------------- */

TEST(each_kind_is_told_by_its_parts_wherever_the_stream_is_cut)
{
    CHECK(reads("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":[1]}}\n",
                "RESULT 7 id=7 result={\"a\":[1]}\n"));
    CHECK(reads("{\"id\":7,\"result\":[],\"error\":null}\n", "RESULT 7 id=7 result=[]\n"));
    CHECK(reads("{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-1}}\n",
                "ERROR 7 id=7 error={\"code\":-1}\n"));
    CHECK(reads("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}\n",
                "REQUEST id=\"a\" method=ping\n"));
    CHECK(reads("{\"method\":\"roots/list\",\"id\":3,\"params\":{}}\n",
                "REQUEST id=3 method=roots/list params={}\n"));
    CHECK(reads("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":[1, 2]}\n",
                "NOTIFICATION method=notifications/x params=[1, 2]\n"));
}

TEST(several_lines_come_one_by_one_and_the_last_only_when_it_ends)
{
    CHECK(reads("{\"id\":1,\"result\":1}\n{\"id\":2,\"result\":2}\n\n{\"id\":3,\"result\":3}",
                "RESULT 1 id=1 result=1\nRESULT 2 id=2 result=2\n"));
}

TEST(every_type_of_value_is_a_whole_part)
{
    static const char *const values[] = {"null",       "true",     "-1.5e+3",      "\"\"",
                                         "\"a b\"",    "[]",       "{}",           "[[],[]]",
                                         "{\"a\":{}}", "\"\\\\\"", "\"\\\"}\\\"\""};
    char stream[128], wanted[128];

    for (size_t i = 0; i < COUNT(values); i++) {
        (void)snprintf(stream, sizeof(stream), "{\"result\":%s,\"id\":1}\n", values[i]);
        (void)snprintf(wanted, sizeof(wanted), "RESULT 1 id=1 result=%s\n", values[i]);
        CHECK(reads(stream, wanted));
        (void)snprintf(stream, sizeof(stream), " { \"id\" : 1 , \"result\"\t:\t%s } \n", values[i]);
        CHECK(reads(stream, wanted));
    }
}

TEST(strings_may_hold_brackets_escapes_and_quotes)
{
    CHECK(reads("{\"id\":4,\"result\":{\"t\":\"}]{[\\\"}\\\\\",\"u\":\"\\\\\\\"\\\\\"}}\n",
                "RESULT 4 id=4 result={\"t\":\"}]{[\\\"}\\\\\",\"u\":\"\\\\\\\"\\\\\"}\n"));
    CHECK(reads("{\"x\":\"\\\",\\\"id\\\":9\",\"result\":\"\\\\\",\"id\":4}\n",
                "RESULT 4 id=4 result=\"\\\\\"\n"));
}

TEST(only_keys_at_the_top_are_parts)
{
    CHECK(reads("{\"result\":{\"id\":9,\"error\":{},\"method\":\"m\"},\"id\":4,"
                "\"idx\":5,\"i\":6,\"jsonrpcx\":7,\"\":8}\n",
                "RESULT 4 id=4 result={\"id\":9,\"error\":{},\"method\":\"m\"}\n"));
}

TEST(characters_may_be_split_between_chunks)
{
    CHECK(reads("{\"id\":1,\"result\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"}\n",
                "RESULT 1 id=1 result=\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"\n"));
}

TEST(a_carriage_return_belongs_to_the_end_of_a_line)
{
    struct cr_message m = {0};
    static const char line[] = "{\"id\":1,\"result\":2}\r\n";
    const uint8_t *at = (const uint8_t *)line;
    size_t len = sizeof(line) - 1;

    CHECK(reads("{\"id\":1,\"result\":2}\r\n\r\n{\"id\":3,\"result\":4}\r\n",
                "RESULT 1 id=1 result=2\nRESULT 3 id=3 result=4\n"));
    start(MAX);
    CHECK(cr_reader_next(&reader, &at, &len, &m));
    CHECK(m.len == sizeof(line) - 3 && len == 0);
}

TEST(a_line_within_one_chunk_is_not_copied)
{
    static const char line[] = "{\"id\":1,\"result\":2}\n";
    const uint8_t *at = (const uint8_t *)line;
    size_t len = sizeof(line) - 1;
    struct cr_message m = {0};

    start(MAX);
    CHECK(cr_reader_next(&reader, &at, &len, &m));
    CHECK(m.bytes == line && m.result.at == line + 17 && !reader.line.data);
}

TEST(a_slash_in_a_method_may_be_escaped_and_other_escapes_stay)
{
    CHECK(reads("{\"method\":\"notifications\\/progress\"}\n",
                "NOTIFICATION method=notifications/progress\n"));
    CHECK(reads("{\"method\":\"\\u0070ing\",\"id\":1}\n", "REQUEST id=1 method=\\u0070ing\n"));
    CHECK(reads("{\"method\":\"\\\\\\/\"}\n", "NOTIFICATION method=\\\\/\n"));
    CHECK(reads("{\"method\":\"\"}\n", "NOTIFICATION method=\n"));
}

TEST(an_id_is_a_whole_number_or_zero)
{
    CHECK(reads("{\"id\":18446744073709551615,\"result\":1}\n",
                "RESULT 18446744073709551615 id=18446744073709551615 result=1\n"));
    CHECK(reads("{\"id\":18446744073709551616,\"result\":1}\n",
                "RESULT id=18446744073709551616 result=1\n"));
    CHECK(reads("{\"id\":100000000000000000000000001,\"result\":1}\n",
                "RESULT id=100000000000000000000000001 result=1\n"));
    CHECK(reads("{\"id\":-1,\"result\":1}\n", "RESULT id=-1 result=1\n"));
    CHECK(reads("{\"id\":1.5,\"result\":1}\n", "RESULT id=1.5 result=1\n"));
    CHECK(reads("{\"id\":null,\"error\":{}}\n", "ERROR id=null error={}\n"));
    CHECK(reads("{\"error\":{}}\n", "ERROR error={}\n"));
}

/* --- batches -------------------------------------------------------------------------------- */

TEST(each_element_of_a_batch_is_a_message)
{
    CHECK(reads("[{\"id\":1,\"result\":[1,\"]\"]} , {\"method\":\"m\"},\t{\"error\":{},\"id\":2}]\n"
                "{\"id\":3,\"result\":3}\n",
                "RESULT 1 id=1 result=[1,\"]\"]\nNOTIFICATION method=m\nERROR 2 id=2 error={}\n"
                "RESULT 3 id=3 result=3\n"));
}

TEST(an_element_of_a_batch_that_is_no_message_is_noise)
{
    CHECK(reads("[1,[{\"id\":1,\"result\":1}],\"a,b\",{\"id\":2,\"result\":2},null]\r\n",
                "NOISE (not an object)\nNOISE (not an object)\nNOISE (not an object)\n"
                "RESULT 2 id=2 result=2\nNOISE (not an object)\n"));
    CHECK(reads(" [ ] \n", "NOISE (an empty batch)\n"));
}

/* --- noise ---------------------------------------------------------------------------------- */

TEST(blank_lines_are_passed_over)
{
    CHECK(reads("\n\r\n \t \n\n", ""));
}

TEST(a_banner_is_noise_and_harms_no_other_line)
{
    CHECK(reads("Server 1.0 {\n{\"id\":1,\"result\":2}\n12\n\"x\"\n",
                "NOISE (expected a value, not 'S')\nRESULT 1 id=1 result=2\n"
                "NOISE (not an object)\nNOISE (not an object)\n"));
    CHECK(reads("\xef\xbb\xbf{\"id\":1,\"result\":2}\n{\"id\":1,\"result\":2}\n",
                "NOISE (a byte-order mark)\nRESULT 1 id=1 result=2\n"));
}

TEST(noise_is_the_line_as_it_came)
{
    struct cr_message m = {0};
    const uint8_t *at = (const uint8_t *)" up!\r\n{";
    size_t len = 7;

    start(MAX);
    CHECK(cr_reader_next(&reader, &at, &len, &m));
    CHECK(m.kind == CR_MESSAGE_NOISE && m.len == 4 && memcmp(m.bytes, " up!", 4) == 0);
    CHECK(!cr_reader_next(&reader, &at, &len, &m) && len == 0);
}

TEST(almost_valid_json_is_noise)
{
    static const struct {
        const char *line;
        size_t len;
    } all[] = {
#define LINE(text)        \
    {                     \
        text,             \
        sizeof(text) - 1, \
    }
        LINE("{\"id\":1,\"result\":\"\xff\"}\n"), LINE("{\"id\":1,\"result\":\"\xc3\"}\n"),
        LINE("{\"id\":1,\"result\":\"\0\"}\n"),   LINE("\0{\"id\":1,\"result\":1}\n"),
        LINE("{\"id\":1,\"result\":1}\0\n"),      LINE("{\"id\":1,\"result\":1},\n"),
        LINE("{\"id\":1,\"result\":[1,]}\n"),     LINE("{\"id\":01,\"result\":1}\n"),
        LINE("{\"id\":1,\"result\":1\n"),         LINE("[{\"id\":1,\"result\":1}\n"),
#undef LINE
    };

    for (size_t i = 0; i < COUNT(all); i++) {
        start(MAX);
        feed(all[i].line, all[i].len);
        feed("{\"id\":2,\"result\":2}\n", 20);
        CHECK(cr_buf_text(&shown) && strncmp((char *)shown.data, "NOISE (", 7) == 0);
        CHECK(strcmp(strchr((char *)shown.data, '\n'), "\nRESULT 2 id=2 result=2\n") == 0);
    }
}

TEST(ambiguous_json_is_noise)
{
    CHECK(reads("{\"id\":1,\"result\":1,\"id\":2}\n",
                "NOISE (a key of JSON-RPC that is there twice)\n"));
    CHECK(reads("{\"id\":1,\"result\":1,\"result\":2}\n",
                "NOISE (a key of JSON-RPC that is there twice)\n"));
    CHECK(reads("{\"\\u0069d\":1,\"result\":1}\n",
                "NOISE (a key at the top that is written with escapes)\n"));
    CHECK(reads("{\"id\":1,\"result\":{\"id\":1,\"id\":2,\"\\u0069d\":3},\"x\":1,\"x\":2}\n",
                "RESULT 1 id=1 result={\"id\":1,\"id\":2,\"\\u0069d\":3}\n"));
}

TEST(json_that_is_no_message_is_noise_and_the_words_say_why)
{
    CHECK(reads("{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":1}\n",
                "NOISE (a version of JSON-RPC that is not \"2.0\")\n"));
    CHECK(reads("{\"jsonrpc\":2.0,\"id\":1,\"result\":1}\n",
                "NOISE (a version of JSON-RPC that is not \"2.0\")\n"));
    CHECK(reads("{}\n{\"id\":1}\n", "NOISE (neither a method nor an answer)\n"
                                    "NOISE (neither a method nor an answer)\n"));
    CHECK(reads("{\"id\":1,\"result\":1,\"error\":{}}\n", "NOISE (both a result and an error)\n"));
    CHECK(reads("{\"id\":1,\"result\":1,\"method\":\"m\"}\n",
                "NOISE (both a method and an answer)\n"));
    CHECK(reads("{\"id\":1,\"method\":1}\n", "NOISE (a method that is not a string)\n"));
    CHECK(reads("{\"id\":null,\"method\":\"m\"}\n",
                "NOISE (a request whose id is neither a string nor a number)\n"));
    CHECK(reads("{\"id\":\"1\",\"result\":1}\n", "NOISE (a result whose id is not a number)\n"));
    CHECK(reads("{\"result\":1}\n", "NOISE (a result whose id is not a number)\n"));
    CHECK(reads("{\"id\":1,\"error\":\"e\"}\n", "NOISE (an error that is not an object)\n"));
    CHECK(reads("{\"id\":[],\"error\":{}}\n",
                "NOISE (an error whose id is neither a number nor null)\n"));
}

/* --- too long ------------------------------------------------------------------------------- */

/* Feeds |before|, |len| letters and |after|, then a short answer. Is the result |wanted|? */
static bool long_line_is(const char *before, size_t len, const char *after, const char *wanted)
{
    static const size_t chunks[] = {1, 7, 64, 1000, 1 << 20};
    struct cr_buf line;
    bool same = true;

    cr_buf_init(&line, 1 << 20);
    cr_buf_str(&line, before);
    while (len--)
        cr_buf_str(&line, "x");
    cr_buf_str(&line, after);
    cr_buf_str(&line, "\n{\"id\":2,\"result\":2}\n");
    for (size_t i = 0; i < COUNT(chunks) && same; i++) {
        start(MAX);
        for (size_t at = 0; at < line.len; at += chunks[i])
            feed((char *)line.data + at, line.len - at < chunks[i] ? line.len - at : chunks[i]);
        same = shows(wanted) && reader.line.cap <= MAX + 1;
    }
    cr_buf_clear(&line);
    return same;
}

#define THEN "RESULT 2 id=2 result=2\n"
#define TOO_LONG_7 "TOO_LONG 7 (the line is too long)\n" THEN
#define TOO_LONG "TOO_LONG (the line is too long)\n" THEN

TEST(the_id_of_a_line_over_the_ceiling_is_known_wherever_it_stands)
{
    CHECK(long_line_is("{\"id\":7,\"result\":\"", 9000, "\"}", TOO_LONG_7));
    CHECK(long_line_is("{\"result\":\"", 9000, "\",\"id\":7}\r", TOO_LONG_7));
    CHECK(long_line_is("{\"result\":{\"id\":3,\"a\":[\"", 9000, "\\\\\",\"\\\"\"]}, \"id\" : 7 }",
                       TOO_LONG_7));
    CHECK(long_line_is("{\"error\":{\"message\":\"", 9000, "\"},\"id\":7}", TOO_LONG_7));
    CHECK(long_line_is("{\"", 9000, "\":1,\"id\":7,\"result\":1}", TOO_LONG_7));
}

TEST(a_line_over_the_ceiling_without_an_id_of_ours_has_none)
{
    CHECK(long_line_is("{\"result\":\"", 9000, "\"}", TOO_LONG));
    CHECK(long_line_is("{\"result\":{\"id\":7,\"a\":\"", 9000, "\"}}", TOO_LONG));
    CHECK(long_line_is("{\"id\":\"7\",\"result\":\"", 9000, "\"}", TOO_LONG));
    CHECK(long_line_is("{\"id\":7,\"id\":7,\"result\":\"", 9000, "\"}", TOO_LONG));
    CHECK(long_line_is("{\"id\":7,\"result\":\"", 9000, "\",\"id\":8}", TOO_LONG));
    CHECK(long_line_is("{\"id\":7,\"result\":\"", 9000, "\",\"\\u0069d\":8}", TOO_LONG));
    CHECK(long_line_is("{\"result\":\"", 9000, "\",\"id\":7", TOO_LONG));
    CHECK(long_line_is("[{\"id\":7,\"result\":\"", 9000, "\"}]", TOO_LONG));
    CHECK(long_line_is("", 9000, "", TOO_LONG));
    CHECK(long_line_is("", 9000, "{\"id\":7,\"result\":1}", TOO_LONG));
}

TEST(the_id_of_a_question_over_the_ceiling_is_not_taken_for_one_of_ours)
{
    CHECK(long_line_is("{\"id\":7,\"method\":\"m\",\"params\":\"", 9000, "\"}", TOO_LONG));
    CHECK(long_line_is("{\"id\":7,\"result\":\"", 9000, "\",\"method\":\"m\"}", TOO_LONG));
    CHECK(long_line_is("{\"id\":7,\"params\":\"", 9000, "\"}", TOO_LONG));
}

TEST(a_line_may_be_as_long_as_the_ceiling_and_its_end_does_not_count)
{
    static const char before[] = "{\"id\":7,\"x\":\"", after[] = "\",\"result\":1}";
    size_t most = MAX - (sizeof(before) - 1) - (sizeof(after) - 1);

    CHECK(long_line_is(before, most, after, "RESULT 7 id=7 result=1\n" THEN));
    CHECK(long_line_is(before, most, "\",\"result\":1}\r", "RESULT 7 id=7 result=1\n" THEN));
    CHECK(long_line_is(before, most + 1, after, TOO_LONG_7));
    CHECK(long_line_is(before, most + 1, "\",\"result\":1}\r", TOO_LONG_7));
}

TEST(an_answer_that_is_too_deep_is_told_like_one_that_is_too_long)
{
    static char line[3000];
    int len;

    memset(line, '[', sizeof(line));
    len = snprintf(line, 20, "{\"id\":7,\"result\":");
    line[len] = '[';
    memset(line + len + 1200, ']', 1200);
    (void)snprintf(line + len + 2400, 10, "}\n");
    CHECK(reads(line, "TOO_LONG 7 (more than 1000 levels deep)\n"));
    (void)snprintf(line + len + 1200, 10, "\n");
    CHECK(reads(line, "TOO_LONG 7 (more than 1000 levels deep)\n"));
}

TEST(the_buffer_of_a_big_line_is_given_back)
{
    size_t big = 3u << 20;
    char *line = malloc(big);

    CHECK(line);
    memset(line, ' ', big);
    start(4u << 20);
    feed(line, big);
    CHECK(reader.line.cap >= big);
    feed("{\"id\":1,\"result\":2}\n", 20);
    CHECK(shows("RESULT 1 id=1 result=2\n") && reader.line.cap == 0);
    feed("{\"id\":1,", 8);
    feed("\"result\":2}\n", 12);
    CHECK(reader.line.cap > 0 && reader.line.cap < 4096);
    start(big - 1);
    feed(line, big - 1);
    feed(line, big);
    CHECK(reader.line.cap == 0);
    feed("\n", 1);
    CHECK(shows("TOO_LONG (the line is too long)\n"));
    free(line);
}

/* Returns whether a line with a result of |len| digits, and |padding| bytes more, lends its memory.
 */
static bool is_lent(size_t len, size_t padding)
{
    char *line = malloc(len + padding + 100), *at = line;
    struct cr_message m = {0};
    bool lent, whole;

    if (!line)
        return false;
    at += sprintf(at, "{\"id\":1,\"x\":\"");
    memset(at, 'x', padding);
    at += padding;
    at += sprintf(at, "\",\"result\":1");
    memset(at, '2', len - 1);
    at += len - 1;
    at += sprintf(at, "}");
    start(4u << 20);
    feed(line, (size_t)(at - line));
    {
        const uint8_t *end = (const uint8_t *)"\n";
        size_t one = 1;

        whole = cr_reader_next(&reader, &end, &one, &m) && m.result.len == len;
        lent = m.block != NULL;
        (void)cr_reader_next(&reader, &end, &one, &m);
    }
    free(line);
    return whole && lent;
}

TEST(a_line_is_lent_only_if_most_of_its_memory_is_the_result)
{
    CHECK(is_lent(200000, 10) && is_lent(200000, 30000));
    CHECK(!is_lent(200000, 1000000) && !is_lent(1, 1000000));
}

/* The shift makes strings, escapes and brackets fall on every place of the walk's blocks. */
static bool row_ends(const char *open, const char *row, const char *close, int shift)
{
    static char line[1000];
    const uint8_t *at = (const uint8_t *)line;
    struct cr_message m = {0};
    size_t len;

    len = (size_t)snprintf(line, sizeof(line), "{%*s\"x\":%s", shift, "", open);
    while (len < 700)
        len += (size_t)snprintf(line + len, sizeof(line) - len, "%s", row);
    len += (size_t)snprintf(line + len, sizeof(line) - len, "%s,\"result\":[1],\"id\":5}\n", close);
    start(MAX);
    return cr_reader_next(&reader, &at, &len, &m) && m.kind == CR_MESSAGE_RESULT && m.id == 5 &&
           m.result.len == 3;
}

TEST(long_values_end_where_they_end)
{
    for (int shift = 0; shift < 64; shift++) {
        CHECK(row_ends("[", "{\"a\":\"}\\\"]\"},", "0]", shift));
        CHECK(row_ends("[", "[[{}],\"\\\\\"],", "0]", shift));
        CHECK(row_ends("[", "\"{\\\\\\\"[\",", "0]", shift));
        CHECK(row_ends("[", "{},", "[]]", shift));
        CHECK(row_ends("[\"", "\\\\\\\\\\\"\\n\\\\", "\"]", shift));
    }
}

/* --- memory --------------------------------------------------------------------------------- */

TEST(a_line_without_memory_counts_as_too_long_and_its_id_is_known)
{
    int failed = 0;

    while (failing_more()) {
        struct cr_message m = {0};
        static const char *const parts[] = {"{\"id\":7,", "\"x\":\"0123456789\",",
                                            "\"y\":\"0123456789012345678901234567890123456789\"",
                                            ",\"result\":1}\n"};

        cr_reader_clear(&reader);
        cr_reader_init(&reader, MAX);
        for (size_t i = 0; i < COUNT(parts); i++) {
            const uint8_t *at = (const uint8_t *)parts[i];
            size_t len = strlen(parts[i]);

            CHECK(cr_reader_next(&reader, &at, &len, &m) == (i == 3));
        }
        failing_stop();
        CHECK(m.kind == (failing_failed ? CR_MESSAGE_TOO_LONG : CR_MESSAGE_RESULT) && m.id == 7);
        CHECK(!failing_failed || strcmp(m.why, "no memory for the line") == 0);
        failed += failing_failed;
    }
    CHECK(!failing_works() || failed >= 2);
}

TEST(a_batch_that_cannot_be_kept_is_too_long)
{
    static const char line[] = "[{\"id\":7,\"result\":1}]\n{\"id\":2,\"result\":2}\n";
    const uint8_t *at = (const uint8_t *)line;
    size_t len = sizeof(line) - 1;
    struct cr_message m = {0};

    if (!failing_works())
        return;
    start(MAX);
    failing_after(0);
    CHECK(cr_reader_next(&reader, &at, &len, &m));
    failing_stop();
    CHECK(m.kind == CR_MESSAGE_TOO_LONG && m.id == 0 && !m.bytes);
    CHECK(cr_reader_next(&reader, &at, &len, &m) && m.kind == CR_MESSAGE_RESULT && m.id == 2);
}

int main(int argc, char **argv)
{
    return messages_main(argc, argv);
}
