#!/usr/bin/env python3
"""layers.t - each layer of the lock-down alone, with all other layers off, against the attack that it must stop.

Each attack is made twice with native code: the layer alone stops it, with an errno that only this
layer causes; without any layer the same attack succeeds, so the attack is real.
"""

import contextlib
import ctypes
import errno
import os
import signal
import socket
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from plans import IS_ROOT, OTHER_NAMESPACES, SKIP, USERS, native_code, run_hooked, start_hooked
from harness import (Process, contains, each, equal, main, need, proc, reap_orphans, scratch_dir,
                     test, wait_until, write_file)

OFF = {
    "program unshare 0x10000000": errno.EPERM,
    "program unshare 0x20000000": errno.EPERM,
    **dict.fromkeys(OTHER_NAMESPACES, errno.EPERM),
    "zygote unshare 0x20000": errno.EPERM,
    "zygote prctl 24": errno.EPERM,
    "zygote prctl 4": errno.EPERM,
    "zygote prctl 65": errno.EINVAL,
    "zygote prlimit 4": SKIP, "zygote prlimit 1": SKIP,
    "zygote landlock_version": errno.ENOSYS,
    "zygote seccomp": SKIP,
    "worker prctl 1": SKIP,
    "worker prlimit 3": SKIP, "worker prlimit 0": SKIP, "worker prlimit 7": SKIP,
    "worker prlimit 6": SKIP, "worker prlimit 9": SKIP,
    "worker seccomp": SKIP,
}
WAIT = "console.log('waiting'); await new Promise(r => setTimeout(r, 20000))"
STAY_ROOT = {"program setresuid": SKIP}

# The steps that make each layer.
USER_NS, PID_NS, JOINED_NS, ROOT = (["program unshare 0x10000000"], ["program unshare 0x20000000"],
                                    OTHER_NAMESPACES, ["zygote unshare 0x20000"])
BOUNDING_SET, NOT_DUMPABLE, MDWE = ["zygote prctl 24"], ["zygote prctl 4"], ["zygote prctl 65"]
LANDLOCK, ZYGOTE_FILTER, FILTER = ["zygote landlock_version"], ["zygote seccomp"], ["worker seccomp"]
DEATH_SIGNAL, IDENTITY = ["worker prctl 1"], ["program setresuid"]
# An ordinary user needs the user namespace for the other namespaces, so it is on when they are tested.
WITHIN_USER_NS = (PID_NS, JOINED_NS, ROOT, BOUNDING_SET)


def plan_with(layer, user):
    off = OFF | (STAY_ROOT if user == "root" else {})
    on = layer + (USER_NS if user == "user" and layer in WITHIN_USER_NS else [])
    return {step: what for step, what in off.items() if step not in on}


_own = set()  # processes that a test has started and still needs


def end(run):
    """Waits for the end of all processes of |run|. Without a PID namespace orphans become our children."""
    wait_until(lambda: set(reap_orphans()) <= _own, 5, "the end of all processes")
    return run


def result_with(layer, code, user):
    run = end(run_hooked(native_code(code), plan_with(layer, user), under=USERS[user]))
    assert run.envelope["success"], f"{layer}: {run.envelope['error']}"
    return run.envelope["result"]


def killed_with(layer, code, user, sig):
    run = end(run_hooked(native_code(code), plan_with(layer, user), under=USERS[user]))
    equal(run.envelope.get("error", {}).get("code"), "WORKER_TERMINATED", run.envelope)
    contains(run.envelope["error"]["message"], f"signal {int(sig)},")


BOTH = each({user: user for user in USERS})


def succeeds(results):
    results = results if isinstance(results, list) else [results]
    assert all(r >= 0 for r in results), f"without any layer it succeeds: {results}"


# --- filters -----------------------------------------------------------------------------------


@BOTH
def the_filter_alone(user):
    for code in ("return call('getpid')", "return open('/etc/passwd')", "return call('dup', 3)"):
        killed_with(FILTER, code, user, signal.SIGSYS)
        succeeds(result_with([], code, user))


@BOTH
def the_zygotes_filter_alone(user):
    for code in ("return call('socket', 2, 1, 0)", "return call('getpid')", "return open('/etc/passwd')"):
        killed_with(ZYGOTE_FILTER, code, user, signal.SIGSYS)
        succeeds(result_with([], code, user))
    assert result_with(ZYGOTE_FILTER, "return call('getppid')", user) > 0, "what a zygote may do"


# --- identity ----------------------------------------------------------------------------------


