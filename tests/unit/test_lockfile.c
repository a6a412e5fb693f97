/* test_lockfile.c - reading caprun.lock: valid files, refused files, and pins that differ. */
#include "tap.h"

#include <errno.h>

#include "lockfiles.h"

#define MEND "restore it from version control, or delete it to pin what runs next"
#define GOOD PIN("a.b.c.d.1234", HASH(1), HASH(2))

static struct cr_lockfile lock;

static bool reads(const char *text)
{
    bool ok = scratch_begin() && put(CR_LOCKFILE_NAME, text) &&
              cr_lockfile_read(scratch, &lock, &why) == 0;

    if (!ok)
        printf("# %s\n", why.text);
    scratch_end();
    return ok;
}

/* Is |text| refused as CONFIG_ERROR with the path and |words|, and |lock| left unchanged? */
static bool refuses(const char *text, const char *words)
{
    char expected[2048];
    struct cr_json_doc untouched = {.bytes = text};
    bool ok;

    lock = (struct cr_lockfile){.path = expected, .doc = untouched};
    ok = scratch_begin() && put(CR_LOCKFILE_NAME, text) &&
         cr_lockfile_read(scratch, &lock, &why) < 0;
    scratch_end();
    (void)snprintf(expected, sizeof(expected), "%s:%s", path_of(CR_LOCKFILE_NAME), words);
    return says(CAPRUN_OUTCOME_CONFIG_ERROR, expected, MEND) && ok && lock.path == expected &&
           lock.doc.bytes == text && !lock.doc.root;
}

static bool refuses_pin(const char *pin_text, const char *words)
{
    char text[2048];

    (void)snprintf(text, sizeof(text), "{\"version\":1,\"capabilities\":{\n%s}}", pin_text);
    return refuses(text, words);
}

/* --- what is a lockfile --------------------------------------------------------------------- */

TEST(a_hash_is_sha256_in_lower_case_digits)
{
    char hash[CR_LOCKFILE_HASH + 1];

    cr_lockfile_hash("", 0, hash);
    CHECK(strcmp(hash, "sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855") ==
          0);
    cr_lockfile_hash("abc", 3, hash);
    CHECK(strcmp(hash, "sha256-ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") ==
          0);
}

TEST(no_file_is_fine_and_pins_nothing)
{
    struct cr_pin found;

    CHECK(scratch_begin());
    CHECK(cr_lockfile_read(scratch, &lock, &why) == 0);
    CHECK(strcmp(lock.path, path_of(CR_LOCKFILE_NAME)) == 0 && !lock.doc.root);
    CHECK(!cr_lockfile_find(&lock, "a.b.c.d", &found));
    CHECK(cr_lockfile_check(&lock, "a.b.c.d", &found, &why) == 1);
    cr_lockfile_each(&lock, NULL, NULL);
    cr_lockfile_clear(&lock);
    CHECK(cr_lockfile_read(path_of("none"), &lock, &why) == 0);
    cr_lockfile_clear(&lock);
    CHECK(count_files() == 0);
    scratch_end();
}

TEST(a_slash_at_the_end_of_the_directory_is_not_doubled)
{
    CHECK(cr_lockfile_read("/", &lock, &why) == 0 && strcmp(lock.path, "/caprun.lock") == 0);
    cr_lockfile_clear(&lock);
}

TEST(a_pin_is_found_by_its_name_alone)
{
    struct cr_pin found;

    CHECK(reads(LOCKFILE("    \"a.b.c.d\": " GOOD, "{}")));
    CHECK(cr_lockfile_find(&lock, "a.b.c.d", &found));
    CHECK(strcmp(found.fqdn, "a.b.c.d.1234") == 0);
    CHECK(strcmp(found.code, HASH(1)) == 0 && strcmp(found.metadata, HASH(2)) == 0);
    CHECK(!cr_lockfile_find(&lock, "a.b.c.d.1234", &found));
    CHECK(!cr_lockfile_find(&lock, "a.b.c.D", &found));
    CHECK(!cr_lockfile_find(&lock, "version", &found));
    cr_lockfile_clear(&lock);
}

