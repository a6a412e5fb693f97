#!/usr/bin/env python3
"""lockdown.t - what the kernel reports about a waiting worker, and the end of all processes of a run.

tests/hostile tests a worker from inside. Only root can see all state of a process that is not
dumpable, so most of these tests need root, also those about the worker of an ordinary user.
"""

import os
import re
import shutil
import signal
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import (BUILD, LIB, NOBODY, SANITIZED, Process, between, caprun, children, contains, each, equal,
                     is_zombie, main, need, need_program, proc, reap_orphans, scratch_dir, start, test,
                     wait_until, write_file)

WAIT = "console.log('waiting'); await new Promise(r => setTimeout(r, 3000))"
SPIN = "console.log('waiting'); for (;;) ;"
BUILTIN = "console.log('waiting'); Array.prototype.reverse.call({length: 2**53-1})"
CHURN = "console.log('waiting'); for (;;) new Array(1000).fill({})"
NO_CAPABILITIES = "0" * 16
NAMESPACES = ["user", "mnt", "net", "ipc", "uts", "cgroup", "pid"]


def status(pid):
    return dict(line.split(":\t", 1) for line in proc(pid, "status").splitlines() if ":\t" in line)


def limits(pid):
    lines = proc(pid, "limits").splitlines()[1:]
    return {line[:26].strip(): line[26:].split()[:2] for line in lines}


def namespaces(pid):
    return {name: os.readlink(f"/proc/{pid}/ns/{name}") for name in NAMESPACES}


class Waiting:
    """A run that waits, with its zygote and its worker; it is cancelled at the end."""

    def __init__(self, code=WAIT, **options):
        self.host = start("exec", "-", "--json", code=code, **options)

    def __enter__(self):
        self.host.wait_for_log("waiting")
        self.zygote, self.worker = self.host.family()
        return self

    def __exit__(self, *error):
        self.host.send(signal.SIGTERM)
        equal(self.host.end().status, 143)


def need_root():
    need(os.geteuid() == 0, "only root may look at a process that is not dumpable")


def check_worker(run):
    worker = status(run.worker)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        equal(worker[name], NO_CAPABILITIES, name)
    equal((worker["Seccomp"], worker["Seccomp_filters"]), ("2", "2"), "Seccomp")
    equal((worker["NoNewPrivs"], worker["Threads"]), ("1", "1"))
    equal(worker["Groups"].strip(), "", "Groups")
    equal(len(set(worker["Uid"].split())), 1, f"one uid: {worker['Uid']}")
    equal(os.listdir(f"/proc/{run.worker}/fd"), ["3"], "descriptors")
    assert os.readlink(f"/proc/{run.worker}/fd/3").startswith("socket:")
    equal(os.listdir(f"/proc/{run.worker}/root"), [], "the root directory")
    equal(os.listdir(f"/proc/{run.worker}/cwd"), [], "the working directory")
    equal(proc(run.worker, "environ"), "", "environment")
    ours, theirs = namespaces("self"), namespaces(run.worker)
    equal([name for name in NAMESPACES if ours[name] == theirs[name]], [], "namespaces shared with us")
    for name in ("Max open files", "Max processes", "Max core file size", "Max file size"):
        equal(limits(run.worker)[name], ["0", "0"], name)
    both = [l for l in proc(run.worker, "maps").splitlines() if re.match(r"\S+ .wx", l)]
    equal(both, [], "memory that can be written and executed")


def check_zygote(run):
    zygote = status(run.zygote)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        equal(zygote[name], NO_CAPABILITIES, name)
    equal((zygote["Seccomp"], zygote["NoNewPrivs"], zygote["Threads"]), ("2", "1", "1"))
    equal(proc(run.zygote, "environ"), "", "environment")
    equal(os.listdir(f"/proc/{run.zygote}/root"), [], "the root directory")
    equal(sorted(os.listdir(f"/proc/{run.zygote}/fd")), ["0", "1", "2", "3", "4", "5"], "descriptors")
    for fd in "012":
        equal(os.readlink(f"/proc/{run.zygote}/fd/{fd}"), "/dev/null")
    equal(zygote["NSpid"].split()[-1], "1", "its number in its own namespace")


