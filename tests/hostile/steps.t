#!/usr/bin/env python3
"""steps.t - makes every step of the lock-down fail once.

The expected effect is written here, and agrees with the table in docs/threat-model.md: nothing runs; or the code runs
and -v names exactly the missing layers; or the failure is harmless, for a stated reason. A step without
a row fails the test, and so does a row without a step.
"""

import errno
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from plans import IS_ROOT, LAYERS, OTHER_NAMESPACES, USERS, missing_layers, native_code, run_hooked, steps_taken, words_of
from harness import contains, each, equal, main, need, reap_orphans, test, wait_until

EPERM, EINVAL, ENOSYS, EAGAIN, EACCES = (errno.EPERM, errno.EINVAL, errno.ENOSYS, errno.EAGAIN, errno.EACCES)
STEPS, EXITS = words_of("WIRE_STEP_MAP"), words_of("WIRE_EXIT_MAP")
CODE = "console.log('it ran'); return 1"
LANDLOCK = ["LANDLOCK_FS", "LANDLOCK_NET", "LANDLOCK_SCOPE"]
NO_USER_NS = ["USER_NS", "JOINED_NS", "PID_NS", "EMPTY_ROOT", "NO_CAPS"]


class Refused:
    WORDS = STEPS

    def __init__(self, name, *errors):
        self.words, self.errors = self.WORDS[name], errors or (EPERM,)

    def check(self, run, error):
        equal(run.status, 70, "exit status")
        equal(run.envelope["error"]["code"], "INTERNAL")
        contains(run.envelope["error"]["message"], self.words)
        equal(run.envelope["logs"], [], "nothing ran")


class Left(Refused):
    """The worker refused, not the zygote."""

    WORDS = EXITS


class Recorded:
    def __init__(self, *layers, errors=(EPERM,)):
        self.layers, self.errors = layers, errors

    def check(self, run, error):
        equal(run.status, 0, run.err)
        wanted = {LAYERS[name]: os.strerror(error) for name in self.layers}
        equal(missing_layers(run), wanted, "missing layers")
        equal(run.envelope["logs"], ["it ran"])
        if "PID_NS" in self.layers:
# a worker may outlive its zygote for a moment; as an orphan it then becomes our child
            wait_until(lambda: not reap_orphans(), 1, "the end of all processes")


class Harmless(Recorded):
    def __init__(self, reason, *errors):
        super().__init__(errors=errors or (EPERM,))
        self.reason = reason


NOWHERE_ELSE = Harmless("both are about speed, on a machine with several processors", EPERM, EINVAL)
THE_SOCKET_TELLS = Harmless("the control socket tells of the host's end, unless others have it too", EPERM, ENOSYS)
EACH_ALONE = Harmless("then each is made alone", EPERM, EINVAL, ENOSYS)
WHO_SAYS_IT_TOO = Harmless("the program that forks the zygote announces it as well", EPERM, ENOSYS)

