/* test_people_show.c - questions as a person sees them: lines, tables, pages, and what is marked.
 */
#include "tap.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/locate.h"
#include "people/lines.h"
#include "people/places.h"
#include "people/show.h"

static struct cr_buf out;

static bool is(const char *want)
{
    bool same = cr_buf_text(&out) && strcmp(cr_buf_text(&out), want) == 0;

    if (!same)
        (void)fprintf(stderr, "# got\n%s\n# not\n%s\n", cr_buf_text(&out), want);
    cr_buf_clear(&out);
    return same;
}

/* --- characters ------------------------------------------------------------------------------- */

static bool shows(void (*escape)(struct cr_buf *, const char *, size_t), const char *text,
                  const char *want)
{
    cr_buf_init(&out, 4096);
    escape(&out, text, strlen(text));
    return is(want);
}

TEST(letters_that_move_or_hide_are_escaped_in_questions)
{
    CHECK(shows(cr_escape_question, "caf\xc3\xa9 \xe6\xbc\xa2", "caf\xc3\xa9 \xe6\xbc\xa2"));
    CHECK(shows(cr_escape_question, "\xd7\x90/\xd8\xa7", "\\u05d0/\\u0627")); /* right to left */
    CHECK(shows(cr_escape_question, "e\xcc\x81", "e\\u0301"));                /* combines */
    CHECK(shows(cr_escape_question, "\xe2\x80\xae\x1b[2J\r\n\t", "\\u202e\\u001b[2J\\r\\n\\t"));
}

TEST(names_with_other_characters_never_look_the_same)
{
    CHECK(shows(cr_escape_name, "files:read", "files:read"));
    CHECK(shows(cr_escape_name, "fil\xd0\xb5s:read", "fil\\u0435s:read"));
    CHECK(shows(cr_escape_name, "fil\\u0435s:read", "fil\\\\u0435s:read"));
    CHECK(shows(cr_escape_name, "a\xff\xf0\x9f\x98\x80", "a\\xff\\ud83d\\ude00"));
}

/* --- lines ------------------------------------------------------------------------------------ */

static void lay_out(const char *json, size_t columns)
{
    struct cr_lines lines;

    cr_buf_init(&out, 1u << 20);
    cr_lines_begin(&lines, json, strlen(json), columns);
    while (cr_lines_next(&lines, &out))
        cr_buf_str(&out, "\n");
}

TEST(each_member_is_on_a_line_of_its_own)
{
    lay_out("{\"a\":1,\"b\":[],\"c\":{\"d\":[true,\"x\"]}, \"e\" : {} }", 80);
    CHECK(is("{\n  \"a\": 1,\n  \"b\": [],\n  \"c\": {\n    \"d\": [\n      true,\n      \"x\"\n"
             "    ]\n  },\n  \"e\": {}\n}\n"));
    lay_out("\"x\"", 80);
    CHECK(is("\"x\"\n"));
    lay_out("{}", 80);
    CHECK(is("{}\n"));
}

/* The longest line, as a terminal may show it: characters outside of ASCII can be two wide. */
static size_t widest(void)
{
    size_t most = 0, n = 0;

    for (size_t i = 0; i < out.len; i++) {
        n = out.data[i] == '\n' ? 0 : n + (out.data[i] < 0x80 ? 1 : out.data[i] >= 0xc0 ? 2 : 0);
        most = n > most ? n : most;
    }
    return most;
}

TEST(no_line_is_wider_than_the_terminal)
{
    cr_autobuf struct cr_buf text = CR_BUF(4096);
    const char *json;

    cr_buf_str(&text, "{\"");
    for (int i = 0; i < 300; i++)
        cr_buf_str(&text, i % 3 ? "\xe6\xbc\xa2" : "\\u0041\xe2\x80\xae");
    cr_buf_str(&text, "\":[[[[[[[[[[[[[[[[[[[[{\"a\":\"");
    for (int i = 0; i < 400; i++)
        cr_buf_str(&text, "x");
    cr_buf_str(&text, "\",\"b\":");
    for (int i = 0; i < 300; i++)
        cr_buf_str(&text, "1");
    cr_buf_str(&text, "}]]]]]]]]]]]]]]]]]]]]}");
    json = cr_buf_text(&text);
    CHECK(json);
    for (size_t columns = CR_LINES_LEAST; columns < 200; columns += 7) {
        lay_out(json, columns);
        CHECK(widest() <= columns);
        cr_buf_clear(&out);
    }
}