@test
def a_separate_uid_alone():
    need(IS_ROOT, "only root has an identity to give up")
    with scratch_dir() as directory:
        os.chmod(write_file(f"{directory}/secret", "x"), 0o600)
        code = f"return [call('getuid'), call('setuid', 0), open('{directory}/secret')]"
        uid, to_root, secret = result_with(IDENTITY, code, "root")
        assert uid > 65000
        equal((to_root, secret), (-errno.EPERM, -errno.EACCES))
        uid, to_root, secret = result_with([], code, "root")
        equal((uid, to_root), (0, 0))
        succeeds(secret)


@BOTH
def the_user_namespace_alone(user):
    """In the namespace another uid does not exist: the error is EINVAL, not EPERM."""
    code = "return call('setuid', 12345)"
    equal(result_with(USER_NS, code, user), -errno.EINVAL)
    equal(result_with([], code, user), -errno.EPERM)
    check_namespaces(USER_NS, ["user"], user)


@BOTH
def an_empty_bounding_set_alone(user):
    code = "return [0, 7, 21, 40].map(cap => call('prctl', 23, cap, 0, 0, 0))"
    equal(result_with(BOUNDING_SET, code, user), [0] * 4)
    equal(result_with([], code, user), [1] * 4)


# Hides /proc from the host: otherwise it would notice the layers that are off.
NO_PROC = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]


@test
def no_capabilities_alone():
    need(IS_ROOT, "an ordinary user has none")
    code = native_code("return call('chroot', bytes('/'))")
    plan = plan_with([], "root")
    equal(end(run_hooked(code, plan, under=NO_PROC)).envelope["result"], -errno.EPERM)
    equal(end(run_hooked(code, plan | {"zygote capset": SKIP}, under=NO_PROC)).envelope["result"], 0)


@test
def no_new_privileges_alone():
    """Without it only a process with capabilities can load a filter, so the twin has all capabilities."""
    need(IS_ROOT, "an ordinary user cannot load a filter without it")
    code = native_code("return call('prctl', 39, 0, 0, 0, 0)")
    plan = plan_with([], "root") | {"zygote capset": SKIP}
    equal(end(run_hooked(code, plan, under=NO_PROC)).envelope["result"], 1)
    plan["zygote prctl 38"] = SKIP
    equal(end(run_hooked(code, plan, under=NO_PROC)).envelope["result"], 0)


# --- namespaces --------------------------------------------------------------------------------


def check_namespaces(layer, names, user):
    code = f"""return {names}.map(name => {{ const text = new Uint8Array(64);
        const length = call('readlinkat', AT_FDCWD, bytes('/proc/self/ns/' + name), text, 64);
        return String.fromCharCode(...text.subarray(0, length)) }})"""
    ours = [os.readlink(f"/proc/self/ns/{name}") for name in names]
    equal(result_with([], code, user), ours, "without the layer: the same namespaces")
    theirs = result_with(layer, code, user)
    equal([n for n, a, b in zip(names, ours, theirs) if a == b], [], "shared namespaces")


@contextlib.contextmanager
def other_process(user):
    """A process of the same uid that does not belong to the run."""
    process = Process([*USERS[user], "sleep", "1000"])
    _own.add(process.pid)
    try:
        wait_until(lambda: "sleep" in proc(process.pid, "stat"), 5, "sleep")
        yield process.pid
    finally:
        _own.remove(process.pid)
        process.send(signal.SIGKILL)
        process.end()


@BOTH
def the_pid_namespace_alone(user):
    with other_process(user) as pid:
        code = f"return [call('kill', {pid}, 0), call('getpid')]"
        equal(result_with(PID_NS, code, user), [-errno.ESRCH, 2])
        killed, own = result_with([], code, user)
        equal(killed, 0)
        assert own != 2


def address(port):
    return f"Uint8Array.from([2, 0, {port >> 8}, {port & 255}, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])"


def connecting(port):
    return f"return call('connect', call('socket', 2, 1, 0), {address(port)}, 16)"


def binding():
    return f"return call('bind', call('socket', 2, 1, 0), {address(0)}, 16)"


@contextlib.contextmanager
def listening():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(16)
        yield server.getsockname()[1]


@BOTH
def the_network_namespace_alone(user):
    with listening() as port:
        equal(result_with(JOINED_NS, connecting(port), user), -errno.ENETUNREACH)
        equal(result_with([], connecting(port), user), 0)


@BOTH
def the_ipc_namespace_alone(user):
    libc, key = ctypes.CDLL(None), 0x10000 + os.getpid()
    segment = libc.shmget(key, 4096, 0o1666)  # IPC_CREAT, writable for all users
    assert segment >= 0
    try:
        equal(result_with(JOINED_NS, f"return call('shmget', {key}, 0, 0)", user), -errno.ENOENT)
        succeeds(result_with([], f"return call('shmget', {key}, 0, 0)", user))
    finally:
        libc.shmctl(segment, 0, None)  # IPC_RMID