@test
def a_waiting_worker_of_root_is_locked_down():
    need_root()
    with Waiting() as run:
        check_worker(run)
        assert "0" not in status(run.worker)["Uid"].split(), "it is not root"


@test
def a_waiting_worker_of_an_ordinary_user_is_locked_down():
    need_root()
    need_program("setpriv")
    with scratch_dir() as directory:
        shutil.copy(f"{BUILD}/caprun-worker", directory)
        program = shutil.copy(f"{BUILD}/caprun", directory)
        with Waiting(program=program, under=NOBODY) as run:
            equal(status(run.host.pid)["Uid"].split(), ["65534"] * 4)
            check_worker(run)
            check_zygote(run)


@test
def the_zygote_is_locked_down_too():
    need_root()
    with Waiting() as run:
        check_zygote(run)


@test
def the_host_itself_is_not_so_these_checks_can_see_a_difference():
    with Waiting() as run:
        host = status(run.host.pid)
        assert len(os.listdir(f"/proc/{run.host.pid}/fd")) > 3
        equal(namespaces(run.host.pid), namespaces("self"))
        assert proc(run.host.pid, "environ") and os.listdir(f"/proc/{run.host.pid}/root")
        assert int(host["Seccomp_filters"]) < int(status(run.worker)["Seccomp_filters"])


@test
def a_run_is_three_processes_and_no_zombie():
    with Waiting() as run:
        wait_until(lambda: children(run.host.pid) == [run.zygote], 1, "one child of the host")
        equal(children(run.zygote), [run.worker], "children of the zygote")
        equal([p for p in (run.host.pid, run.zygote, run.worker) if is_zombie(p)], [], "zombies")


@test
def two_runs_share_neither_uid_nor_namespace():
    need_root()
    with Waiting() as one, Waiting() as other:
        assert status(one.worker)["Uid"] != status(other.worker)["Uid"]
        a, b = namespaces(one.worker), namespaces(other.worker)
        equal([name for name in NAMESPACES if a[name] == b[name]], [])


@test
def every_layer_is_there():
    err = caprun("exec", "-", "-v", code="return 1").err
    contains(err, "caprun: sandbox: ")
    need("every layer is there" in err, err.splitlines()[0])


# --- system calls ----------------------------------------------------------------------------

TRACED = {
    "a result": ("return {a: 1}", []),
    "timers, logs and calls": ("for (let i = 0; i < 3; i++) { console.log(i);"
                               "await mcp.a.b().catch(() => 0);"
                               "await new Promise(r => setTimeout(r, 1)) }", []),
    "dates and random numbers": ("return [new Date().toString(), Math.random(), +new Date(2000, 1)]", []),
    "an error": ("null.x", []),
    "a syntax error": ("}", []),
    "a large result": ("return 'x'.repeat(8e6)", []),
    "much memory": ("const a = []; for (let i = 0; i < 1e5; i++) a.push({i}); return a.length", []),
    "too much memory": ("const a = []; for (;;) a.push(new ArrayBuffer(1e6))", ["--memory", "16m"]),
    "too much time": ("for (;;) ;", ["--timeout", "100ms"]),
    "a deep stack": ("try { (function f() { f() })() } catch (e) { return e.name }", []),
    "denied things": ("try { eval('1') } catch {} await import('x').catch(() => 0)", []),
}


def calls_after_lockdown(log):
    """The system calls of the process that loaded the last filter, after it was loaded."""
    lines = [line.split(None, 1) for line in log.splitlines()]
    loads = [i for i, (_, text) in enumerate(lines) if "seccomp(SECCOMP_SET_MODE_FILTER" in text]
    equal(len(loads), 2, "filters loaded")
    worker = lines[loads[1]][0]
    assert worker != lines[loads[0]][0], "two processes"
    own = [text for pid, text in lines[loads[1] + 1:] if pid == worker]
    if own and own[0].startswith("<... seccomp resumed"):
        own = own[1:]
# an unknown call: the process was killed before strace could read its number
    return [text for text in own if not re.match(r"\?\?\?\(|<\.\.\. \?\?\? resumed", text)]


