/* test_under.c - is a path below a directory? Each refused path has a twin that is below it. */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "policy/under.h"

static char root[64]; /* a new directory; its path has no links */
static char *out;     /* "root/out", resolved */
static struct cr_err err;

static const char *at(const char *path)
{
    static char names[4][512];
    static unsigned next;
    char *name = names[next++ % 4];

    (void)snprintf(name, sizeof(names[0]), "%s/%s", root, path);
    return name;
}

static bool touch(const char *path)
{
    int fd = open(at(path), O_CREAT | O_WRONLY, 0600);

    return fd >= 0 && close(fd) == 0;
}

static bool begin(void)
{
    (void)snprintf(root, sizeof(root), "/tmp/under-XXXXXX");
    return mkdtemp(root) && mkdir(at("out"), 0700) == 0 && mkdir(at("out/sub"), 0700) == 0 &&
           mkdir(at("else"), 0700) == 0 && touch("out/f") && touch("else/f") &&
           cr_under_resolve(at("out"), &out, &err) == 0;
}

static bool end(void)
{
    char command[128];

    free(out);
    (void)snprintf(command, sizeof(command), "rm -r -- '%s'", root);
    return strncmp(root, "/tmp/under-", 11) == 0 && system(command) == 0;
}

/* |path| is absolute if |root| is put before it. */
static enum cr_truth holds(const char *path)
{
    return cr_under_holds(out, root, path, strlen(path));
}

static enum cr_truth holds_whole(const char *path)
{
    return holds(at(path));
}

#define YES CR_TRUTH_YES
#define NO CR_TRUTH_NO
#define UNCLEAR CR_TRUTH_UNCLEAR

TEST(a_path_below_the_directory_holds_and_one_beside_it_does_not)
{
    CHECK(begin());
    CHECK(holds_whole("out/f") == YES && holds_whole("else/f") == NO);
    CHECK(holds_whole("out") == YES && holds_whole("") == NO && holds("/") == NO);
    CHECK(holds_whole("out/sub/new/file") == YES && holds_whole("new/file") == NO);
    CHECK(holds_whole("outside") == NO && holds_whole("out.") == NO && holds_whole("OUT/f") == NO);
    CHECK(end());
}

TEST(a_relative_path_starts_in_the_directory_of_the_server)
{
    CHECK(begin());
    CHECK(holds("out/f") == YES && holds("./out/f") == YES && holds("f") == NO);
    CHECK(cr_under_holds(out, at("out"), "f", 1) == YES);
    CHECK(cr_under_holds(out, at("else"), "f", 1) == NO);
    CHECK(cr_under_holds(out, NULL, "out/f", 5) == UNCLEAR);
    CHECK(end());
}

TEST(dots_and_slashes_change_nothing_but_the_place_they_lead_to)
{
    CHECK(begin());
    CHECK(holds("out//f") == YES && holds("out/./f") == YES && holds("out/sub/../f") == YES);
    CHECK(holds("out/sub/") == YES && holds("out/...") == YES && holds("out/..f") == YES);
    CHECK(holds("out/..") == NO && holds("out/../else/f") == NO);
    CHECK(holds("out/sub/../../else/f") == NO && holds("else/../out/f") == YES);
    CHECK(holds("../../../../../../../../etc/passwd") == NO);
    /* a name that does not exist: the kernel refuses it, a program may remove it from the text */
    CHECK(holds("out/new/../f") == UNCLEAR && holds("new/../out/f") == UNCLEAR);
    CHECK(end());
}

TEST(links_are_followed)
{
    CHECK(begin());
    CHECK(symlink(at("else"), at("out/away")) == 0 && symlink("../else", at("out/near")) == 0);
    CHECK(symlink("sub", at("out/home")) == 0 && symlink("out", at("in")) == 0);
    CHECK(holds("out/away/f") == NO && holds("out/near/f") == NO && holds("out/home/f") == YES);
    CHECK(holds("in/f") == YES && holds("in/near/f") == NO);
    CHECK(symlink(at("else/not-there"), at("out/dangling")) == 0);
    CHECK(symlink("sub/not-there", at("out/hanging")) == 0);
    CHECK(holds("out/dangling") == NO && holds("out/hanging") == YES);
    CHECK(symlink("loop", at("out/loop")) == 0 && holds("out/loop") == UNCLEAR);
    CHECK(end());
}