@BOTH
def the_joined_namespaces_are_four(user):
    check_namespaces(JOINED_NS, ["net", "ipc", "uts", "cgroup"], user)


@BOTH
def an_empty_root_alone(user):
    code = """return ['/etc/passwd', '../etc/passwd', '/../etc/passwd', '/proc/1/root', '/tmp/x', '/x']
        .map(path => open(path, path === '/x' ? 65 : 0))"""
    equal(result_with(ROOT, code, user), [-errno.ENOENT] * 5 + [-errno.EROFS])
    succeeds(result_with([], code, user)[:3])


# --- memory ------------------------------------------------------------------------------------

RETURN = {"x86_64": [0xC3], "aarch64": [0xC0, 0x03, 0x5F, 0xD6]}
MAP = "const map = (prot) => call('mmap', 0, 4096, prot, 34, -1, 0);"


@BOTH
def no_new_executable_memory_alone(user):
    machine = os.uname().machine
    need(machine in RETURN, f"no code for {machine}")
    code = MAP + """const at = map(3);
        return [map(7), call('mprotect', at, 4096, 5), call('mprotect', at, 4096, 7)]"""
    equal(result_with(MDWE, code, user), [-errno.EACCES] * 3)
    succeeds(result_with([], code, user))
    jump = MAP + f"""const at = map(7); {RETURN[machine]}.forEach((byte, i) => native.poke(at + i, byte));
        native.jump(at); return 'back'"""
    equal(result_with([], jump, user), "back")


def can_read_memory(pid, user):
    """Can another process of that user read the worker's memory?"""
    other = Process([*USERS[user], "sh", "-c", f": </proc/{pid}/mem"]).end()
    return other.status == 0


@test
def not_dumpable_alone():
    def seen(layer):
        run = start_hooked(WAIT, plan_with(layer, "user"), under=USERS["user"], options=())
        run.wait_for_log("waiting")
        _, worker = run.family()
        can = can_read_memory(worker, "user")
        run.send(signal.SIGTERM)
        end(run.end())
        return can

    scope = proc("sys/kernel/yama", "ptrace_scope").strip()
    need(scope in ("", "0"), "Yama forbids it anyway")
    equal((seen(NOT_DUMPABLE), seen([])), (False, True), "can be read")


# --- Landlock ----------------------------------------------------------------------------------


@BOTH
def landlock_of_files_alone(user):
    with scratch_dir() as directory:
        os.chmod(directory, 0o777)
        code = f"""return [open('/etc/passwd'), open('{directory}'), open('{directory}/file', 65, 0o600),
            call('mkdirat', AT_FDCWD, bytes('{directory}/sub'), 0o700)]"""
        equal(result_with(LANDLOCK, code, user), [-errno.EACCES] * 4)
        succeeds(result_with([], code, user))


@BOTH
def landlock_of_tcp_alone(user):
    with listening() as port:
        for code in (connecting(port), binding()):
            equal(result_with(LANDLOCK, code, user), -errno.EACCES)
            equal(result_with([], code, user), 0)


@BOTH
def landlock_of_signals_alone(user):
    with other_process(user) as pid:
        equal(result_with(LANDLOCK, f"return call('kill', {pid}, 0)", user), -errno.EPERM)
        equal(result_with([], f"return call('kill', {pid}, 0)", user), 0)


@BOTH
def landlock_of_abstract_sockets_alone(user):
    name = f"caprun-test-{os.getpid()}"
    code = f"""const to = Uint8Array.from([1, 0, 0, ...bytes('{name}').subarray(0, {len(name)})]);
        return call('connect', call('socket', 1, 1, 0), to, to.length)"""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0" + name)
        server.listen(16)
        equal(result_with(LANDLOCK, code, user), -errno.EPERM)
        equal(result_with([], code, user), 0)


# --- limits ------------------------------------------------------------------------------------

GET = "const both = new Uint8Array(16); return call('getrlimit', %d, both) || Array.from(both)"


def number_of(halves):
    return int.from_bytes(bytes(halves[:8]), "little"), int.from_bytes(bytes(halves[8:]), "little")


@BOTH
def no_new_descriptor_alone(user):
    code = """return [call('dup', 3), open('/etc/passwd'), call('socket', 2, 1, 0),
        call('memfd_create', bytes('x'), 0)]"""
    equal(result_with(["worker prlimit 7"], code, user), [-errno.EMFILE] * 4)
    succeeds(result_with([], code, user))


