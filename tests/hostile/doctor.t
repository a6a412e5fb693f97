#!/usr/bin/env python3
"""doctor.t - caprun doctor reports the truth, on this machine and when layers are missing.

The test-only worker removes a layer (tests/worker/steps.c): a step that fails must be reported as
absent, and a step that only pretends to succeed as failed.
"""

import json
import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from plans import IS_ROOT, OTHER_NAMESPACES, PROGRAM, make_worker
from harness import (BUILD, CAPRUN, NOBODY, SANITIZED, Process, Terminal, contains, each, equal, main, need, need_program,
                     reap_orphans, scratch_dir, test, wait_until, write_file)

FILTER, PRIVILEGES, IDENTITY, LIMITS, DESCRIPTORS, RANDOM, END, TIME, MEMORY = REQUIRED = (
    "system call filter", "no_new_privs", "not root", "resource limits", "one descriptor", "address randomisation",
    "end with the zygote", "time limit", "memory limit")
USER, JOINED, PID, ROOT, CAPS, DUMP, MDWE, FILES, TCP, SCOPE, CLOCK = BEHIND = (
    "user namespace", "network, IPC, UTS and cgroup namespaces", "PID namespace", "mount namespace with an empty root",
    "no capabilities, empty bounding set", "not dumpable", "no new executable memory (PR_SET_MDWE)",
    "Landlock: files", "Landlock: TCP", "Landlock: signals and abstract sockets",
    "clock without a system call (stacks of timeouts)")


class Doctor:
    """One report of the doctor. |states| has the layers that are not in the state expected for this user."""

    def __init__(self, *words, program=CAPRUN, under=(), as_root=IS_ROOT):
        self.done = Process([*under, program, "doctor", "--json", *words]).end()
        assert self.done.out, self.done.err
        self.report = json.loads(self.done.out)
        self.layers = {layer["name"]: layer for layer in self.report["layers"]}
        usual = {SCOPE: "not checkable"} if as_root else {SCOPE: "not checkable", DESCRIPTORS: "not checkable"}
        states = {name: layer["state"] for name, layer in self.layers.items()}
        self.states = {name: state for name, state in states.items() if state not in ("present", usual.get(name))}
        self.may = self.report["untrustedCodeMayRun"]
        equal(self.done.status, 0 if self.may else 1, "status")


def with_steps(plan, under=()):
    """Examines the test-only worker, whose lock-down follows |plan|."""
    make_worker(dict(step.split("=") for step in plan))
    doctor = Doctor(program=PROGRAM, under=under)
# without a PID namespace a killed worker becomes our child: reap it
    wait_until(lambda: not reap_orphans(), 10, "the end of all workers")
    return doctor


# --- this machine ----------------------------------------------------------------------------


@test
def every_layer_is_reported_once_and_in_order():
    doctor = Doctor()
    equal(Doctor("--strict").done.status, 0, "--strict, where nothing is missing")
    equal([layer["name"] for layer in doctor.report["layers"]], [*REQUIRED, *BEHIND])
    equal([layer["required"] for layer in doctor.report["layers"]], [True] * len(REQUIRED) + [False] * len(BEHIND))
    need(not doctor.states, f"not all layers are there: {doctor.states}")
    equal((doctor.may, doctor.report["missing"]), (True, 0))
    equal(doctor.report["notCheckable"], 1 if IS_ROOT else 2)


@test
def only_absent_layers_have_a_cost_and_a_remedy():
    for layer in with_steps(["zygote prctl 65=22"]).report["layers"]:
        equal(set(layer) - {"name", "state", "required", "found"},
              {"cost", "remedy"} if layer["state"] == "absent" else set(), layer["name"])
        assert layer["found"]


@test
def the_text_says_the_same():
    done = Process([CAPRUN, "doctor"]).end()
    doctor = Doctor()
    equal(done.status, doctor.done.status)
    for name, layer in doctor.layers.items():
        contains(done.out, f"  {layer['state']:13}  {name}")
    contains(done.out, "\nUntrusted code may run here. No layer is missing.")


@test
def a_terminal_of_80_columns_is_wide_enough_and_a_pipe_gets_whole_lines():
    told = Process([CAPRUN, "doctor"], env={"COLUMNS": "80"}).end().out
    equal([line for line in told.splitlines() if len(line) > 80 or line != line.rstrip()], [])
    contains(told, "the worker:\n                   open, socket,")
    contains(Process([CAPRUN, "doctor"], env={}).end().out, "open, socket, execve, fork, ptrace, kill, mmap with PROT_EXEC")