TEST(the_order_of_keys_spaces_and_escapes_do_not_matter)
{
    struct cr_pin found;

    CHECK(
        reads("\r\n{\"servers\":{\"x\":{}},\"capabilities\":{\"a.b.c.\\u0064\":{\"metadata\":"
              "\"" HASH(2) "\",\t\"fqdn\":\"a.b.c.d\",\"code\":\"" HASH(1) "\"}},\"version\":1}"));
    CHECK(cr_lockfile_find(&lock, "a.b.c.d", &found));
    CHECK(strcmp(found.fqdn, "a.b.c.d") == 0 && strcmp(found.code, HASH(1)) == 0);
    cr_lockfile_clear(&lock);
}

TEST(a_lockfile_may_pin_nothing_and_have_no_servers)
{
    CHECK(reads("{\"version\":1,\"capabilities\":{}}"));
    cr_lockfile_clear(&lock);
}

static void note(void *data, const char *name, const struct cr_pin *one)
{
    char *text = data;
    size_t len = strlen(text);

    (void)snprintf(text + len, 200 - len, "%s=%s ", name, one->fqdn);
}

TEST(each_pin_is_shown_in_the_order_of_the_file)
{
    char text[200] = "";

    CHECK(reads("{\"version\":1,\"capabilities\":{\"b.b.b.b\":" PIN(
        "b.b.b.b.0000", HASH(1), HASH(2)) ",\"a.a.a.a\":" PIN("a.a.a.a", HASH(1), HASH(2)) "}}"));
    cr_lockfile_each(&lock, note, text);
    CHECK(strcmp(text, "b.b.b.b=b.b.b.b.0000 a.a.a.a=a.a.a.a ") == 0);
    cr_lockfile_clear(&lock);
}

/* --- what is refused ------------------------------------------------------------------------ */

TEST(an_empty_file_is_not_an_empty_lockfile)
{
    CHECK(refuses("", "1:1: the lockfile is empty"));
}

TEST(what_is_not_json_is_refused_where_it_goes_wrong)
{
    CHECK(refuses(" ", "1:2: the text ends where a value should be"));
    CHECK(
        refuses("{\n  \"version\": 1,\n<<<<<<< HEAD\n", "3:1: expected a key in quotes, not '<'"));
    CHECK(refuses("{\"version\":1,\"capabilities\":{}",
                  "1:31: the text ends where ',' or '}' should be"));
    CHECK(refuses("{\"version\":1,\"capabilities\":{},\"version\":1}",
                  "1:32: duplicate key \"version\""));
}

TEST(the_top_has_the_keys_that_are_known_and_no_others)
{
    CHECK(refuses("[]", "1:1: the lockfile is an array, not an object"));
    CHECK(refuses("1", "1:1: the lockfile is a number, not an object"));
    CHECK(refuses("{}", "1:1: the lockfile has no 'version'"));
    CHECK(refuses("{\"version\":1}", "1:1: the lockfile has no 'capabilities'"));
    CHECK(refuses("{\"capabilities\":{}}", "1:1: the lockfile has no 'version'"));
    CHECK(refuses("{\"version\":1,\n \"capabilities\":{},\n  \"more\":1}",
                  "3:3: unknown key 'more'"));
    CHECK(refuses("{\"version\":1,\"capabilities\":[]}",
                  "1:29: 'capabilities' is an array, not an object"));
    CHECK(refuses("{\"version\":1,\"capabilities\":{},\n\"servers\":null}",
                  "2:11: 'servers' is null, not an object"));
}

TEST(a_version_that_is_none_is_refused)
{
    static const char *const bad[] = {"0", "-1", "1.0", "1e0", "\"1\"", "null", "true", "[1]"};
    char text[100];

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        (void)snprintf(text, sizeof(text), "{\"version\":%s,\"capabilities\":{}}", bad[i]);
        CHECK(refuses(text, "1:12: 'version' is not 1"));
    }
}

