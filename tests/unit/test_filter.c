/*
 * test_filter.c - interprets the seccomp filters that the build generated, and compares their
 * answers with an independent description in plain C.
 */
#include "tap.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filters.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#error "which architecture is this?"
#endif
#define X32_BIT 0x40000000
#define BROKEN 0xdeadbeef /* the filter's program is invalid */

struct program {
    const struct sock_filter *code;
    size_t len;
};

#define PROGRAM(array)        \
    (struct program)          \
    {                         \
        (array), COUNT(array) \
    }

static uint32_t load(const struct seccomp_data *data, uint32_t at)
{
    uint32_t word;

    memcpy(&word, (const char *)data + at, sizeof(word));
    return word;
}

/* Returns the kernel's answer; BROKEN for an unknown instruction or a jump out of the program. */
static uint32_t run(struct program p, const struct seccomp_data *data)
{
    uint32_t a = 0;

    for (size_t pc = 0; pc < p.len; pc++) {
        const struct sock_filter *i = &p.code[pc];

        switch (i->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (i->k % 4 || i->k + 4 > sizeof(*data))
                return BROKEN;
            a = load(data, i->k);
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            a &= i->k;
            break;
        case BPF_JMP | BPF_JA:
            pc += i->k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            pc += a == i->k ? i->jt : i->jf;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            pc += a >= i->k ? i->jt : i->jf;
            break;
        case BPF_JMP | BPF_JGT | BPF_K:
            pc += a > i->k ? i->jt : i->jf;
            break;
        case BPF_RET | BPF_K:
            return i->k;
        default:
            return BROKEN;
        }
    }
    return BROKEN;
}

/* --- the descriptions --------------------------------------------------------------------- */

static bool worker_may(const struct seccomp_data *d)
{
    if (d->arch != NATIVE)
        return false;
    return d->nr == SYS_exit_group ||
           ((d->nr == SYS_read || d->nr == SYS_write) && d->args[0] == 3);
}

static uint32_t worker_expected(const struct seccomp_data *d)
{
    return worker_may(d) ? SECCOMP_RET_ALLOW : SECCOMP_RET_KILL_PROCESS;
}

