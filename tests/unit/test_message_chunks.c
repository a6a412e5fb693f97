/*
 * test_message_chunks.c - reading long lines of JSON-RPC: batches, and the work done while a line
 * still arrives.
 */
#include "messages.h"

#include "base/json.h"
#include "base/locate.h"

/* One batch of |count| answers with the ids 1, 2 and so on, and its end of line. */
static size_t make_batch(char *to, size_t size, unsigned count)
{
    size_t len = 0;

    for (unsigned i = 1; i <= count; i++)
        len += (size_t)snprintf(to + len, size - len, "%c{\"id\":%u,\"result\":0}",
                                i == 1 ? '[' : ',', i);
    return len + (size_t)snprintf(to + len, size - len, "]\n");
}

TEST(a_batch_that_is_no_json_hands_out_nothing)
{
    CHECK(reads("[{\"id\":1,\"result\":2}]]\n{\"id\":3,\"result\":4}\n",
                "NOISE (expected the end of the text, not ']')\nRESULT 3 id=3 result=4\n"));
}

TEST(a_batch_has_no_more_than_so_many_messages)
{
    static char line[64u << 10];
    static const size_t pieces[] = {sizeof(line), 1000, 7};

    for (size_t i = 0; i < COUNT(pieces); i++)
        for (unsigned over = 0; over < 2; over++) {
            size_t len = make_batch(line, sizeof(line), CR_BATCH_MAX + over);

            start(1u << 20);
            for (size_t at = 0; at < len; at += pieces[i])
                feed(line + at, len - at < pieces[i] ? len - at : pieces[i]);
            feed("{\"id\":5,\"result\":6}\n", 20);
            CHECK(cr_buf_text(&shown) && strstr(cr_buf_text(&shown), "RESULT 5 id=5 result=6\n"));
            CHECK(!!strstr(cr_buf_text(&shown), "RESULT 1000 id=1000") == !over);
            CHECK(!over || shows("NOISE (a batch of more than 1000 messages, or 4 MiB)\n"
                                 "RESULT 5 id=5 result=6\n"));
            CHECK(!reader.batch.messages);
        }
}

/* The last message of a long batch costs as little as the first: no search restarts. */
TEST(a_message_of_a_batch_is_found_before_the_batch_is_whole)
{
    static char line[64u << 10];
    size_t len = make_batch(line, sizeof(line), 500);

    start(1u << 20);
    feed(line, len - 2);
    CHECK(reader.batch.count == 500 && reader.batch.messages[499].walk.at > 0 && shown.len == 0);
    feed(line + len - 2, 2);
    CHECK(cr_buf_text(&shown) && strstr(cr_buf_text(&shown), "RESULT 500 id=500 result=0\n"));
}

/* --- lines in several chunks ---------------------------------------------------------------- */

TEST(a_line_is_scanned_and_walked_over_as_it_arrives)
{
    size_t big = 512u << 10;
    char *line = malloc(big);

    CHECK(line);
    memset(line, 'x', big);
    memcpy(line, "{\"id\":7,\"result\":[\"", 19);
    memcpy(line + big - 3, "\"]}", 3);
    start(4u << 20);
    for (size_t at = 0; at < big; at += 64u << 10) {
        feed(line + at, 64u << 10);
        CHECK(reader.scan.done > at + (60u << 10) && reader.walk.at == at + (64u << 10));
    }
    feed("\n", 1);
    CHECK(shown.len > big && strncmp((char *)shown.data, "RESULT 7 id=7 result=[\"xxx", 25) == 0);
    free(line);
}

/* Feeds a result of |len| characters in two pieces. Does the message own the line's memory? */
static bool offers_memory(size_t len)
{
    static char line[1u << 20];
    size_t head = (size_t)snprintf(line, sizeof(line), "{\"id\":1,\"result\":\"");
    size_t parts[2] = {head + len / 2, len - len / 2 + 3};
    const uint8_t *at = (const uint8_t *)line;
    struct cr_message m = {0};

    memset(line + head, 'x', len);
    memcpy(line + head + len, "\"}\n", 3);
    for (size_t i = 0; i < 2; i++)
        (void)cr_reader_next(&reader, &at, &parts[i], &m);
    return m.kind == CR_MESSAGE_RESULT && m.result.len == len + 2 && m.block;
}