@each(TRACED)
def after_the_lock_down_there_are_three_system_calls(case):
    need_program("strace")
    code, options = case
    with scratch_dir() as directory:
        log, path = f"{directory}/log", write_file(f"{directory}/x.js", code)
        Process(["strace", "-f", "-qq", "-e", "signal=none", "-o", log,
                 f"{BUILD}/caprun", "exec", path, *options]).end()
        with open(log, errors="replace") as file:
            calls = calls_after_lockdown(file.read())
    allowed = re.compile(r"read\(3,|write\(3,|exit_group\(|<\.\.\. (read|write|exit_group) resumed|\+\+\+")
    equal([c for c in calls if not allowed.match(c)], [], "other system calls")
    assert any(c.startswith("read(3,") for c in calls) and any(c.startswith("write(3,") for c in calls)
    assert not any("SIGSYS" in c for c in calls), calls


# --- ends ------------------------------------------------------------------------------------


@each({"waiting": WAIT, "spinning": SPIN, "in a builtin": BUILTIN, "allocating": CHURN})
def nothing_is_left_100_ms_after_the_host_was_killed(code):
    host = start("exec", "-", code=code)
    host.wait_for_log("waiting")
    zygote, worker = host.family()
    host.send(signal.SIGKILL)
    equal(host.end().status, -signal.SIGKILL)
    wait_until(lambda: not reap_orphans(), 0.1, "the end of all its processes")
    equal((proc(zygote, "stat"), proc(worker, "stat")), ("", ""))


@test
def nothing_is_left_of_a_host_that_was_killed_while_it_started():
    for step in range(40):
        host = start("exec", "-", code=WAIT)
        until = host.started + step * 0.0002
        while time.monotonic() < until:
            pass
        host.send(signal.SIGKILL)
        host.end()
        wait_until(lambda: not reap_orphans(), 0.1, f"the end after {step * 0.2:.1f} ms")


# A host with a forked child that did not call exec: the child keeps all descriptors open.
HOST_WITH_A_CHILD = """
import os, signal, sys, time
sys.path.insert(0, sys.argv[1])
from library import Library, zygotes
library = Library(warm=1)
library.lib.caprun_start(library.run("for (;;);"))
library.step(5)
print(*zygotes(), flush=True)
if os.fork() == 0:
    time.sleep(60)
    os._exit(0)
os.kill(os.getpid(), signal.SIGKILL)
"""


@test
def nothing_is_left_of_a_host_that_was_killed_while_a_child_of_it_lives_on():
    with scratch_dir() as directory:
        script = write_file(f"{directory}/host.py", HOST_WITH_A_CHILD)
        host = Process([sys.executable, script, LIB])
        equal(host.end().status, -signal.SIGKILL)
    (sleeper,) = [pid for pid in children(os.getpid()) if "python" in proc(pid, "cmdline")]
    zygotes = [int(pid) for pid in host.out.split()]
    assert zygotes
    wait_until(lambda: not any(proc(pid, "stat") and not is_zombie(pid) for pid in zygotes), 2, "the end of its zygote")
    assert not is_zombie(sleeper), "the child has lived on"
    os.kill(sleeper, signal.SIGKILL)
    wait_until(lambda: not reap_orphans(), 2, "the end of the child")


@each({"waiting": WAIT, "spinning": SPIN})
def a_zygote_that_is_killed_ends_the_run_clearly(code):
    host = start("exec", "-", "--json", code=code)
    host.wait_for_log("waiting")
    zygote, worker = host.family()
    os.kill(zygote, signal.SIGKILL)
    host.end(2)
    assert host.status in (9, 70), host.status
    assert host.envelope["error"]["code"] in ("WORKER_TERMINATED", "INTERNAL")
    equal(host.envelope["logs"], ["waiting"])
    equal((proc(zygote, "stat"), proc(worker, "stat")), ("", ""))


@test
def without_address_randomisation_nothing_runs():
    need_program("setarch")
    done = caprun("exec", "-", "--json", code="return 1", under=["setarch", "-R"])
    equal((done.status, done.envelope["error"]["code"]), (70, "INTERNAL"))
    contains(done.err, "randomisation")
    assert "randomisation is on" not in done.err, f"it is off: {done.err}"
    equal(caprun("exec", "-", code="return 1", under=["setarch", os.uname().machine]).out, "1\n", "with it")