static bool zygote_may(const struct seccomp_data *d)
{
    const uint64_t *arg = (const uint64_t *)d->args;

    switch (d->nr) {
    case SYS_ppoll:
    case SYS_wait4:
    case SYS_close:
    case SYS_close_range:
    case SYS_getppid:
    case SYS_getrandom:
    case SYS_exit_group:
        return true;
    case SYS_recvmsg:
    case SYS_sendmsg:
    case SYS_write:
        return arg[0] == 3;
    case SYS_read:
        return arg[0] == 3 || arg[0] == 4;
    case SYS_dup3:
        return arg[1] == 3;
    case SYS_clone:
        return arg[0] == (CLONE_PIDFD | SIGCHLD);
    case SYS_prctl:
        return arg[0] == PR_SET_PDEATHSIG;
    case SYS_mmap:
        return arg[2] == (PROT_READ | PROT_WRITE) &&
               arg[3] == (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
    case SYS_madvise:
        return arg[2] == MADV_HUGEPAGE;
    case SYS_prlimit64:
        return arg[0] == 0;
    case SYS_seccomp:
        return arg[0] == SECCOMP_SET_MODE_FILTER;
    default:
        return false;
    }
}

static uint32_t zygote_expected(const struct seccomp_data *d)
{
    if (d->arch != NATIVE)
        return SECCOMP_RET_KILL_PROCESS;
    if (d->nr == SYS_clock_gettime)
        return SECCOMP_RET_ERRNO | ENOSYS;
    return zygote_may(d) ? SECCOMP_RET_ALLOW : SECCOMP_RET_KILL_PROCESS;
}

/* --- inputs ------------------------------------------------------------------------------- */

/* Values that a careless comparison confuses with other values. */
static const uint64_t values[] = {
    0,
    1,
    2,
    3,
    4,
    5,
    0x100000003,
    0x300000000,
    0xffffffff00000003,
    0x8000000000000003,
    0x100000004,
    0x100000000,
    UINT64_MAX,
    UINT32_MAX,
    PROT_READ | PROT_WRITE,
    PROT_READ | PROT_WRITE | PROT_EXEC,
    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
    MADV_HUGEPAGE,
    MADV_NOHUGEPAGE,
    MADV_POPULATE_WRITE,
    CLONE_PIDFD | SIGCHLD,
    CLONE_PIDFD | SIGCHLD | CLONE_NEWUSER,
    CLONE_VM | SIGCHLD,
    PR_SET_PDEATHSIG,
    PR_SET_SECCOMP,
};

static const uint32_t arches[] = {
    AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64, AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64, 0,
    UINT32_MAX,
};

static uint64_t seed;

/* xorshift: the same inputs in every run */
static uint64_t chance(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static uint64_t chance_value(void)
{
    uint64_t r = chance();

    return r % 4 ? values[(r >> 8) % COUNT(values)] : chance();
}

static struct seccomp_data chance_call(void)
{
    struct seccomp_data d = {.arch = NATIVE, .instruction_pointer = chance()};
    uint64_t r = chance();

    d.nr = (int)((r >> 16) % 512);
    if (r % 16 == 0)
        d.arch = arches[(r >> 8) % COUNT(arches)];
    if (r % 16 == 1)
        d.nr |= X32_BIT;
    if (r % 16 == 2)
        d.nr = (int)chance();
    if (r % 16 > 11)
        d.nr = (int[]){SYS_read, SYS_write, SYS_exit_group, SYS_mmap}[(r >> 8) % 4];
    for (size_t i = 0; i < COUNT(d.args); i++)
        d.args[i] = chance_value();
    return d;
}

typedef uint32_t expected_fn(const struct seccomp_data *d);

static bool agrees(struct program p, expected_fn *expected, const struct seccomp_data *d)
{
    uint32_t got = run(p, d), wanted = expected(d);

    if (got == wanted)
        return true;
    printf("# number %d, architecture %x, args %llx %llx %llx %llx: %x, not %x\n", d->nr, d->arch,
           (unsigned long long)d->args[0], (unsigned long long)d->args[1],
           (unsigned long long)d->args[2], (unsigned long long)d->args[3], got, wanted);
    return false;
}

/* System call |nr| with each value in each argument, and with all arguments set to that value. */
static bool agrees_on_values(struct program p, expected_fn *expected, uint32_t arch, int nr)
{
    for (size_t v = 0; v < COUNT(values); v++) {
        struct seccomp_data d = {.nr = nr, .arch = arch};

        for (size_t i = 0; i < COUNT(d.args); i++) {
            struct seccomp_data one = {.nr = nr, .arch = arch};

            one.args[i] = d.args[i] = values[v];
            if (!agrees(p, expected, &one))
                return false;
        }
        if (!agrees(p, expected, &d))
            return false;
    }
    return true;
}

static bool agrees_on_all_numbers(struct program p, expected_fn *expected)
{
    for (size_t a = 0; a < COUNT(arches); a++) {
        for (int nr = 0; nr < 1024; nr++)
            if (!agrees_on_values(p, expected, arches[a], nr) ||
                !agrees_on_values(p, expected, arches[a], nr | X32_BIT) ||
                !agrees_on_values(p, expected, arches[a], -1 - nr))
                return false;
    }
    return true;
}

static bool agrees_on_chance(struct program p, expected_fn *expected, size_t count)
{
    seed = 88172645463325252u;
    for (size_t i = 0; i < count; i++) {
        struct seccomp_data d = chance_call();

        if (!agrees(p, expected, &d))
            return false;
    }
    return true;
}

/* --- tests -------------------------------------------------------------------------------- */

TEST(the_worker_may_read_3_write_3_and_leave)
{
    struct program p = PROGRAM(filter_worker);

    CHECK(run(p, &(struct seccomp_data){.nr = SYS_read, .arch = NATIVE, .args = {3}}) ==
          SECCOMP_RET_ALLOW);
    CHECK(run(p, &(struct seccomp_data){.nr = SYS_write, .arch = NATIVE, .args = {3}}) ==
          SECCOMP_RET_ALLOW);
    CHECK(run(p, &(struct seccomp_data){.nr = SYS_exit_group, .arch = NATIVE, .args = {9}}) ==
          SECCOMP_RET_ALLOW);
}

TEST(the_worker_dies_of_any_other_descriptor)
{
    struct program p = PROGRAM(filter_worker);
    static const uint64_t others[] = {
        0, 1, 2, 4, 5, 0x100000003, 0xffffffff00000003, 0x8000000000000003, UINT64_MAX, UINT32_MAX,
    };

    for (size_t i = 0; i < COUNT(others); i++) {
        struct seccomp_data d = {
            .nr = SYS_read, .arch = NATIVE, .args = {others[i], 3, 3, 3, 3, 3}};

        CHECK(run(p, &d) == SECCOMP_RET_KILL_PROCESS);
        d.nr = SYS_write;
        CHECK(run(p, &d) == SECCOMP_RET_KILL_PROCESS);
    }
}

TEST(the_worker_filter_is_as_described_for_all_numbers_and_architectures)
{
    CHECK(agrees_on_all_numbers(PROGRAM(filter_worker), worker_expected));
}

TEST(the_worker_filter_is_as_described_for_a_million_chance_calls)
{
    CHECK(agrees_on_chance(PROGRAM(filter_worker), worker_expected, 1000000));
}

TEST(the_zygote_filter_is_as_described_for_all_numbers_and_architectures)
{
    CHECK(agrees_on_all_numbers(PROGRAM(filter_zygote), zygote_expected));
}

TEST(the_zygote_filter_is_as_described_for_a_million_chance_calls)
{
    CHECK(agrees_on_chance(PROGRAM(filter_zygote), zygote_expected, 1000000));
}

TEST(every_path_through_a_filter_ends_in_an_answer)
{
    const struct program programs[] = {PROGRAM(filter_worker), PROGRAM(filter_zygote)};

    for (size_t n = 0; n < COUNT(programs); n++) {
        for (size_t pc = 0; pc < programs[n].len; pc++) {
            const struct sock_filter *i = &programs[n].code[pc];
            bool jumps = BPF_CLASS(i->code) == BPF_JMP;

            CHECK(!jumps || pc + 1 + i->jt < programs[n].len);
            CHECK(!jumps || pc + 1 + i->jf < programs[n].len);
        }
        CHECK(BPF_CLASS(programs[n].code[programs[n].len - 1].code) == BPF_RET);
    }
}

TEST(no_filter_asks_a_tracer_or_a_listener_or_only_logs)
{
    const struct program programs[] = {PROGRAM(filter_worker), PROGRAM(filter_zygote)};

    for (size_t n = 0; n < COUNT(programs); n++) {
        for (size_t pc = 0; pc < programs[n].len; pc++) {
            const struct sock_filter *i = &programs[n].code[pc];

            CHECK(BPF_CLASS(i->code) != BPF_RET || i->k == SECCOMP_RET_ALLOW ||
                  i->k == SECCOMP_RET_KILL_PROCESS ||
                  (n == 1 && i->k == (SECCOMP_RET_ERRNO | ENOSYS)));
        }
    }
}

/* Compiles the worker's list with libseccomp into |code|, which has room for |max|. */
static size_t build_with_libseccomp(struct sock_filter *code, size_t max)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_KILL_PROCESS);
    int fd = memfd_create("filter", MFD_CLOEXEC);
    ssize_t len = -1;

    if (ctx && fd >= 0 &&
        seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0 &&
        seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(read), 1, SCMP_A0_64(SCMP_CMP_EQ, 3)) == 0 &&
        seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(write), 1, SCMP_A0_64(SCMP_CMP_EQ, 3)) ==
            0 &&
        seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(exit_group), 0) == 0 &&
        seccomp_export_bpf(ctx, fd) == 0)
        len = pread(fd, code, max * sizeof(*code), 0);
    seccomp_release(ctx);
    if (fd >= 0)
        (void)close(fd);
    return len > 0 ? (size_t)len / sizeof(*code) : 0;
}

TEST(the_worker_filter_decides_as_one_that_libseccomp_makes_now)
{
    struct sock_filter code[256];
    struct program fresh = {code, build_with_libseccomp(code, COUNT(code))};

    CHECK(fresh.len > 0);
    CHECK(agrees_on_all_numbers(fresh, worker_expected));
    seed = 4101842887655102017u;
    for (int i = 0; i < 1000000; i++) {
        struct seccomp_data d = chance_call();

        CHECK(run(fresh, &d) == run(PROGRAM(filter_worker), &d));
    }
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