TEST(a_path_that_can_be_read_in_two_ways_is_unclear)
{
    CHECK(begin());
    CHECK(mkdir(at("else/deep"), 0700) == 0 && symlink(at("else/deep"), at("out/away")) == 0);
    /* the kernel: else/f; a program that first removes "..": out/f */
    CHECK(holds("out/away/../f") == UNCLEAR);
    CHECK(symlink(at("out/sub"), at("else/back")) == 0);
    CHECK(holds("else/back/../f") == UNCLEAR && holds("else/back/f") == YES);
    CHECK(end());
}

TEST(a_directory_that_is_replaced_by_a_link_is_not_the_one_that_was_named)
{
    CHECK(begin());
    CHECK(holds("out/f") == YES && holds("out/sub/f") == YES);
    CHECK(rename(at("out/sub"), at("out/old")) == 0 && symlink(at("else"), at("out/sub")) == 0);
    CHECK(holds("out/sub/f") == NO && holds("out/old/f") == YES);
    CHECK(rename(at("out"), at("moved")) == 0 && symlink(at("else"), at("out")) == 0);
    CHECK(holds("out/f") == NO);
    CHECK(end());
}

TEST(a_directory_may_be_named_before_it_is_made)
{
    char *later;

    CHECK(begin());
    CHECK(cr_under_resolve(at("later/on"), &later, &err) == 0);
    CHECK(cr_under_holds(later, root, "later/on/f", 10) == YES);
    CHECK(mkdir(at("later"), 0700) == 0 && cr_under_holds(later, root, "later/on/f", 10) == YES);
    CHECK(cr_under_holds(later, root, "later/f", 7) == NO);
    CHECK(symlink(at("else"), at("later/on")) == 0);
    CHECK(cr_under_holds(later, root, "later/on/f", 10) == NO);
    free(later);
    CHECK(end());
}

TEST(what_the_server_may_read_in_another_way_is_unclear)
{
    static const char *const paths[] = {"",
                                        "~",
                                        "~/x",
                                        "~root/x",
                                        "file:///etc/passwd",
                                        "file:x",
                                        "http://x/y",
                                        "http:/out/f",
                                        "data:text/plain,x",
                                        "jar:file:/etc/passwd!x",
                                        " file:/etc/passwd",
                                        "\tout/f",
                                        "out/f ",
                                        "out/n\xc3\xa9w",
                                        "/proc/self/root/etc",
                                        "/proc/self/cwd/x",
                                        "/dev/fd/3",
                                        "/dev/stdin"};
    char longest[5000];

    CHECK(begin());
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        CHECK(holds(paths[i]) == UNCLEAR);
    CHECK(holds("out/f/below-a-file") == UNCLEAR);
    memset(longest, 'a', sizeof(longest));
    CHECK(cr_under_holds(out, root, longest, sizeof(longest)) == UNCLEAR);
    CHECK(cr_under_holds(out, root, "out/f\0/../../..", 15) == UNCLEAR);
    CHECK(end());
}

/* Runs |test| in a mount namespace of its own. Returns its answer, or -1 without a namespace. */
static int with_mounts(bool (*test)(void))
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        uid_t uid = getuid();

        if (unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) < 0 ||
            mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
            _exit(2);
        _exit(test() ? 0 : 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 1;
    return WEXITSTATUS(status) == 2 ? -1 : WEXITSTATUS(status);
}

static bool bind_mounts(void)
{
    if (mount(at("else"), at("out/sub"), NULL, MS_BIND, NULL) < 0 || holds("out/f") != YES ||
        holds("out/sub/f") != UNCLEAR || holds("out/sub/new") != UNCLEAR)
        return false;
    /* the directory by another name: a rule that denies has to notice it */
    return mkdir(at("again"), 0700) == 0 &&
           mount(at("out"), at("again"), NULL, MS_BIND, NULL) == 0 && holds("again/f") == UNCLEAR &&
           holds("again/new") == UNCLEAR && holds("else/f") == NO;
}

TEST(another_mount_is_unclear)
{
    int r;

    CHECK(begin());
    r = with_mounts(bind_mounts);
    CHECK(r == 0 || (r == -1 && !getenv("CAPRUN_MUST_WORK")));
    CHECK(end());
}

TEST(a_directory_that_cannot_be_looked_up_is_refused)
{
    char *unused;

    CHECK(begin());
    CHECK(cr_under_resolve(at("out/f/x"), &unused, &err) == CAPRUN_E_INVAL);
    CHECK(cr_under_resolve("/proc/self/cwd", &unused, &err) == CAPRUN_E_INVAL);
    CHECK(strstr(err.text, "/proc/self/cwd"));
    CHECK(end());
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