@test
def a_worker_takes_no_precedence():
    """A spinning worker must not keep the host from ending it."""
    need_root()
    at_0 = ["nice", "-n", str(-os.nice(0))]  # whatever the nice value of the tests is
    for under in (["chrt", "-f", "5"], ["chrt", "-r", "5"], ["nice", "-n", "-10"]):
        need_program(under[0])
        with Waiting(under=[*at_0, *under]) as run:
            equal((os.sched_getscheduler(run.worker), os.getpriority(os.PRIO_PROCESS, run.worker)), (os.SCHED_OTHER, 0))
            assert (os.sched_getscheduler(run.host.pid), os.getpriority(os.PRIO_PROCESS, run.host.pid)) != (0, 0)


@test
def with_page_0_mapped_nothing_runs():
    need_program("setarch")
    done = caprun("exec", "-", code="return 1", under=["setarch", "-Z"])
    equal((done.status, done.out), (70, ""))
    contains(done.err, "page 0 is mapped")


@each({"root": [], "root of a namespace": ["-Ur"], "an ordinary user": NOBODY})
def without_proc_nothing_runs(who):
    need_root()
    need(not SANITIZED, "a sanitizer needs /proc itself")
    with scratch_dir() as directory:
        copied(directory)
        write_file(f"{directory}/one.js", "return 1")
        run = f"{directory}/caprun exec {directory}/one.js"
        before, options = ([], who) if who != NOBODY else (NOBODY, [])
        done = Process(["unshare", "-m", *options, "sh", "-c", f"mount -t tmpfs none /proc && {' '.join(before)} {run}"]).end()
        equal((done.status, done.out), (70, ""), done.err)
        contains(done.err, "cannot give up uid")


@test
def the_worker_is_not_a_command():
    done = Process([f"{BUILD}/caprun-worker"]).end()
    equal((done.status, done.out), (2, ""))
    contains(done.err, "not a command")


@test
def twenty_runs_at_once_do_not_disturb_each_other():
    runs = [start("exec", "-", f'{{"n":{n}}}', code="return args.n") for n in range(20)]
    equal([run.end().out for run in runs], [f"{n}\n" for n in range(20)])


@test
def a_hundred_runs_leave_nothing():
    for n in range(100):
        equal(caprun("exec", "-", code="return 1").out, "1\n")
    equal(reap_orphans(), [])


@test
def a_small_run_faults_for_few_pages():
    """Page faults dominate the cost of a run: a hundred more take a quarter of a millisecond."""
    with Waiting() as run:
        faults = int(proc(run.worker, "stat").rpartition(")")[2].split()[7])
    between(faults, 1, 80, "page faults of the worker, from fork on")


# --- identity --------------------------------------------------------------------------------


def copied(directory):
    """Copies the programs to a place where an ordinary user can run them."""
    shutil.copy(f"{BUILD}/caprun-worker", directory)
    return shutil.copy(f"{BUILD}/caprun", directory)


@test
def root_of_a_namespace_is_refused_if_it_is_root_outside_of_it_too():
    need_root()
    for how in (["unshare", "-r"], ["unshare", "-U"]):
        done = caprun("exec", "-", code="return 1", under=how)
        equal(done.status, 70)
        contains(done.err, "cannot give up uid")


@test
def root_of_a_namespace_that_is_an_ordinary_user_outside_of_it_can_run():
    need_root()
    with scratch_dir() as directory:
        done = caprun("exec", "-", code="return 1", program=copied(directory),
                      under=[*NOBODY, "unshare", "-r"])
    equal((done.status, done.out), (0, "1\n"))


@test
def an_id_in_reserve_is_given_up():
    need_root()
    need(not SANITIZED, "a sanitizer wants to trace itself, which two uids forbid")
    with scratch_dir() as directory:
        under = ["setpriv", "--ruid=0", "--euid=65534", "--rgid=0", "--egid=65534", "--clear-groups"]
        with Waiting(program=copied(directory), under=under) as run:
            for field in ("Uid", "Gid"):
                equal(status(run.worker)[field].split(), ["65534"] * 4)


main()
