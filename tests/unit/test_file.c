/* test_file.c - reading whole files, replacing them in one step, and checking their owners. */
#include "tap.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/file.h"
#include "scratch.h"

static struct cr_buf b;
static struct cr_err err;
static int dir = -1; /* the scratch directory */

static bool begin(size_t max)
{
    err = (struct cr_err){0};
    cr_buf_init(&b, max);
    if (!scratch_begin())
        return false;
    dir = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return dir >= 0;
}

static void end(void)
{
    cr_buf_clear(&b);
    (void)close(dir);
    scratch_end();
}

static bool was_read(const char *text)
{
    return b.len == strlen(text) && (!b.len || memcmp(b.data, text, b.len) == 0);
}

static bool says(int code, const char *words)
{
    if (err.code == code && strstr(err.text, words))
        return true;
    printf("# %d: %s\n", err.code, err.text);
    return false;
}

/* The expected result where the kernel can check that a path stays below the directory. */
static int if_below(int r)
{
    (void)syscall(SYS_openat2, -1, "", NULL, 0);
    return errno == ENOSYS || errno == EPERM ? CAPRUN_E_SYS : r;
}

/* --- reading -------------------------------------------------------------------------------- */

TEST(a_file_is_appended_to_what_is_there_and_looked_at)
{
    struct stat st = {0};

    CHECK(begin(100) && put("a", "two"));
    cr_buf_str(&b, "one ");
    CHECK(cr_file_read(dir, "a", &b, &st, &err) == 0);
    CHECK(was_read("one two") && st.st_size == 3 && S_ISREG(st.st_mode));
    CHECK(cr_file_read(AT_FDCWD, path_of("a"), &b, NULL, &err) == 0);
    CHECK(was_read("one twotwo"));
    end();
}

TEST(an_empty_file_is_read_as_nothing)
{
    CHECK(begin(100) && put("a", ""));
    CHECK(cr_file_read(dir, "a", &b, NULL, &err) == 0 && was_read(""));
    end();
}

TEST(a_file_that_is_not_there_is_no_error)
{
    CHECK(begin(100) && put("a", ""));
    CHECK(symlink("b", path_of("dangling")) == 0);
    CHECK(cr_file_read(dir, "b", &b, NULL, &err) == 1);
    CHECK(cr_file_read(AT_FDCWD, path_of("b/c"), &b, NULL, &err) == 1);
    CHECK(cr_file_read(AT_FDCWD, path_of("a/c"), &b, NULL, &err) == 1);
    CHECK(cr_file_read(AT_FDCWD, path_of("dangling"), &b, NULL, &err) == 1);
    CHECK(err.code == 0);
    CHECK(cr_file_read(dir, "b/c", &b, NULL, &err) == if_below(1));
    CHECK(cr_file_read(dir, "a/c", &b, NULL, &err) == if_below(1));
    CHECK(cr_file_read(dir, "dangling", &b, NULL, &err) == if_below(1));
    CHECK(err.code == if_below(0));
    end();
}

TEST(the_ceiling_is_the_last_size_that_is_read)
{
    for (size_t size = 8190; size <= 8194; size++) {
        static char text[9000];

        memset(text, 'x', size);
        text[size] = '\0';
        CHECK(begin(8192) && put("a", text));
        CHECK(cr_file_read(dir, "a", &b, NULL, &err) == (size <= 8192 ? 0 : CAPRUN_E_TOOBIG));
        CHECK(size <= 8192 ? was_read(text) : says(CAPRUN_E_TOOBIG, "'a' is over 8192 bytes"));
        end();
    }
}

TEST(a_ceiling_of_nothing_takes_only_an_empty_file)
{
    CHECK(begin(0) && put("a", "") && put("b", "x"));
    CHECK(cr_file_read(dir, "a", &b, NULL, &err) == 0);
    CHECK(cr_file_read(dir, "b", &b, NULL, &err) == CAPRUN_E_TOOBIG);
    end();
}