TEST(a_short_line_is_not_kept_in_the_memory_of_a_long_one)
{
    start(1u << 20);
    CHECK(offers_memory(900000)); /* not taken, so the buffer is kept for the next line */
    CHECK(reader.line.cap <= 1u << 20 && !offers_memory(70000) && offers_memory(900000));
    start(1u << 20);
    CHECK(offers_memory(70000));
}

TEST(what_is_no_json_is_known_before_the_line_is_whole)
{
    start(MAX);
    feed("{\"id\":7,,", 10);
    CHECK(reader.scan.code == CAPRUN_E_INVAL);
    feed("\"result\":1}", 11);
    feed("\r\n", 2);
    CHECK(cr_buf_text(&shown) && strncmp((char *)shown.data, "NOISE (", 7) == 0);
}

/* Is the type of |result| |wanted|, also if it arrives in pieces? */
static bool type_is(const char *result, const char *wanted)
{
    char line[300];
    int size = snprintf(line, sizeof(line), "{\"id\":1,\"result\":%s}\n", result);

    for (int cut = 1; cut < size; cut++) {
        const uint8_t *at = (const uint8_t *)line;
        size_t len = (size_t)cut, peeked_len = 0;
        struct cr_message m = {0};
        const char *peeked = cr_locate_member(result, strlen(result), "resultType", &peeked_len);

        start(MAX);
        cr_reader_find_types(&reader);
        if (!cr_reader_next(&reader, &at, &len, &m)) {
            len = (size_t)(size - cut);
            at = (const uint8_t *)line + cut;
            if (!cr_reader_next(&reader, &at, &len, &m) || !m.has_type)
                return false;
        }
        if (m.kind != CR_MESSAGE_RESULT || !m.has_type || !!m.type.at != !!wanted ||
            !!peeked != !!wanted)
            return false;
        if (wanted &&
            (m.type.len != strlen(wanted) || m.type.len != peeked_len ||
             memcmp(m.type.at, wanted, m.type.len) != 0 || memcmp(peeked, wanted, peeked_len) != 0))
            return false;
    }
    return true;
}

TEST(the_type_of_a_result_in_several_chunks_is_what_a_look_at_all_of_it_finds)
{
    CHECK(type_is("{\"resultType\":\"complete\"}", "\"complete\""));
    CHECK(type_is("{\"a\":[{\"resultType\":1}], \"resultType\" : [2,{}] ,\"z\":3}", "[2,{}]"));
    CHECK(type_is("{\"resultType\":1,\"resultType\":2}", "1"));
    CHECK(type_is("{\"x\\\"resultType\":1,\"resultType\":-2.5}", "-2.5"));
    CHECK(type_is("{\"resultTyp\\u0065\":1}", NULL));
    CHECK(type_is("{\"resultType\\\\\":1,\"\\\"\":2,\"resultType\\\"\":3}", NULL));
    CHECK(type_is("{\"resultTypes\":1,\"resultTyp\":2,\"\":3}", NULL));
    CHECK(type_is("[\"resultType\",1]", NULL));
    CHECK(type_is("{}", NULL));
    CHECK(type_is("null", NULL));
}

TEST(in_one_chunk_or_unasked_the_type_is_not_looked_for)
{
    static const char line[] = "{\"id\":1,\"result\":{\"resultType\":1}}\n";
    const uint8_t *at = (const uint8_t *)line;
    size_t len = sizeof(line) - 1;
    struct cr_message m = {0};

    start(MAX);
    cr_reader_find_types(&reader);
    CHECK(cr_reader_next(&reader, &at, &len, &m) && !m.has_type && !m.type.at);
    start(MAX);
    feed(line, 10);
    len = sizeof(line) - 11;
    at = (const uint8_t *)line + 10;
    CHECK(cr_reader_next(&reader, &at, &len, &m) && !m.has_type && !m.type.at);
}

int main(int argc, char **argv)
{
    return messages_main(argc, argv);
}