TEST(a_newer_version_is_known_before_anything_else)
{
    static const char *const newer[] = {"2", "10", "18446744073709551617"};
    char text[100], expected[1200];

    for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++) {
        (void)snprintf(text, sizeof(text), "{\"other\":[],\n\"version\":%s}", newer[i]);
        CHECK(scratch_begin() && put(CR_LOCKFILE_NAME, text));
        CHECK(cr_lockfile_read(scratch, &lock, &why) < 0);
        (void)snprintf(expected, sizeof(expected),
                       "%s:2:11: this lockfile was written by a newer caprun",
                       path_of(CR_LOCKFILE_NAME));
        CHECK(says(CAPRUN_OUTCOME_CONFIG_ERROR, expected, "use a newer caprun here, too"));
        scratch_end();
    }
}

TEST(a_pin_is_called_by_a_name_of_four_parts)
{
    CHECK(refuses_pin("\"a.b.c\":" GOOD, "2:1: 'a.b.c' is not the name of a capability: it has 3 "
                                         "parts, and needs four"));
    CHECK(refuses_pin("  \"a.b.c.d.1234\":" GOOD,
                      "2:3: 'a.b.c.d.1234' has a hash, which belongs in 'fqdn'"));
    CHECK(refuses_pin("\"\":1", "2:1: '' is not the name of a capability: the organisation, '', is "
                                "not a letter or _, then letters, digits, _ and -, 64 in all at "
                                "most"));
}

TEST(a_pin_has_its_three_keys_and_no_others)
{
    CHECK(refuses_pin("\"a.b.c.d\":1", "2:11: a pin is a number, not an object"));
    CHECK(refuses_pin("\"a.b.c.d\":{}", "2:11: a pin has no 'fqdn'"));
    CHECK(refuses_pin("\"a.b.c.d\":{\"fqdn\":\"a.b.c.d\"}", "2:11: a pin has no 'code'"));
    CHECK(refuses_pin("\"a.b.c.d\":{\"fqdn\":\"a.b.c.d\",\"code\":\"" HASH(1) "\"}",
                      "2:11: a pin has no 'metadata'"));
    CHECK(refuses_pin("\"a.b.c.d\":{\"fqdn\":1,\n\"extra\":1}", "3:1: unknown key 'extra'"));
}

TEST(the_full_name_of_a_pin_is_one_of_its_key)
{
    CHECK(refuses_pin("\"a.b.c.d\":" PIN("a.b.c.D.1234", HASH(1), HASH(2)),
                      "3:15: 'a.b.c.D.1234' is not a version of 'a.b.c.d'"));
    CHECK(refuses_pin("\"a.b.c.d\":" PIN("a.b.c.d.12", HASH(1), HASH(2)),
                      "3:15: 'a.b.c.d.12' is not the name of a capability: the hash, '12', is not "
                      "4 to 64 digits of 0-9 and a-f"));
    CHECK(refuses_pin("\"a.b.c.d\":{\"fqdn\":{},\"code\":1,\"metadata\":1}",
                      "2:19: 'fqdn' is an object, not a string"));
}

TEST(a_hash_has_one_form)
{
#define FORM(key) "'" key "' is not \"sha256-\" and 64 lower-case hexadecimal digits"
    CHECK(refuses_pin("\"a.b.c.d\":" PIN("a.b.c.d", "", HASH(2)), "4:15: " FORM("code")));
    CHECK(refuses_pin("\"a.b.c.d\":" PIN("a.b.c.d", HEX "1", HASH(2)), "4:15: " FORM("code")));
    CHECK(
        refuses_pin("\"a.b.c.d\":" PIN("a.b.c.d", "sha256-" HEX, HASH(2)), "4:15: " FORM("code")));
    CHECK(refuses_pin("\"a.b.c.d\":" PIN("a.b.c.d", HASH(11), HASH(2)), "4:15: " FORM("code")));
    CHECK(refuses_pin("\"a.b.c.d\":" PIN("a.b.c.d", HASH(1), HASH(A)), "5:19: " FORM("metadata")));
    CHECK(refuses_pin("\"a.b.c.d\":" PIN("a.b.c.d", HASH(1), "sha512-" HEX "1"),
                      "5:19: " FORM("metadata")));
    CHECK(refuses_pin("\"a.b.c.d\":{\"fqdn\":\"a.b.c.d\",\"code\":7,\"metadata\":7}",
                      "2:36: " FORM("code")));
}