@test
def as_an_ordinary_user_what_only_root_sees_is_not_checkable():
    need(IS_ROOT, "root can become another user")
    need_program("setpriv")
    with scratch_dir() as directory:
        for name in ("caprun", "caprun-worker"):
            shutil.copy(f"{BUILD}/{name}", directory)
        doctor = Doctor(program=f"{directory}/caprun", under=NOBODY, as_root=False)
    equal((doctor.states, doctor.may), ({}, True))
    contains(doctor.layers[IDENTITY]["found"], "65534")


@test
def nothing_is_left_of_an_examination():
    for _ in range(5):
        Doctor()
    equal(reap_orphans(), [])


@each({"a word": ["doctor", "now"], "a limit": ["doctor", "--timeout", "1s"],
       "an option for runs": ["doctor", "-v"], "an unknown option": ["doctor", "--fix"]})
def bad_arguments_are_refused(words):
    done = Process([CAPRUN, *words]).end()
    equal((done.status, done.out), (2, ""))
    contains(done.err, "USAGE")


# --- layers that are absent ------------------------------------------------------------------

NAMESPACES = [] if IS_ROOT else [ROOT, PID, JOINED, CAPS]  # an ordinary user has these only inside a user namespace
NO_OTHERS = [f"{step}=1" for step in OTHER_NAMESPACES]
ABSENT = {
    "user namespace": (["program unshare 0x10000000=1"], [USER, *NAMESPACES]),
    "PID namespace": (["program unshare 0x20000000=1"], [PID]),
    "other namespaces": (NO_OTHERS, [JOINED]),
    "mount namespace": (["zygote unshare 0x20000=1"], [ROOT]),
    "pivot_root": (["zygote pivot_root=1"], [ROOT]),
    "capabilities": (["zygote prctl 24=1"], [CAPS]),
    "not dumpable": (["zygote prctl 4=22"], [DUMP]),
    "MDWE": (["zygote prctl 65=22"], [MDWE]),
    "Landlock": (["zygote landlock_version=38"], [FILES, TCP, SCOPE]),
    "Landlock refused": (["zygote landlock_restrict_self=7"], [FILES, TCP, SCOPE]),
    "clock": (["zygote clock_gettime=38"], [CLOCK]),
}


@each(ABSENT)
def a_layer_that_could_not_be_set_up_is_absent_and_code_may_run(case):
    plan, names = case
    doctor = with_steps(plan)
    equal(doctor.states, dict.fromkeys(names, "absent"))
    equal((doctor.may, doctor.report["missing"]), (True, len(names)))
    strict = Process([PROGRAM, "doctor", "--json", "--strict"]).end()
    equal((strict.status, json.loads(strict.out)["missing"]), (1, len(names)), "with --strict")
    wait_until(lambda: not reap_orphans(), 10, "the end of all workers")


@test
def a_run_without_all_layers_says_so_once_on_a_terminal():
    make_worker({"zygote prctl 65": "22"})
    with scratch_dir() as state:
        os.mkdir(f"{state}/caprun", 0o700)

        def said(*words, terminal=True):
            screen = Terminal()
            done = Process([PROGRAM, "exec", "-", *words], stdin=b"return 1", stderr=screen.theirs if terminal else None,
                           env={"XDG_STATE_HOME": state, "TERM": "dumb"}).end()
            equal(done.status, 0, done.err)
            text = screen.text() + (done.err or "")
            wait_until(lambda: not reap_orphans(), 10, "the end of all workers")
            return "the sandbox lacks layers here: no new executable memory" in text

        equal([said(terminal=False), said("-q"), said(), said(), said(terminal=False)], [False, False, True, False, False])
        write_file(f"{state}/caprun/missing-layers", "another")
        equal([said(), said()], [True, False])


REFUSED = {
    "filter of the zygote": (["zygote seccomp=22"], FILTER, "cannot load the system call filter: Invalid argument"),
    "no_new_privs": (["zygote prctl 38=22"], PRIVILEGES, "cannot set no_new_privs"),
    "identity": (["zygote capset=1"], IDENTITY, "cannot give up uid"),
    "limits": (["zygote prlimit 4=1"], LIMITS, "cannot set resource limits"),
    "descriptors": (["program close_range=38"], DESCRIPTORS, "cannot close every other descriptor"),
    "session": (["program chdir /=13"], "start", "cannot reset signals"),
}