TEST(a_link_is_followed_only_below_the_directory)
{
    CHECK(begin(100) && put("real", "text"));
    CHECK(symlink("real", path_of("inside")) == 0 && symlink("/dev/null", path_of("outside")) == 0);
    CHECK(cr_file_read(dir, "inside", &b, NULL, &err) == if_below(0));
    CHECK(was_read(if_below(0) == 0 ? "text" : ""));
    CHECK(cr_file_read(dir, "outside", &b, NULL, &err) == CAPRUN_E_SYS);
    CHECK(cr_file_read(dir, "../x", &b, NULL, &err) == CAPRUN_E_SYS);
    CHECK(cr_file_read(dir, "/dev/null", &b, NULL, &err) == CAPRUN_E_SYS);
    end();
}

TEST(what_is_no_regular_file_is_refused_without_waiting)
{
    CHECK(begin(100) && mkfifo(path_of("pipe"), 0600) == 0 && mkdir(path_of("folder"), 0700) == 0);
    CHECK(cr_file_read(dir, "pipe", &b, NULL, &err) == CAPRUN_E_INVAL);
    CHECK(says(CAPRUN_E_INVAL, "'pipe' is not a regular file"));
    CHECK(cr_file_read(dir, "folder", &b, NULL, &err) == CAPRUN_E_INVAL);
    CHECK(cr_file_read(AT_FDCWD, "/dev/zero", &b, NULL, &err) == CAPRUN_E_INVAL);
    CHECK(mknod(path_of("socket"), S_IFSOCK | 0600, 0) == 0);
    CHECK(cr_file_read(dir, "socket", &b, NULL, &err) == CAPRUN_E_SYS);
    CHECK(says(CAPRUN_E_SYS, "cannot open 'socket'"));
    CHECK(was_read(""));
    end();
}

static int reads_what_is_forbidden(int number)
{
    (void)number;
    if (!be_nobody() || cr_file_read(AT_FDCWD, path_of("a"), &b, NULL, &err) != CAPRUN_E_SYS)
        return 1;
    return errno == EACCES && says(CAPRUN_E_SYS, "/a': Permission denied") ? 0 : 2;
}

TEST(a_file_that_may_not_be_read_is_an_error_with_errno)
{
    CHECK(begin(100) && put("a", "x"));
    CHECK(chmod(scratch, 0755) == 0 && chmod(path_of("a"), 0) == 0);
    CHECK(in_child(reads_what_is_forbidden, 0) == 0);
    end();
}

TEST(of_a_long_path_the_words_show_the_end_and_the_reason)
{
    char path[3000];

    CHECK(begin(100));
    memset(path, 'x', sizeof(path) - 1);
    memcpy(path + sizeof(path) - 5, "last", 5);
    CHECK(cr_file_read(dir, path, &b, NULL, &err) == CAPRUN_E_SYS);
    CHECK(says(CAPRUN_E_SYS, "xlast': File name too long") && strstr(err.text, "open '...x"));
    CHECK(cr_file_replace(dir, path, "", 0, 0600, &err) == CAPRUN_E_SYS);
    CHECK(says(CAPRUN_E_SYS, "xlast': File name too long"));
    end();
}

TEST(what_comes_in_pieces_through_a_pipe_is_read_to_its_end)
{
    int ends[2];
    pid_t pid;

    CHECK(begin(1 << 20) && pipe(ends) == 0);
    pid = fork();
    if (pid == 0) {
        (void)close(ends[0]);
        for (int i = 0; i < 30000; i++)
            if (write(ends[1], "abcdefg", 7) != 7)
                _exit(1);
        _exit(0);
    }
    (void)close(ends[1]);
    CHECK(cr_file_read_fd(ends[0], "the pipe", &b, &err) == 0);
    CHECK(b.len == 210000 && memcmp(b.data + 209993, "abcdefg", 7) == 0);
    CHECK(end_of(pid) == 0);
    CHECK(cr_file_read_fd(-1, "the pipe", &b, &err) == CAPRUN_E_SYS);
    CHECK(says(CAPRUN_E_SYS, "cannot read the pipe: Bad file descriptor"));
    (void)close(ends[0]);
    end();
}

/* --- replacing ------------------------------------------------------------------------------ */