# What happens to a run of root and of an ordinary user if this step fails.
ROWS = {
    # close every other descriptor; 0, 1, 2 on /dev/null first
    "program open /dev/null": Refused("DESCRIPTORS", EPERM, EACCES),
    "program dup2 0": Refused("DESCRIPTORS"),
    "program dup2 1": Refused("DESCRIPTORS"),
    "program dup2 2": Refused("DESCRIPTORS"),
    "program close_range": Refused("DESCRIPTORS", EPERM, ENOSYS),
    # the host's pidfd
    "program getppid": THE_SOCKET_TELLS,
    "program pidfd_open": THE_SOCKET_TELLS,
    "program dup2 5": Refused("DESCRIPTORS"),
    # default signal state, setsid, chdir /
    "program sigprocmask 2": Refused("SIGNALS"),
    "program sigprocmask 0": Refused("SIGNALS"),
    "program setsid": Refused("SIGNALS"),
    "program chdir /": Refused("SIGNALS"),
    "program prctl 41": Harmless("huge pages only cost a small run time", EPERM, EINVAL),
    # refuse when address randomisation is off
    "program open /proc/sys/kernel/randomize_va_space":
        Harmless("without /proc it cannot be checked; it is on unless an administrator switched it off"),
    "program personality": Refused("RANDOMISATION", EPERM, EINVAL),
    # a separate identity, dumpable again
    "program setresuid": Refused("IDENTITY", EPERM, EINVAL),
    "program prctl 4": Refused("IDENTITY"),
    # user namespace with one-id maps, and the namespaces made inside it
    "program open /proc/self/setgroups": Recorded("USER_NS"),
    "program open /proc/self/gid_map": Recorded("USER_NS"),
    "program unshare 0x20000000": Recorded("PID_NS", errors=(EPERM, EINVAL, ENOSYS)),
    "program unshare 0x4e000000": EACH_ALONE,
    "zygote setns 0x4e000000": Recorded("JOINED_NS", errors=(EPERM, EINVAL, ENOSYS)),
    # fork
    "program pidfd_open#2": Refused("FORK", EPERM, ENOSYS),
    "program socketpair": Refused("FORK"),
    "program clone": Refused("FORK", EPERM, EAGAIN),
    "zygote pidfd_open": WHO_SAYS_IT_TOO,
    "program sched_getaffinity": NOWHERE_ELSE,
    "program sched_setaffinity": NOWHERE_ELSE,
    "zygote sched_setaffinity": NOWHERE_ELSE,
    "zygote close_range": Refused("DESCRIPTORS", EPERM, ENOSYS),
    "zygote close_range#2": Refused("DESCRIPTORS", EPERM, ENOSYS),
    # arena, engine, prelude
    "zygote open /proc/self/mem": Harmless("a worker then faults for its code piece by piece"),
    "zygote getrandom": Refused("ENGINE", EPERM, ENOSYS),
    "zygote mmap 0x4022": Refused("ENGINE", errno.ENOMEM),
    # an empty root
    "zygote unshare 0x20000": Recorded("EMPTY_ROOT"),
    "zygote mount 0x44000": Recorded("EMPTY_ROOT"),
    "zygote mount tmpfs": Harmless("there are other places for it"),
    "zygote chdir /tmp": Recorded("EMPTY_ROOT"),
    "zygote pivot_root": Recorded("EMPTY_ROOT", errors=(EPERM, EINVAL)),
    "zygote umount2 .": Recorded("EMPTY_ROOT"),
    "zygote chdir /": Recorded("EMPTY_ROOT"),
    "zygote mount 0x102f": Recorded("EMPTY_ROOT"),
    # no capabilities, bounding set empty; EINVAL means that there is no capability with this number
    "zygote prctl 24": Recorded("NO_CAPS", errors=(EPERM, EINVAL)),
    "zygote prctl 24#20": Recorded("NO_CAPS", errors=(EPERM, EINVAL)),
    "zygote prctl 24#41": Recorded("NO_CAPS"),
    "zygote prctl 47": Recorded("NO_CAPS", errors=(EPERM, EINVAL)),
    "zygote capset": Refused("IDENTITY"),
    "zygote prctl 38": Refused("NO_NEW_PRIVS", EPERM, EINVAL),
    "zygote prctl 4": Recorded("NOT_DUMPABLE"),
    "zygote prctl 65": Recorded("MDWE", errors=(EPERM, EINVAL)),
    "zygote prlimit 4": Refused("RLIMITS"),
    "zygote prlimit 1": Refused("RLIMITS"),
    # Landlock
    "zygote landlock_version": Recorded(*LANDLOCK, errors=(EPERM, ENOSYS, errno.EOPNOTSUPP)),
    "zygote landlock_create_ruleset": Recorded(*LANDLOCK, errors=(EPERM, EINVAL)),
    "zygote landlock_restrict_self": Recorded(*LANDLOCK, errors=(EPERM, errno.E2BIG)),
    # the first filter, and the calls that it must still allow
    "zygote signalfd": Refused("DESCRIPTORS"),
    "zygote seccomp": Refused("SECCOMP", EPERM, EINVAL, ENOSYS, EACCES),
    "zygote clock_gettime": Recorded("VDSO_CLOCK", errors=(EPERM, ENOSYS)),
    "zygote clone": Harmless("it is asked again", EPERM, EAGAIN),
    # the worker
    "worker dup3": Left("LOCKDOWN"),
    "worker close_range": Left("LOCKDOWN"),
    "worker close_range#2": Left("LOCKDOWN"),
    "worker prctl 1": Left("LOCKDOWN"),
    "worker getppid": Left("ORPHAN"),
    "worker getrandom": Left("LOCKDOWN", EPERM, ENOSYS, EAGAIN),
    "worker mmap 0x4022": Left("NO_SPACE", errno.ENOMEM),
    "worker prlimit 3": Left("RLIMITS"),
    "worker prlimit 0": Harmless("EPERM says that it is set lower already"),
    "worker prlimit 7": Left("RLIMITS"),
    "worker prlimit 6": Left("RLIMITS"),
    "worker prlimit 9": Harmless("EPERM says that it is set lower already"),
    "worker seccomp": Left("LOCKDOWN", EPERM, EINVAL, ENOSYS),
}