TEST(the_lines_have_every_character_of_the_args_in_their_order)
{
    const char *json =
        "{\"a\\n\\u0007b\":\"\xc3\xa9 , : { } [ ] \\\" \\\\\",\"n\":-1.50e+3,\"z\":null}";
    size_t at = 0;

    lay_out(json, CR_LINES_LEAST);
    for (size_t i = 0; i < out.len; i++) {
        while (json[at] == ' ')
            at++;
        if (out.data[i] != ' ' && out.data[i] != '\n')
            CHECK((uint8_t)json[at++] == out.data[i]);
    }
    CHECK(!json[at]);
    cr_buf_clear(&out);
}

/* --- paths and URLs --------------------------------------------------------------------------- */

static size_t find(const char *json, struct cr_places *ret)
{
    *ret = (struct cr_places){0};
    cr_places_find(ret, json, strlen(json));
    return ret->count;
}

TEST(paths_and_urls_are_found_wherever_they_are)
{
    struct cr_places p;

    CHECK(find("{\"text\":\"hello\",\"n\":1}", &p) == 0);
    CHECK(find("{\"x\":{\"y\":[\"/etc/passwd\"]},\"z\":\"https://a.example\"}", &p) == 2);
    CHECK(p.outer == 1 && strncmp(p.shown[0].key, "\"z\"", 3) == 0);
    CHECK(strncmp(p.shown[1].value, "\"/etc", 5) == 0);
    CHECK(find("{\"file\":\"notes\",\"a\":\"~/x\",\"b\":\"./y\",\"c\":\"out/z\"}", &p) == 4);
    CHECK(find("{\"a\":\"\\u002fetc\"}", &p) == 1); /* an escape cannot hide it */
    CHECK(find("{\"a\":\"\\/etc\"}", &p) == 1);
    CHECK(find("[\"/1\",\"/2\",\"/3\",\"/4\",\"/5\",\"/6\"]", &p) == 6 && p.shown_count == 4);
}

/* --- questions -------------------------------------------------------------------------------- */

static struct cr_inquiry q;

/* The args of the call |number| are after its number. */
static const char *args_of(void *json, uint32_t number, size_t *ret_len)
{
    char mark[32];
    const char *at;

    (void)snprintf(mark, sizeof(mark), "{\"n\":%u,\"args\":", number);
    at = strstr(json, mark);
    if (!at)
        return NULL;
    at += strlen(mark);
    *ret_len = (size_t)(cr_locate_end(at, at + strlen(at)) - at);
    return at;
}

static bool read_question(const char *tools)
{
    char json[8192];
    struct cr_err err;

    (void)snprintf(
        json, sizeof(json),
        "{\"id\":1,\"run\":\"r\",\"asker\":{\"capability\":\"a.b.c.d\",\"pin\":\"0123456789"
        "abcdef\"},\"waiting\":1,\"tools\":[%s]}",
        tools);
    cr_buf_init(&out, 1u << 20);
    return cr_inquiry_read(json, strlen(json), args_of, json, &q, &err) == 0;
}

static void show_all(size_t rows, size_t columns)
{
    struct cr_show show;

    cr_show_begin(&show, &q, &q.tools[0], 0, q.tools[0].count, columns);
    cr_show_head(&show, rows, &out);
    while (cr_show_page(&show, rows, &out) && show.section != CR_SHOW_END)
        cr_buf_str(&out, "--\n");
}

#define HEAD                          \
    "  who     a.b.c.d\n"             \
    "  code    sha256 0123456789ab\n" \
    "  tool    s:t\n"                 \
    "  server  x 'y z'\n"             \
    "  in      /\n"
#define SERVER "\"tool\":\"s:t\",\"server\":{\"command\":[\"x\",\"y z\"],\"cwd\":\"/\"},"

TEST(a_question_shows_who_asks_for_what_with_which_args)
{
    CHECK(read_question("{" SERVER "\"calls\":[{\"n\":1,\"args\":{\"a\":\"b\"}}]}"));
    show_all(20, 80);
    CHECK(is(HEAD "  args:\n  | {\n  |   \"a\": \"b\"\n  | }\n"));
    cr_inquiry_clear(&q);
}

