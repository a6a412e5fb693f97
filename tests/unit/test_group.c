/* test_group.c - which groups are private, by the texts of /etc/passwd and /etc/group. */
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/file.h"
#include "base/group.h"

#define PASSWD                                    \
    "# users\n"                                   \
    "root:x:0:0:root:/root:/bin/sh\n"             \
    "ann:x:1000:1000:Ann,,,:/users/ann:/bin/sh\n" \
    "\n"                                          \
    "bob:x:1001:1001::/users/bob:/bin/sh"
#define GROUP "root:x:0:\nusers:x:100:\nann:x:1000:\nbob:x:1001:\n"

static bool is_private(const char *passwd, const char *group)
{
    return cr_group_is_private(passwd, group, 1000, 1000);
}

TEST(the_group_with_the_name_of_its_only_user_is_private)
{
    CHECK(is_private(PASSWD, GROUP));
    CHECK(is_private(PASSWD, "root:x:0:\nann:x:1000:ann\n"));
    CHECK(is_private(PASSWD, "ann:x:1000:"));
    CHECK(is_private(PASSWD "\nanother:x:1000:1000::/:", GROUP));
    CHECK(cr_group_is_private(PASSWD, GROUP, 0, 0));
}

TEST(the_group_of_another_user_or_of_several_is_not_private)
{
    CHECK(!cr_group_is_private(PASSWD, GROUP, 1000, 1001));
    CHECK(!cr_group_is_private(PASSWD, GROUP, 1001, 1000));
    CHECK(!cr_group_is_private(PASSWD, GROUP, 1000, 100));
    CHECK(!cr_group_is_private(PASSWD, GROUP, 1000, 4294967295u));
    CHECK(!is_private(PASSWD, "ann:x:1000:bob\n") && !is_private(PASSWD, "ann:x:1000:ann,bob\n"));
    CHECK(!is_private(PASSWD, "ann:x:1000:\nann:x:1000:bob\n"));
    CHECK(!is_private(PASSWD, "staff:x:1000:\n"));
    CHECK(!is_private(PASSWD "\neve:x:1002:1000::/:", GROUP));
    CHECK(!is_private("ann:x:1002:1002::/:\nzoe:x:1000:1000::/:\n", GROUP));
}

TEST(a_text_that_is_damaged_or_refers_to_other_sources_makes_no_group_private)
{
    static const char *const lines[] = {"+",     "+::::::", "-eve:x:7:7:::", "eve",
                                        "eve:x", "eve:x:7", "eve:x::7:",     "eve:x:seven:7",
                                        ":::",   " ",       "eve:x:-1:",     "eve:x:99999999999:7"};

    CHECK(!is_private("", GROUP) && !is_private(PASSWD, ""));
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        char passwd[600], group[600];

        (void)snprintf(passwd, sizeof(passwd), "%s\n%s", PASSWD, lines[i]);
        (void)snprintf(group, sizeof(group), "%s\n%s", GROUP, lines[i]);
        CHECK(!is_private(passwd, GROUP));
        CHECK(!is_private(PASSWD, group));
    }
}

/* The list names user 12345, who may write; the mode of the file shows only that a group may. */
static const unsigned char list[] = {2,   0,   0,   0,   1,   0,    6,    0,   255, 255, 255,
                                     255, 2,   0,   6,   0,   0x39, 0x30, 0,   0,   4,   0,
                                     4,   0,   255, 255, 255, 255,  16,   0,   6,   0,   255,
                                     255, 255, 255, 32,  0,   4,    0,    255, 255, 255, 255};

TEST(a_file_whose_access_list_names_others_is_not_only_its_groups)
{
    char path[] = "/tmp/caprun-test-group-XXXXXX";
    int fd = mkstemp(path);
    struct cr_err err;
    struct stat st;
    bool mine, after;

    CHECK(fd >= 0 && fchmod(fd, 0664) == 0 && fstat(fd, &st) == 0);
    mine = cr_file_check_owner_or_group(AT_FDCWD, path, &st, "x", &err) == 0;
    CHECK(!mine || cr_file_check_owner(&st, "x", &err) < 0);
    if (fsetxattr(fd, "system.posix_acl_access", list, sizeof(list), 0) == 0) {
        CHECK(fstat(fd, &st) == 0);
        after = cr_group_is_mine(AT_FDCWD, path, &st);
        CHECK(!after);
    }
    st.st_ino++;
    CHECK(!cr_group_is_mine(AT_FDCWD, path, &st));
    (void)close(fd);
    (void)unlink(path);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