@BOTH
def no_new_process_alone(user):
    """The kernel's process limit does not apply to root's uid, so root gives it up here."""
    code = """const pid = call('clone', 17, 0, 0, 0, 0); if (pid === 0) call('exit_group', 0);
        if (pid > 0) call('wait4', pid, 0, 0, 0); return pid"""
    equal(result_with(["worker prlimit 6", *IDENTITY], code, user), -errno.EAGAIN)
    succeeds(result_with(IDENTITY, code, user))


@BOTH
def no_file_size_alone(user):
    with scratch_dir() as directory:
        path = write_file(f"{directory}/file", "")
        os.chmod(path, 0o666)
        code = f"return call('write', open('{path}', 1), bytes('x'), 1)"
        killed_with(["zygote prlimit 1"], code, user, signal.SIGXFSZ)
        equal(os.path.getsize(path), 0)
        equal(result_with([], code, user), 1)


@BOTH
def an_address_space_alone(user):
    code = "return call('mmap', 0, 2 ** 36, 0, 0x4022, -1, 0)"
    equal(result_with(["worker prlimit 9"], code, user), -errno.ENOMEM)
    succeeds(result_with([], code, user))


@each({"core": ("zygote prlimit 4", 4, 0, 0), "stack": ("worker prlimit 3", 3, 1 << 20, 1 << 22),
       "CPU": ("worker prlimit 0", 0, 1, 3600)})
def a_limit_alone(case):
    step, number, low, high = case
    for user in USERS:
        soft, hard = number_of(result_with([step], GET % number, user))
        assert low <= soft <= hard <= high, (soft, hard)
        assert number_of(result_with([], GET % number, user))[1] > high


# --- the worker's end and its descriptors --------------------------------------------------------


@BOTH
def a_death_signal_alone(user):
    """The host is stopped meanwhile, because it would end the worker, too."""

    def outlives(layer):
        run = start_hooked(WAIT, plan_with(layer, user), under=USERS[user], options=())
        run.wait_for_log("waiting")
        zygote, worker = run.family()
        run.send(signal.SIGSTOP)
        os.kill(zygote, signal.SIGKILL)
        wait_until(lambda: " Z " in proc(zygote, "stat"), 5, "the zygote's end")
        deadline = time.monotonic() + 0.3
        while time.monotonic() < deadline and (state := proc(worker, "stat")) and " Z " not in state:
            time.sleep(0.001)
        alive = bool(state) and " Z " not in state
        run.send(signal.SIGCONT)
        end(run.end())
        return alive

    equal((outlives(DEATH_SIGNAL), outlives([])), (False, True))


@test
def closing_descriptors_alone():
    """An ordinary user's host cannot check the descriptors, so it uses this worker."""
    code = native_code("return [0, 1, 2, 3, 4, 5, 6, 7].filter(fd => call('dup', fd) >= 0)")
    off = plan_with(["zygote prctl 4"], "user")
    equal(end(run_hooked(code, off, under=USERS["user"])).envelope["result"], [3])
    off.update({"worker close_range": SKIP, "worker close_range#2": SKIP})
    opened = end(run_hooked(code, off, under=USERS["user"])).envelope["result"]
    assert set(opened) > {0, 1, 2, 3}, opened


# --- a worker that lies ------------------------------------------------------------------------

LIES = {
    "no filter": ({"zygote seccomp": "none", "worker seccomp": "none"}, "Seccomp:\t2"),
    "capabilities": ({"zygote capset": SKIP}, "CapEff:\t0000000000000000"),
    "new privileges": ({"zygote capset": SKIP, "zygote prctl 38": SKIP}, "NoNewPrivs:\t1"),
}


@each({f"{user}: {name}": (user, *lie) for user in USERS for name, lie in LIES.items()})
def a_worker_that_says_it_is_locked_down_is_not_believed(case):
    user, plan, line = case
    if user == "root":
        plan = plan | STAY_ROOT | {"program unshare 0x10000000": errno.EPERM}
    run = end(run_hooked("console.log('it ran'); return 1", plan, under=USERS[user]))
    equal((run.status, run.envelope["error"]["code"], run.envelope["logs"]), (70, "INTERNAL", []))
    contains(run.envelope["error"]["message"], f"not locked down: its status lacks '{line}'")


@test
def a_worker_with_more_descriptors_is_not_talked_to():
    need(IS_ROOT, "only root may list them")
    for step in ("worker close_range", "worker close_range#2"):
        run = run_hooked("console.log('it ran'); return 1", {step: SKIP})
        equal((run.status, run.envelope["error"]["code"], run.envelope["logs"]), (70, "INTERNAL", []))
        contains(run.envelope["error"]["message"], "the worker has descriptor ")


main()