TEST(what_the_file_says_is_shown_on_one_line_and_cut)
{
    char text[60000];

    CHECK(refuses_pin("\"a\\n  now: \\u001b[1m\":1",
                      "2:1: 'a\\n  now: \\u001b[1m' is not the name of a capability: the "
                      "organisation, 'a\\n  now: \\u001b[1m', is not a letter or _, then letters, "
                      "digits, _ and -, 64 in all at most"));
    memset(text, 'x', sizeof(text));
    memcpy(text, "{\"", 2);
    memcpy(text + sizeof(text) - 5, "\":1}", 5);
    CHECK(refuses(text, "1:2: unknown key '"
                        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"));
}

/* Refuses |tools| as the tools of a server; they begin in the second line. */
static bool refuses_tools(const char *tools, const char *words)
{
    char text[2048];

    (void)snprintf(text, sizeof(text),
                   "{\"version\":1,\"capabilities\":{},\"servers\":{\"s\":\n%s}}", tools);
    return refuses(text, words);
}

TEST(servers_have_tools_and_nothing_else)
{
    CHECK(refuses_tools("[]", "2:1: 's' is an array, not an object"));
    CHECK(refuses_tools("\"\"", "2:1: 's' is a string, not an object"));
    CHECK(refuses_tools("null,\"t\":{}", "2:1: 's' is null, not an object"));
    CHECK(refuses_tools("{\"a\":1}", "2:6: the pin of a tool is a number, not an object"));
    CHECK(refuses_tools("{\"a\":{}}", "2:6: the pin of a tool has no 'sha256'"));
    CHECK(refuses_tools("{\"a\":{\"definition\":{}}}", "2:6: the pin of a tool has no 'sha256'"));
    CHECK(refuses_tools("{\"a\":{\"sha256\":\"" HASH_OF_NOTHING "\"}}",
                        "2:6: the pin of a tool has no 'definition'"));
    CHECK(refuses_tools("{\"a\":{\"sha256\":1,\n\"seen\":1}}", "3:1: unknown key 'seen'"));
    CHECK(refuses_tools("{\n\"a\":" TOOL(HASH_OF_NOTHING, "[]") "}",
                        "5:23: 'definition' is an array, not an object"));
}

TEST(the_hash_of_a_tool_has_one_form_and_fits_its_definition)
{
#define UNFIT "'sha256' is not that of the 'definition' beside it: one of them was changed by hand"
    CHECK(refuses_tools("{\n\"a\":" TOOL("", "{}") "}", "4:19: " FORM("sha256")));
    CHECK(refuses_tools("{\n\"a\":" TOOL(HASH(A), "{}") "}", "4:19: " FORM("sha256")));
    CHECK(refuses_tools("{\n\"a\":{\"sha256\":7,\"definition\":{}}}", "3:15: " FORM("sha256")));
    CHECK(refuses_tools("{\n\"a\":" TOOL(HASH(1), "{}") "}", "4:19: " UNFIT));
    CHECK(refuses_tools("{\n\"a\":" TOOL(HASH_OF_NOTHING, "{\"description\":\"\"}") "}",
                        "4:19: " UNFIT));
    /* the second tool of the second server */
    CHECK(
        refuses_tools("{\n\"a\":" TOOL(HASH_OF_NOTHING, "{}") "},\"t\":{\"a\":" TOOL(
                          HASH_OF_NOTHING, "{ }") ",\"b\":" TOOL(HASH_OF_NOTHING, "{\"x\":1}") "}",
                      "10:19: " UNFIT));
}

/* --- the file itself ------------------------------------------------------------------------ */

/* Is the file in the scratch directory refused, with "|before|'PATH'|after|" as the message? */
static bool refuses_file(const char *before, const char *after, const char *hint)
{
    char expected[2048];

    (void)snprintf(expected, sizeof(expected), "%s'%s'%s", before, path_of(CR_LOCKFILE_NAME),
                   after);
    return cr_lockfile_read(scratch, &lock, &why) < 0 &&
           says(CAPRUN_OUTCOME_CONFIG_ERROR, expected, hint);
}

TEST(a_link_a_directory_or_a_pipe_is_no_lockfile)
{
    CHECK(scratch_begin());
    CHECK(mkdir(path_of(CR_LOCKFILE_NAME), 0700) == 0);
    CHECK(refuses_file("", " is not a regular file", MEND));
    CHECK(rmdir(path_of(CR_LOCKFILE_NAME)) == 0 && mkfifo(path_of(CR_LOCKFILE_NAME), 0600) == 0);
    CHECK(refuses_file("", " is not a regular file", MEND));
    CHECK(unlink(path_of(CR_LOCKFILE_NAME)) == 0);
    CHECK(symlink("none", path_of(CR_LOCKFILE_NAME)) == 0);
    CHECK(refuses_file("", " is a symbolic link, which the next pin would replace",
                       "put the file itself there"));
    CHECK(put("none", LOCKFILE("", "{}")));
    CHECK(refuses_file("", " is a symbolic link, which the next pin would replace",
                       "put the file itself there"));
    scratch_end();
}

TEST(a_directory_that_is_a_file_is_an_error)
{
    char expected[2048];

    CHECK(scratch_begin() && put("file", ""));
    CHECK(cr_lockfile_read(path_of("file"), &lock, &why) < 0);
    (void)snprintf(expected, sizeof(expected), "cannot read '%s/caprun.lock': Not a directory",
                   path_of("file"));
    CHECK(says(CAPRUN_OUTCOME_CONFIG_ERROR, expected, ""));
    scratch_end();
}

TEST(a_file_over_16_mib_is_refused)
{
    CHECK(scratch_begin() && put(CR_LOCKFILE_NAME, ""));
    CHECK(truncate(path_of(CR_LOCKFILE_NAME), (16 << 20) + 1) == 0);
    CHECK(refuses_file("", " is over 16 MiB", MEND));
    CHECK(truncate(path_of(CR_LOCKFILE_NAME), 16 << 20) == 0);
    CHECK(cr_lockfile_read(scratch, &lock, &why) < 0 && strstr(why.text, "caprun.lock:1:1: "));
    scratch_end();
}

TEST(a_file_that_others_can_write_is_refused)
{
    CHECK(scratch_begin() && put(CR_LOCKFILE_NAME, LOCKFILE("", "{}")));
    CHECK(is_valid());
    CHECK(chmod(path_of(CR_LOCKFILE_NAME), 0646) == 0);
    CHECK(refuses_file("",
                       " can be written by others, so it is not used: if you trust what it says, "
                       "remove that permission with chmod go-w",
                       ""));
    CHECK(chmod(path_of(CR_LOCKFILE_NAME), 0664) == 0);
    if (chown(path_of(CR_LOCKFILE_NAME), (uid_t)-1, NOBODY) == 0) /* else: not root */
        CHECK(cr_lockfile_read(scratch, &lock, &why) < 0);
    scratch_end();
}

TEST(a_file_of_another_user_is_refused)
{
    CHECK(scratch_begin() && put(CR_LOCKFILE_NAME, LOCKFILE("", "{}")));
    if (geteuid() == 0) { /* only root can give files away */
        CHECK(chown(path_of(CR_LOCKFILE_NAME), NOBODY, NOBODY) == 0);
        CHECK(refuses_file("",
                           " belongs to another user (uid 65534), so it is not used: if you trust "
                           "what it says, make it yours with chown",
                           ""));
    }
    scratch_end();
}

static int reads_as_nobody(int number)
{
    (void)number;
    if (!be_nobody())
        return 1;
    return refuses_file("cannot read ", ": Permission denied", "") ? 0 : 2;
}

TEST(a_file_or_a_directory_that_may_not_be_read_is_an_error)
{
    CHECK(scratch_begin() && put(CR_LOCKFILE_NAME, LOCKFILE("", "{}")));
    CHECK(chmod(scratch, 0755) == 0 && chmod(path_of(CR_LOCKFILE_NAME), 0) == 0);
    CHECK(in_child(reads_as_nobody, 0) == 0);
    CHECK(chmod(path_of(CR_LOCKFILE_NAME), 0644) == 0 && chmod(scratch, 0) == 0);
    CHECK(in_child(reads_as_nobody, 0) == 0);
    CHECK(chmod(scratch, 0700) == 0);
    scratch_end();
}

TEST(the_longest_path_is_named_in_full_and_the_words_come_after_it)
{
    char dir[3800];
    size_t len;

    CHECK(scratch_begin() && put(CR_LOCKFILE_NAME, "{}"));
    len = (size_t)snprintf(dir, sizeof(dir), "%s", scratch);
    while (len + 2 < sizeof(dir))
        len += (size_t)snprintf(dir + len, sizeof(dir) - len, "/.");
    CHECK(cr_lockfile_read(dir, &lock, &why) < 0);
    CHECK(strncmp(why.text, dir, len) == 0);
    CHECK(strcmp(why.text + len, "/caprun.lock:1:1: the lockfile has no 'version'") == 0);
    scratch_end();
}

/* --- what differs --------------------------------------------------------------------------- */

static bool differs(const char *fqdn, const char *code, const char *metadata, const char *text)
{
    struct cr_pin now;
    int r;

    (void)snprintf(now.fqdn, sizeof(now.fqdn), "%s", fqdn);
    (void)snprintf(now.code, sizeof(now.code), "%s", code);
    (void)snprintf(now.metadata, sizeof(now.metadata), "%s", metadata);
    r = cr_lockfile_check(&lock, "a.b.c.d", &now, &why);
    if (!text)
        return r == 0;
    return r < 0 && says(CAPRUN_OUTCOME_INTEGRITY_MISMATCH, text,
                         "if you expected that: caprun lock --accept a.b.c.d");
}

TEST(a_change_is_shown_with_both_full_hashes_of_what_differs)
{
    CHECK(reads(LOCKFILE("    \"a.b.c.d\": " GOOD, "{}")));
    CHECK(differs("a.b.c.d.1234", HASH(1), HASH(2), NULL));
    CHECK(differs("a.b.c.d.1234", HASH(3), HASH(2),
                  "a.b.c.d is not what caprun.lock pins: the code changed\n"
                  "  pinned: a.b.c.d.1234\n"
                  "          code      " HASH(1) "\n"
                                                 "  now:    a.b.c.d.1234\n"
                                                 "          code      " HASH(3)));
    CHECK(differs("a.b.c.d.1234", HASH(1), HASH(4),
                  "a.b.c.d is not what caprun.lock pins: the metadata changed\n"
                  "  pinned: a.b.c.d.1234\n"
                  "          metadata  " HASH(2) "\n"
                                                 "  now:    a.b.c.d.1234\n"
                                                 "          metadata  " HASH(4)));
    CHECK(differs("a.b.c.d.5678", HASH(3), HASH(4),
                  "a.b.c.d is not what caprun.lock pins: the version, the code and the metadata "
                  "changed\n"
                  "  pinned: a.b.c.d.1234\n"
                  "          code      " HASH(1) "\n"
                                                 "          metadata  " HASH(
                                                     2) "\n"
                                                        "  now:    a.b.c.d.5678\n"
                                                        "          code      " HASH(
                                                            3) "\n"
                                                               "          metadata  " HASH(4)));
    CHECK(differs("a.b.c.d", HASH(1), HASH(2),
                  "a.b.c.d is not what caprun.lock pins: the version changed\n"
                  "  pinned: a.b.c.d.1234\n"
                  "  now:    a.b.c.d"));
    cr_lockfile_clear(&lock);
}

TEST(every_combination_of_changes_has_its_words)
{
    static const char *const words[] = {
        [3] = "the version and the code",
        [5] = "the version and the metadata",
        [6] = "the code and the metadata",
    };
    struct cr_pin now;

    CHECK(reads(LOCKFILE("    \"a.b.c.d\": " GOOD, "{}")));
    for (int i = 3; i < 7; i++) {
        if (!words[i])
            continue;
        (void)snprintf(now.fqdn, sizeof(now.fqdn), "%s", i & 1 ? "a.b.c.d.9999" : "a.b.c.d.1234");
        (void)snprintf(now.code, sizeof(now.code), "%s", i & 2 ? HASH(9) : HASH(1));
        (void)snprintf(now.metadata, sizeof(now.metadata), "%s", i & 4 ? HASH(9) : HASH(2));
        CHECK(cr_lockfile_check(&lock, "a.b.c.d", &now, &why) < 0);
        CHECK(strstr(why.text, words[i]));
    }
    cr_lockfile_clear(&lock);
}

/* --- a file that is kept --------------------------------------------------------------------- */

static struct cr_helper helper; /* only its data is used */

/* The digit that |name| is pinned with, by a view; '-' without a pin, '!' if it cannot be read. */
static char viewed(const char *name)
{
    const struct cr_lockfile *view;
    struct cr_pin found;

    if (cr_lockfile_view(&helper, scratch, &view, &why) < 0)
        return '!';
    return cr_lockfile_find(view, name, &found) ? found.code[CR_LOCKFILE_HASH - 1] : '-';
}

/* What is kept of the file counts as old, and has the digit |mark| now. */
static bool age_and_mark(char mark)
{
    const struct cr_lockfile *view;
    struct cr_lockfile *kept;
    char *text;

    if (cr_lockfile_view(&helper, scratch, &view, &why) < 0)
        return false;
    kept = (struct cr_lockfile *)(uintptr_t)view;
    kept->read_at.tv_sec += 10;
    text = (char *)(uintptr_t)cr_json_text(
        cr_json_get(cr_json_get(cr_json_get(kept->doc.root, "capabilities"), "a.b.c.d"), "code"));
    text[CR_LOCKFILE_HASH - 1] = mark;
    return true;
}

#define PINNED(digit) LOCKFILE("    \"a.b.c.d\": " PIN("a.b.c.d.1234", HASH(digit), HASH(2)), "{}")

TEST(a_file_that_is_unchanged_for_a_while_is_not_read_again)
{
    CHECK(scratch_begin() && put(CR_LOCKFILE_NAME, PINNED(1)) && viewed("a.b.c.d") == '1');
    CHECK(age_and_mark('9') && viewed("a.b.c.d") == '9');
    helper.kept->discard(helper.kept);
    helper.kept = NULL;
    scratch_end();
}

TEST(a_file_that_has_changed_in_any_way_is_read_again)
{
    CHECK(scratch_begin() && viewed("a.b.c.d") == '-');
    CHECK(put(CR_LOCKFILE_NAME, PINNED(1)) && viewed("a.b.c.d") == '1');
    /* a change of the same size at once, when its time may be the same */
    CHECK(put(CR_LOCKFILE_NAME, PINNED(2)) && viewed("a.b.c.d") == '2');
    CHECK(age_and_mark('9') && pin("e.f.g.h", "012", false) == 0); /* another inode */
    CHECK(viewed("a.b.c.d") == '2' && viewed("e.f.g.h") == '1');
    CHECK(age_and_mark('9') && chmod(path_of(CR_LOCKFILE_NAME), 0666) == 0);
    CHECK(viewed("a.b.c.d") == '!' && chmod(path_of(CR_LOCKFILE_NAME), 0600) == 0);
    CHECK(viewed("a.b.c.d") == '2' && age_and_mark('9'));
    CHECK(unlink(path_of(CR_LOCKFILE_NAME)) == 0 && viewed("a.b.c.d") == '-');
    CHECK(put(CR_LOCKFILE_NAME, "{") && viewed("a.b.c.d") == '!');
    helper.kept->discard(helper.kept);
    helper.kept = NULL;
    scratch_end();
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