TEST(a_new_file_has_the_bytes_and_the_mode_less_the_umask)
{
    CHECK(begin(100));
    (void)umask(027);
    CHECK(cr_file_replace(dir, "a", "text", 4, 0666, &err) == 0);
    CHECK(cr_file_replace(AT_FDCWD, path_of("b"), NULL, 0, 0600, &err) == 0);
    CHECK(holds("a", "text") && mode_of("a") == 0640);
    CHECK(holds("b", "") && mode_of("b") == 0600);
    CHECK(count_files() == 2);
    end();
}

TEST(a_file_that_is_replaced_keeps_its_mode_whatever_the_umask)
{
    CHECK(begin(100) && put("a", "old") && put("b", "old"));
    CHECK(chmod(path_of("a"), 0604) == 0 && chmod(path_of("b"), 0400) == 0);
    (void)umask(077);
    CHECK(cr_file_replace(dir, "a", "new", 3, 0644, &err) == 0);
    CHECK(cr_file_replace(dir, "b", "new", 3, 0644, &err) == 0);
    CHECK(holds("a", "new") && mode_of("a") == 0604);
    CHECK(holds("b", "new") && mode_of("b") == 0400);
    end();
}

TEST(an_open_descriptor_of_the_old_file_still_reads_the_old_content)
{
    int fd;
    char text[8] = "";

    CHECK(begin(100) && put("a", "old"));
    fd = open(path_of("a"), O_RDONLY | O_CLOEXEC);
    CHECK(cr_file_replace(dir, "a", "newer", 5, 0644, &err) == 0);
    CHECK(read(fd, text, sizeof(text)) == 3 && strcmp(text, "old") == 0);
    CHECK(holds("a", "newer"));
    (void)close(fd);
    end();
}

TEST(a_symbolic_link_is_replaced_and_not_followed)
{
    struct stat st;

    CHECK(begin(100) && put("target", "old") && symlink("target", path_of("a")) == 0);
    CHECK(cr_file_replace(dir, "a", "new", 3, 0644, &err) == 0);
    CHECK(lstat(path_of("a"), &st) == 0 && S_ISREG(st.st_mode));
    CHECK(holds("a", "new") && holds("target", "old"));
    end();
}

TEST(a_directory_is_not_replaced_and_nothing_is_left_behind)
{
    CHECK(begin(100) && mkdir(path_of("a"), 0700) == 0);
    CHECK(cr_file_replace(dir, "a", "new", 3, 0644, &err) == CAPRUN_E_SYS);
    CHECK(errno == EISDIR && says(CAPRUN_E_SYS, "cannot write 'a': Is a directory"));
    CHECK(count_files() == 1);
    CHECK(cr_file_replace(dir, "none/a", "new", 3, 0644, &err) == CAPRUN_E_SYS);
    CHECK(errno == ENOENT && count_files() == 1);
    end();
}

/* Pretends that the disk is full after |number| bytes. */
static int writes_too_much(int number)
{
    struct rlimit limit = {(rlim_t)number, (rlim_t)number};
    char text[1000];

    memset(text, 'n', sizeof(text));
    if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &limit) < 0)
        return 1;
    if (cr_file_replace(dir, "a", text, sizeof(text), 0644, &err) != CAPRUN_E_SYS)
        return 2;
    return errno == EFBIG && says(CAPRUN_E_SYS, "cannot write 'a': File too large") ? 0 : 3;
}

TEST(a_disk_that_is_full_leaves_the_old_file_and_nothing_beside_it)
{
    CHECK(begin(100) && put("a", "old"));
    CHECK(in_child(writes_too_much, 0) == 0);
    CHECK(in_child(writes_too_much, 1) == 0);
    CHECK(in_child(writes_too_much, 999) == 0);
    CHECK(holds("a", "old") && count_files() == 1);
    end();
}

static int replaces_for_ever(int number)
{
    static char text[100000];

    memset(text, 'a' + number, sizeof(text));
    for (;;)
        if (cr_file_replace(dir, "a", text, sizeof(text), 0644, NULL) < 0)
            return 1;
}

/* Is the file exactly one of the writers' texts? */
static bool is_whole(void)
{
    const char *text = get("a");

    return text && strlen(text) == 100000 && strspn(text, (char[2]){text[0], '\0'}) == 100000;
}