@each(REFUSED)
def without_a_required_layer_code_must_not_run(case):
    plan, name, words = case
    doctor = with_steps(plan)
    equal((doctor.layers[name]["state"], doctor.may), ("absent", False))
    contains(doctor.layers[name]["found"], words)
    assert doctor.layers[name]["remedy"]
    equal({n for n, state in doctor.states.items() if state != "not checkable"}, {name})


@each({"filter": ["worker seccomp=22"], "limits": ["worker prlimit 7=1"], "death signal": ["worker prctl 1=22"]})
def a_worker_that_cannot_lock_itself_down_is_reported(plan):
    doctor = with_steps(plan)
    equal((doctor.layers["start"]["state"], doctor.may), ("absent", False))
    contains(doctor.layers["start"]["found"], "the worker left with status")


@test
def where_a_run_with_the_usual_limits_cannot_start_code_must_not_run():
    need(not SANITIZED, "a sanitizer needs more itself")
    doctor = Doctor(under=["sh", "-c", 'ulimit -v 100000; exec "$@"', "sh"])
    equal((doctor.layers[TIME]["state"], doctor.may), ("absent", False))
    contains(doctor.layers[TIME]["remedy"], "ulimit")


@test
def a_sandbox_that_cannot_be_examined_is_not_safe():
    done = Process(["sh", "-c", 'ulimit -n 8; exec "$@"', "sh", CAPRUN, "doctor", "--json"]).end()
    equal((done.status, json.loads(done.out)["untrustedCodeMayRun"]), (70, False))
    contains(done.err, "cannot examine the sandbox")


@test
def without_randomisation_code_must_not_run():
    need_program("setarch")
    doctor = Doctor(under=["setarch", "-R"])
    equal((doctor.layers[RANDOM]["state"], doctor.may), ("absent", False))
    contains(doctor.layers[RANDOM]["remedy"], "randomize_va_space")


# --- layers that only pretend ----------------------------------------------------------------

# without root, uid_map is read first, to learn the own uid: the second open is the write
OPEN_MAPS = [f"program open /proc/self/{name}=skip"
             for name in ("uid_map" if IS_ROOT else "uid_map#2", "setgroups", "gid_map")]
NO_ROOT = [f"zygote {step}=skip" for step in ("unshare 0x20000", "mount 0x44000", "mount tmpfs", "pivot_root",
                                              "umount2 .", "mount 0x102f")]
FAILED = {
    "both filters": (["zygote seccomp=skip", "worker seccomp=skip"], [FILTER]),
    "filter of the worker": (["worker seccomp=skip"], [FILTER]),
    "PID namespace": (["program unshare 0x20000000=skip"], [PID]),
    "other namespaces": (["program unshare 0x4e000000=skip", "zygote setns 0x4e000000=skip"], [JOINED]),
    "empty root": (NO_ROOT, [ROOT]),
    "MDWE": (["zygote prctl 65=skip"], [MDWE]),
    "not dumpable": (["zygote prctl 4=skip"], [DUMP]),
    "a capability": (["zygote prctl 24=skip"], [CAPS]),
    "Landlock": (["zygote landlock_restrict_self=skip"], [FILES, TCP]),
    "a limit": (["worker prlimit 7=skip"], [LIMITS]),
    "end with the zygote": (["worker prctl 1=skip", "program unshare 0x20000000=1"], [END]),
}


@each(FAILED)
def a_layer_that_only_pretends_has_failed_and_code_must_not_run(case):
    plan, names = case
    doctor = with_steps(plan)
    equal({name: state for name, state in doctor.states.items() if state != "absent"}, dict.fromkeys(names, "failed"))
    equal(doctor.may, False)


@test
def a_user_namespace_that_only_pretends_has_failed():
    doctor = with_steps(["program unshare 0x10000000=skip", *OPEN_MAPS])
    equal((doctor.states[USER], doctor.may), ("failed", False))


@test
def descriptors_that_are_left_open_are_seen_by_root():
    need(IS_ROOT, "only root may look at the descriptors of a worker")
    doctor = with_steps(["worker close_range=skip", "worker close_range#2=skip"])
    equal((doctor.states[DESCRIPTORS], doctor.may), ("failed", False))


@test
def with_the_network_shared_landlock_alone_is_seen_to_stop_abstract_sockets():
    doctor = with_steps(NO_OTHERS)
    equal((doctor.layers[SCOPE]["state"], doctor.layers[TCP]["state"]), ("present", "present"))
    doctor = with_steps([*NO_OTHERS, "zygote landlock_restrict_self=skip"])
    equal((doctor.layers[SCOPE]["state"], doctor.may), ("failed", False))


main()