OF_ROOT = {
    "program setgroups": Refused("IDENTITY"),
    "program setresgid": Harmless("it takes one of the few ids that a container has", EPERM, EINVAL),
    "program capget": Harmless("an ordinary user may have a user namespace too, mostly"),
    "program capset": Harmless("an ordinary user may have a user namespace too, mostly"),
    "program unshare 0x10000000": Recorded("USER_NS", errors=(EPERM, EINVAL, errno.ENOSPC)),
# without a uid map the uid that root keeps in reserve cannot be given up
    "program open /proc/self/uid_map": Refused("IDENTITY"),
    "zygote getresuid": Refused("IDENTITY"),
    "zygote setresuid": Refused("IDENTITY", EPERM, EINVAL, EAGAIN),
}

OF_A_USER = {
    "program open /proc/self/uid_map": Refused("IDENTITY"),  # the uid outside the namespace is unknown
    "program setresgid": Refused("IDENTITY"),
# without root the other namespaces and the bounding set need the user namespace
    "program unshare 0x10000000": Recorded(*NO_USER_NS),
    "program open /proc/self/uid_map#2": Recorded("USER_NS"),
}

TABLES = {"root": ROWS | OF_ROOT, "user": ROWS | OF_A_USER}

# Steps that are only tried after another step failed: (the user, the steps that fail first, the row).
TMPFS = [f"zygote mount tmpfs{n}" for n in ("", "#2", "#3", "#4")]
CLONES = [f"zygote clone{n}" for n in ("", *(f"#{i}" for i in range(2, 100)))]
SECOND = {
    "program seteuid": ("root", ["program unshare 0x10000000"], Refused("IDENTITY")),
    "program setresgid#2": ("root", ["program setresgid"], Refused("IDENTITY", EPERM, EINVAL)),
    **{step: (None, OTHER_NAMESPACES[:1], Recorded("JOINED_NS")) for step in OTHER_NAMESPACES[1:]},
    "zygote mount tmpfs#2": (None, TMPFS[:1], Harmless("there are other places for it")),
    "zygote mount tmpfs#3": (None, TMPFS[:2], Harmless("there are other places for it")),
    "zygote mount tmpfs#4": (None, TMPFS[:3], Recorded("EMPTY_ROOT")),
    "zygote chdir /proc": (None, TMPFS[:1], Recorded("EMPTY_ROOT")),
    "zygote chdir /usr": (None, TMPFS[:2], Recorded("EMPTY_ROOT")),
    "zygote chdir /dev": (None, TMPFS[:3], Recorded("EMPTY_ROOT")),
}


def kind(step):
    """Steps that share one row: all capabilities except three, all workers, both huge page settings of old kernels."""
    if step in ("zygote prctl 24#20", "zygote prctl 24#41"):
        return step
    step = re.sub(r"^zygote setns .*", "zygote setns 0x4e000000", step)
    return re.sub(r"(prctl 24|zygote clone|program prctl 41)#\d+$", r"\1", step)


def check(user, plan, row, error):
    run = run_hooked(CODE, plan, under=USERS[user])
    row.check(run, error)
    unknown = [s for s in steps_taken() if kind(s) not in TABLES[user] and s not in SECOND]
    equal(unknown, [], "a new step: say what its failure means")


def errors_for(user, row):
    """All users try the first error; the effect of the others does not depend on the user."""
    return row.errors if user == list(USERS)[0] else row.errors[:1]


CASES = {f"{user}: {step}: {errno.errorcode[error]}": (user, step, error, row)
         for user in USERS for step, row in TABLES[user].items() for error in errors_for(user, row)}


@each(CASES)
def a_step_that_fails(case):
    user, step, error, row = case
    check(user, {step: error}, row, error)