TEST(a_reader_sees_whole_files_only_also_of_writers_that_are_killed)
{
    pid_t pids[3];

    CHECK(begin(100));
    for (int i = 0; i < 3; i++)
        pids[i] = start_child(replaces_for_ever, i);
    while (!get("a"))
        (void)usleep(100);
    for (int i = 0; i < 60; i++) {
        CHECK(is_whole());
        if (i % 3 == 0) {
            (void)kill(pids[i / 3 % 3], SIGKILL);
            (void)end_of(pids[i / 3 % 3]);
            pids[i / 3 % 3] = start_child(replaces_for_ever, i / 3 % 3);
        }
    }
    for (int i = 0; i < 3; i++) {
        (void)kill(pids[i], SIGKILL);
        (void)end_of(pids[i]);
    }
    CHECK(is_whole());
    cr_file_sweep(dir, "a");
    CHECK(is_whole() && count_files() == 1);
    end();
}

TEST(sweeping_removes_what_writers_left_and_nothing_else)
{
    static const char *const kept[] = {"a",
                                       "a.tmp",
                                       "a.0123456789abcde.tmp",
                                       "a.0123456789abcdef0.tmp",
                                       "a.0123456789ABCDEF.tmp",
                                       "a.0123456789abcdef.tmp.tmp",
                                       "a.0123456789abcdef",
                                       "b.0123456789abcdef.tmp",
                                       "aa.0123456789abcdef.tmp"};
    int count = (int)(sizeof(kept) / sizeof(kept[0]));

    CHECK(begin(100));
    for (int i = 0; i < count; i++)
        CHECK(put(kept[i], "x"));
    CHECK(put("a.0123456789abcdef.tmp", "x") && put("a.ffffffffffffffff.tmp", ""));
    cr_file_sweep(dir, "a");
    for (int i = 0; i < count; i++)
        CHECK(holds(kept[i], "x"));
    CHECK(count_files() == count);
    CHECK(mkdir(path_of("a.0123456789abcdef.tmp"), 0700) == 0);
    cr_file_sweep(dir, "a");
    cr_file_sweep(-1, "a");
    CHECK(count_files() == count + 1);
    end();
}

TEST(a_new_file_appears_whole_and_never_replaces_another)
{
    CHECK(begin(100));
    CHECK(cr_file_create(dir, "a", "new", 3, 0640, &err) == 0 && holds("a", "new"));
    CHECK(count_files() == 1);
    CHECK(cr_file_create(dir, "a", "other", 5, 0640, &err) == CAPRUN_E_SYS && errno == EEXIST);
    CHECK(says(CAPRUN_E_SYS, "cannot write 'a': File exists") && holds("a", "new"));
    CHECK(symlinkat("nowhere", dir, "link") == 0);
    CHECK(cr_file_create(dir, "link", "x", 1, 0640, &err) == CAPRUN_E_SYS && errno == EEXIST);
    CHECK(cr_file_create(dir, "none/a", "x", 1, 0640, &err) == CAPRUN_E_SYS && errno == ENOENT);
    CHECK(count_files() == 2);
    end();
}

/* --- owners and modes ----------------------------------------------------------------------- */

static int check(uid_t uid, mode_t mode)
{
    struct stat st = {.st_uid = uid, .st_mode = S_IFREG | mode};

    return cr_file_check_owner(&st, "'x'", &err);
}

TEST(a_file_of_this_user_or_root_that_others_cannot_write_is_used)
{
    CHECK(check(geteuid(), 0600) == 0 && check(geteuid(), 0755) == 0);
    CHECK(check(0, 0644) == 0);
}

TEST(a_file_of_another_user_is_not_used)
{
    CHECK(check(geteuid() + 1, 0600) == CAPRUN_E_INVAL);
    CHECK(says(CAPRUN_E_INVAL, "'x' belongs to another user (uid "));
    CHECK(strstr(err.text, "chown"));
}

TEST(a_file_that_others_can_write_is_not_used)
{
    CHECK(check(geteuid(), 0620) == CAPRUN_E_INVAL);
    CHECK(says(CAPRUN_E_INVAL, "'x' can be written by others") && strstr(err.text, "chmod go-w"));
    CHECK(check(geteuid(), 0602) == CAPRUN_E_INVAL);
    CHECK(check(0, 0666) == CAPRUN_E_INVAL);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
