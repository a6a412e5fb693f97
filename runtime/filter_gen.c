/*
 * filter_gen.c - makes the seccomp system call filters at build time, with libseccomp.
 *
 * The program prints a C header with the filters' instructions as numbers; lockdown.c loads them.
 * So the policy is exactly the two lists below, and a worker does no work except loading bytes. A
 * system call that the list does not name kills the process. So does every system call of an
 * architecture other than the native one; x32 counts as another architecture.
 */
#include <errno.h>
#include <linux/filter.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lockdown.h"
#include "wire.h"

struct rule {
    int call;
    int checks;
    struct scmp_arg_cmp check[2];
    uint32_t action; /* 0: allow */
};

#define CALL(name)                  \
    {                               \
        SCMP_SYS(name), 0, {{0}}, 0 \
    }
#define CALL_IF(name, arg, value)                                       \
    {                                                                   \
        SCMP_SYS(name), 1, {SCMP_CMP64((arg), SCMP_CMP_EQ, (value))}, 0 \
    }
#define CALL_IF2(name, a, va, b, vb)                                                    \
    {                                                                                   \
        SCMP_SYS(name), 2,                                                              \
            {SCMP_CMP64((a), SCMP_CMP_EQ, (va)), SCMP_CMP64((b), SCMP_CMP_EQ, (vb))}, 0 \
    }
#define FAILS(name, error)                              \
    {                                                   \
        SCMP_SYS(name), 0, {{0}}, SCMP_ACT_ERRNO(error) \
    }

/* The worker: the process that runs untrusted code. */
static const struct rule worker[] = {
    CALL_IF(read, 0, WIRE_FD),
    CALL_IF(write, 0, WIRE_FD),
    CALL(exit_group),
};

/* The zygote; and a worker before it loads its own filter. */
static const struct rule zygote[] = {
    CALL(ppoll),
    CALL_IF(recvmsg, 0, WIRE_FD),
    CALL_IF(sendmsg, 0, WIRE_FD),
    CALL_IF(clone, 0, CLONE_PIDFD | SIGCHLD),
    CALL(wait4),
    CALL(close),
    CALL_IF(read, 0, WIRE_FD),
    CALL_IF(read, 0, CRW_LOCKDOWN_SIGNAL_FD),
    CALL_IF(write, 0, WIRE_FD),
    CALL_IF(dup3, 1, WIRE_FD),
    CALL(close_range),
    CALL_IF(prctl, 0, PR_SET_PDEATHSIG),
    CALL(getppid),
    CALL(getrandom),
    CALL_IF2(mmap, 2, PROT_READ | PROT_WRITE, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE),
    CALL_IF(madvise, 2, MADV_HUGEPAGE),
    CALL_IF(prlimit64, 0, 0),
    CALL_IF(seccomp, 0, 1 /* SECCOMP_SET_MODE_FILTER */),
    CALL(exit_group),
    /* if the clock needs a system call, find out here; in a worker that call would be fatal */
    FAILS(clock_gettime, ENOSYS),
};

static void exit_with_error(const char *what, int error)
{
    (void)fprintf(stderr, "filter_gen: %s: %s\n", what, strerror(-error));
    exit(1);
}

static scmp_filter_ctx make(const struct rule *rules, size_t count)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_KILL_PROCESS);
    int r;

    if (!ctx)
        exit_with_error("seccomp_init", -ENOMEM);
    r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    if (r < 0)
        exit_with_error("bad architecture", r);
    for (size_t i = 0; i < count; i++) {
        const struct rule *rule = &rules[i];
        uint32_t action = rule->action ? rule->action : SCMP_ACT_ALLOW;

        r = seccomp_rule_add_exact_array(ctx, action, rule->call, (unsigned)rule->checks,
                                         rule->check);
        if (r < 0)
            exit_with_error("rule", r);
    }
    return ctx;
}

static void print(const char *name, const struct rule *rules, size_t count)
{
    scmp_filter_ctx ctx = make(rules, count);
    struct sock_filter code[BPF_MAXINSNS];
    int fd = memfd_create("filter", MFD_CLOEXEC);
    ssize_t len;
    int r;

    if (fd < 0)
        exit_with_error("memfd_create", -errno);
    r = seccomp_export_bpf(ctx, fd);
    if (r < 0)
        exit_with_error("export", r);
    len = pread(fd, code, sizeof(code), 0);
    if (len <= 0 || (size_t)len % sizeof(code[0]))
        exit_with_error("read back", -EIO);
    printf("static const struct sock_filter filter_%s[] = {\n", name);
    for (size_t i = 0; i < (size_t)len / sizeof(code[0]); i++)
        printf("    {0x%02x, %u, %u, 0x%08x},\n", code[i].code, code[i].jt, code[i].jf, code[i].k);
    printf("};\n");
    (void)close(fd);
    seccomp_release(ctx);
}

int main(void)
{
    printf("/* made by runtime/filter_gen.c; the lists are there */\n");
    print("worker", worker, sizeof(worker) / sizeof(worker[0]));
    print("zygote", zygote, sizeof(zygote) / sizeof(zygote[0]));
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