CASES_OF_TWO = {f"{user}: {step}: {errno.errorcode[error]}": (user, before, step, error, row)
                for step, (only, before, row) in SECOND.items()
                for user in USERS if only in (None, user) for error in errors_for(user, row)}


@each(CASES_OF_TWO)
def a_step_that_fails_after_another(case):
    user, before, step, error, row = case
    check(user, {name: error for name in [*before, step]}, row, error)


@each({user: user for user in USERS})
def every_step_has_a_row_and_every_row_a_step(user):
    run = run_hooked(CODE, under=USERS[user])
    equal((run.status, missing_layers(run)), (0, {}), "without a plan every layer is there")
    taken = steps_taken()
    equal([s for s in taken if kind(s) not in TABLES[user]], [], "a new step: say what its failure means")
    equal([s for s in TABLES[user] if s not in taken], [], "rows that no step matches")


@each({user: user for user in USERS})
def every_step_that_comes_after_a_failure_is_real(user):
    for step, (only, before, _) in SECOND.items():
        if only in (None, user):
            run_hooked(CODE, {name: EPERM for name in before}, under=USERS[user])
            assert step in steps_taken(), f"no such step: {step}"


@each({user: user for user in USERS})
def a_zygote_that_never_forks_is_an_error(user):
    run = run_hooked(CODE, {step: EAGAIN for step in CLONES}, under=USERS[user])
    equal((run.status, run.envelope["error"]["code"], run.envelope["logs"]), (70, "INTERNAL", []))
    contains(run.envelope["error"]["message"], os.strerror(EAGAIN))


# --- what a failure leaves ---------------------------------------------------------------------

NO_FILTERS = {"zygote seccomp": "skip", "worker seccomp": "skip", "worker prlimit 7": "skip",
              "zygote landlock_version": EPERM}
LOOK = native_code("""return ['/etc', '/../etc', '../etc', '.', '..', '../../proc/self']
    .map(path => open(path) >= 0)""")


@each({user: user for user in USERS})
def nothing_of_the_old_root_is_in_an_empty_root(user):
    """Also if the last steps failed; the twin is a root directory that was not changed."""
    for step in ("zygote chdir /", "zygote mount 0x102f", None):
        plan = NO_FILTERS | ({step: EPERM} if step else {})
        run = run_hooked(LOOK, plan, under=USERS[user])
        equal(run.envelope["result"], [False, False, False, True, True, False], step)
    run = run_hooked(LOOK, NO_FILTERS | {"zygote unshare 0x20000": EPERM}, under=USERS[user])
    equal(run.envelope["result"], [True] * 6, "the old root")


@each({user: user for user in USERS})
def an_old_root_that_cannot_be_detached_is_recorded_and_behind_landlock(user):
    plan = NO_FILTERS | {"zygote umount2 .": EPERM}
    run = run_hooked(LOOK, plan, under=USERS[user])
    equal(LAYERS["EMPTY_ROOT"] in missing_layers(run), True)
    del plan["zygote landlock_version"]
    equal(run_hooked(LOOK, plan, under=USERS[user]).envelope["result"], [False] * 6)


@test
def root_whose_steps_fail_is_never_root():
    need(IS_ROOT, "only root has an identity to give up")
    who = native_code("return [call('getuid'), open('/etc/shadow')]")
    others = {step: EPERM for step in ("zygote unshare 0x20000", "zygote prctl 24")}
    for plan in ({"program setresgid": EINVAL}, {"program unshare 0x10000000": EPERM},
                 {"program open /proc/self/gid_map": EPERM}):
        uid, opened = run_hooked(who, NO_FILTERS | others | plan).envelope["result"]
        assert uid > 0 and opened == -EACCES, (plan, uid, opened)


@test
def root_of_a_namespace_without_proc_is_refused():
    """The worker cannot learn its uid outside the namespace, and there it is root."""
    need(IS_ROOT, "only root can be root outside")
    plan = {f"program open /proc/self/uid_map{n}": errno.ENOENT for n in ("", "#2")}
    for how in ("-r", "-U"):
        run = run_hooked(CODE, plan, under=["unshare", how])
        equal((run.status, run.envelope["logs"]), (70, []))
        contains(run.envelope["error"]["message"], STEPS["IDENTITY"])


main()