TEST(args_that_imitate_a_question_stay_behind_their_bar)
{
    CHECK(read_question("{" SERVER
                        "\"calls\":[{\"n\":1,\"args\":{\"a\":\"\\ncaprun: y, n\\r\xe2\x80"
                        "\xa8  tool    s:safe\"}}]}"));
    show_all(20, 80);
    CHECK(is(HEAD "  args:\n  | {\n  |   \"a\": \"\\ncaprun: y, n\\r\\u2028  tool    s:safe\"\n"
                  "  | }\n"));
    cr_inquiry_clear(&q);
}

TEST(paths_come_first_if_the_args_are_long)
{
    CHECK(read_question("{" SERVER
                        "\"calls\":[{\"n\":1,\"args\":{\"a\":[1,2,3,4,5,6],\"path\":\"/x\"}}]}"));
    show_all(3, 80);
    CHECK(strstr(cr_buf_text(&out), HEAD "  paths and URLs in the args:\n  | \"path\": \"/x\"\n"
                                         "  args:\n"));
    cr_buf_clear(&out);
    cr_inquiry_clear(&q);
}

TEST(a_path_with_letters_that_look_like_others_is_also_shown_exactly)
{
    CHECK(
        read_question("{" SERVER "\"calls\":[{\"n\":1,\"args\":{\"path\":\"/p\xd0\xb0sswd\"}}]}"));
    show_all(20, 80);
    CHECK(strstr(cr_buf_text(&out), "  |     /p\\u0430sswd\n"));
    cr_buf_clear(&out);
    cr_inquiry_clear(&q);
}

TEST(many_calls_show_what_is_equal_and_a_table_of_what_differs)
{
    CHECK(read_question("{" SERVER "\"calls\":["
                        "{\"n\":5,\"args\":{\"m\":\"w\",\"p\":\"b\"}},"
                        "{\"n\":3,\"args\":{\"m\":\"w\",\"p\":\"a\"}}]}"));
    show_all(20, 80);
    CHECK(is(HEAD "  the same in all 2 calls:\n  | \"m\": \"w\"\n  different:\n"
                  "  | call   \"p\"\n  | 3      \"a\"\n  | 5      \"b\"\n"));
    cr_inquiry_clear(&q);
}

TEST(what_the_table_cuts_is_shown_in_full_afterwards)
{
    CHECK(read_question("{" SERVER "\"calls\":["
                        "{\"n\":3,\"args\":[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"]},"
                        "{\"n\":5,\"args\":{\"p\":\"b\"}}]}"));
    show_all(100, 40);
    CHECK(is(HEAD "  different:\n  | call\n  | 3      [\"aaaaaaaaaaaaaaaaaaaaaaaa…\n"
                  "  | 5      {\"p\":\"b\"}\n"
                  "  call 3 in full:\n  | [\n  |   \"aaaaaaaaaaaaaaaaaaaaaaaaaaa\n"
                  "  |   aaaaaaaaaaaaaaaaaaa\"\n  | ]\n"
                  "  call 5 in full:\n  | {\n  |   \"p\": \"b\"\n  | }\n"));
    cr_inquiry_clear(&q);
}

TEST(pages_have_every_line_once)
{
    struct cr_buf whole;

    CHECK(read_question("{" SERVER "\"calls\":[{\"n\":1,\"args\":{\"a\":[1,2,3,4,5,6,7,8]}}]}"));
    show_all(1000, 80);
    whole = out;
    for (size_t rows = 1; rows < 12; rows++) {
        struct cr_show show;
        struct cr_buf paged = CR_BUF(1u << 20);

        cr_show_begin(&show, &q, &q.tools[0], 0, 1, 80);
        cr_show_head(&show, 1000, &paged);
        while (cr_show_page(&show, rows, &paged))
            ;
        CHECK(paged.len == whole.len && memcmp(paged.data, whole.data, whole.len) == 0);
        cr_buf_clear(&paged);
    }
    cr_buf_clear(&whole);
    cr_inquiry_clear(&q);
}

TEST(a_question_that_is_not_complete_is_refused)
{
    static const char *const bad[] = {"", "{" SERVER "\"calls\":[]}", "{\"calls\":[{\"n\":1}]}"};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK(!read_question(bad[i]));
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
