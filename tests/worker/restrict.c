/*
 * restrict.c - starts a command without some kernel feature that the sandbox uses.
 *
 *     restrict WHAT... -- COMMAND...
 *
 *     seccomp:ERROR:CALL,CALL/ARG  these system calls fail: EPERM, as in a container; ENOSYS and
 *                                  EINVAL, as on an old kernel; /ARG: only if the first arg is ARG
 *     landlock:net                 uses up all Landlock domains, with network rules
 *     landlock:files               the same with file rules, which also forbid mounting
 *     users                        a user namespace with the same uids, where no further user
 *                                  namespace can be made
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DOMAINS 16  /* the kernel's LANDLOCK_MAX_NUM_LAYERS */
#define BIND_TCP 1u /* a network right; the headers may be too old to have it */

static void need(int ok, const char *what)
{
    if (ok)
        return;
    (void)fprintf(stderr, "restrict: %s: %s\n", what, strerror(errno));
    exit(125);
}

/* --- seccomp ------------------------------------------------------------------------------ */

static int error_number(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } errors[] = {{"EPERM", EPERM}, {"ENOSYS", ENOSYS}, {"EINVAL", EINVAL}, {"EACCES", EACCES}};

    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (strcmp(name, errors[i].name) == 0)
            return errors[i].number;
    errno = EINVAL;
    need(0, name);
    return 0;
}

static void forbid(scmp_filter_ctx filter, char *call, int error)
{
    char *arg = strchr(call, '/');
    struct scmp_arg_cmp first = {.arg = 0, .op = SCMP_CMP_EQ};
    int number;

    if (arg) {
        *arg = '\0';
        first.datum_a = strtoull(arg + 1, NULL, 0);
    }
    number = seccomp_syscall_resolve_name(call);
    errno = ENOENT;
    need(number != __NR_SCMP_ERROR, call);
    errno = -seccomp_rule_add_array(filter, SCMP_ACT_ERRNO((uint32_t)error), number, arg ? 1 : 0,
                                    &first);
    need(errno == 0, call);
}

/* |what| is "ERROR:CALL,CALL". */
static void restrict_calls(char *what)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    char *rest = strchr(what, ':');

    need(filter && rest, what);
    *rest++ = '\0';
    for (char *call = strtok(rest, ","); call; call = strtok(NULL, ","))
        forbid(filter, call, error_number(what));
    errno = -seccomp_load(filter);
    need(errno == 0, "seccomp_load");
    seccomp_release(filter);
}

/* --- Landlock ----------------------------------------------------------------------------- */

/* Each domain removes a right that no test needs. */
static void use_up_domains(int files)
{
    uint64_t rules[2] = {0}; /* files, network */
    int fd;

    rules[files ? 0 : 1] = files ? LANDLOCK_ACCESS_FS_MAKE_BLOCK : BIND_TCP;
    fd = (int)syscall(SYS_landlock_create_ruleset, rules, sizeof(rules), 0);
    need(fd >= 0, "landlock_create_ruleset");
    need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
    for (int i = 0; i < DOMAINS; i++)
        if (syscall(SYS_landlock_restrict_self, fd, 0) < 0)
            need(errno == E2BIG, "landlock_restrict_self");
    (void)close(fd);
}

/* --- user namespaces ---------------------------------------------------------------------- */

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[96];
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%s/%s", folder, name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    need(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), path);
    (void)close(fd);
}

/* Called outside of the namespace: inside, even root may map only its own uid. */
static void write_maps(pid_t pid)
{
    char folder[32], text[64];
    unsigned count = geteuid() == 0 ? 65536 : 1;

    (void)snprintf(folder, sizeof(folder), "%d", (int)pid);
    if (count == 1)
        write_file(folder, "setgroups", "deny");
    (void)snprintf(text, sizeof(text), "%u %u %u\n", geteuid(), geteuid(), count);
    write_file(folder, "uid_map", text);
    (void)snprintf(text, sizeof(text), "%u %u %u\n", getegid(), getegid(), count);
    write_file(folder, "gid_map", text);
}

static void forbid_user_namespaces(void)
{
    pid_t self = getpid(), child;
    int unshared[2], status;
    char byte = 0;

    need(pipe(unshared) == 0, "pipe");
    child = fork();
    need(child >= 0, "fork");
    if (child == 0) {
        need(read(unshared[0], &byte, 1) == 1, "read");
        write_maps(self);
        _exit(0);
    }
    need(unshare(CLONE_NEWUSER) == 0, "unshare");
    need(write(unshared[1], &byte, 1) == 1, "write");
    need(waitpid(child, &status, 0) == child && status == 0, "maps");
    (void)close(unshared[0]);
    (void)close(unshared[1]);
    write_file("sys/user", "max_user_namespaces", "0");
}

int main(int argc, char **argv)
{
    int i;

    for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "seccomp:", 8) == 0)
            restrict_calls(argv[i] + 8);
        else if (strncmp(argv[i], "landlock:", 9) == 0)
            use_up_domains(strcmp(argv[i] + 9, "files") == 0);
        else if (strcmp(argv[i], "users") == 0)
            forbid_user_namespaces();
        else
            break;
    }
    errno = EINVAL;
    need(i + 1 < argc && strcmp(argv[i], "--") == 0, "usage: restrict WHAT... -- COMMAND...");
    (void)execvp(argv[i + 1], &argv[i + 1]);
    need(0, argv[i + 1]);
}
