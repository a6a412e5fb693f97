#!/usr/bin/env python3
"""restricted.t - caprun where a feature is really missing: it names the missing layers, or refuses to run."""

import contextlib
import json
import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from plans import LAYERS, missing_layers, run_hooked, words_of
from restricted import CONTAINER, MISSING, REFUSED, RESTRICT
from harness import (BUILD, Process, caprun, children, contains, each, equal, main, need, reap_orphans, scratch_dir,
                     test, wait_until)
from library import Library, family

CODE = "console.log('it ran'); return 1"
STEPS = words_of("WIRE_STEP_MAP")
_directory = scratch_dir()
shutil.copy(f"{BUILD}/caprun-worker", _directory.name)
shutil.copy(RESTRICT, _directory.name)  # to a place where an ordinary user can run it
PROGRAM = shutil.copy(f"{BUILD}/caprun", _directory.name)


def under(before):
    return [os.path.join(_directory.name, "restrict") if word == RESTRICT else word for word in before]


def run_under(before):
    run = caprun("exec", "-", "--json", "-v", code=CODE, program=PROGRAM, under=under(before))
    equal(children(os.getpid()), [], "processes that are left, zombies too")
    return run


def doctor_under(before):
    """The doctor's report, and {layer: what was found} for the absent layers."""
    report = json.loads(Process([*under(before), PROGRAM, "doctor", "--json"]).end().out)
# the doctor killed a zygote; without a PID namespace its worker became our child
    wait_until(lambda: not reap_orphans(), 5, "the end of all processes")
    equal([layer for layer in report["layers"] if layer["state"] == "failed"], [])
    return report, {layer["name"]: layer["found"] for layer in report["layers"] if layer["state"] == "absent"}


@each(MISSING)
def missing_layers_are_named(case):
    before, layers = case
    run = run_under(before)
    equal(run.status, 0, run.err)
    equal(missing_layers(run), {LAYERS[name]: os.strerror(error) for name, error in layers.items()})
    equal(run.envelope["logs"], ["it ran"])


@each(MISSING)
def the_doctor_says_what_is_missing(case):
    before, layers = case
    report, absent = doctor_under(before)
    equal(absent, {LAYERS[name]: os.strerror(error) for name, error in layers.items()})
    equal(report["untrustedCodeMayRun"], True)


@each(REFUSED)
def the_doctor_names_the_missing_required_layer(case):
    before, step = case
    report, absent = doctor_under(before)
    equal([found.startswith(STEPS[step]) for found in absent.values()], [True], str(absent))
    equal(report["untrustedCodeMayRun"], False)


@each(REFUSED)
def without_a_required_layer_nothing_runs(case):
    before, step = case
    run = run_under(before)
    equal((run.status, run.envelope["error"]["code"], run.envelope["logs"]), (70, "INTERNAL", []))
    contains(run.envelope["error"]["message"], STEPS[step])


NO_KILL = {
    "a profile without it": [RESTRICT, "seccomp:EPERM:pidfd_send_signal", "--"],
    "a kernel without it": [RESTRICT, "seccomp:ENOSYS:pidfd_send_signal", "--"],
    "a container without it": [RESTRICT, CONTAINER, "seccomp:EPERM:pidfd_send_signal", "--"],
}
if os.geteuid() == 0:
    NO_KILL["root without CAP_KILL"] = ["setpriv", "--bounding-set", "-kill", "--inh-caps", "-kill", "--"]
WORDS_NO_KILL = "workers cannot be killed from here"


@each(NO_KILL)
def where_workers_cannot_be_killed_nothing_runs(before):
    run = run_under(before)
    equal((run.status, run.envelope["error"]["code"], run.envelope["logs"]), (70, "INTERNAL", []))
    contains(run.envelope["error"]["message"], WORDS_NO_KILL)
    equal(reap_orphans(), [])


@each(NO_KILL)
def where_workers_cannot_be_killed_the_doctor_says_so(before):
    report = json.loads(Process([*under(before), PROGRAM, "doctor", "--json"]).end().out)
    equal(reap_orphans(), [])
    equal(report["untrustedCodeMayRun"], False)
    absent = [layer for layer in report["layers"] if layer["state"] == "absent"]
    equal([layer["name"] for layer in absent], ["start"])
    contains(absent[0]["found"], WORDS_NO_KILL)
    contains(absent[0]["remedy"], "CAP_KILL", "pidfd_send_signal")


@contextlib.contextmanager
def as_ordinary_user():
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@each({"a limit is reached": ("for (;;);", "EXECUTION_TIMEOUT"), "the code returns": ("return 1", None)})
def workers_that_cannot_be_killed_any_more_end_with_their_zygote(case):
    """A daemon starts as root, and becomes an ordinary user when its pool is warm."""
    need(os.geteuid() == 0, "only root can become another user")
    code, outcome = case
    with Library(warm=2) as library:
        equal(library.lib.caprun_set_worker(library.runtime, f"{_directory.name}/caprun-worker".encode()), 0)
        equal(library.lib.caprun_warm(library.runtime), 0)
        library.settle()
        before = set(family())
        with as_ordinary_user():
            equal(library.execute(code, timeout_ms=100).get("error", {}).get("code"), outcome)
            library.step_until(lambda: not before & set(family()), 5, "the end of what root has started")
            equal(library.execute("return 7").get("result"), 7, "the next zygote is the ordinary user's")
        library.settle()


NO_FILTERS = {"zygote seccomp": "none", "worker seccomp": "none"}


@each({"alone": [], "where everybody has a filter": [RESTRICT, "seccomp:EPERM:acct", "--"]})
def a_worker_without_a_filter_is_not_talked_to(before):
    run = run_hooked(CODE, NO_FILTERS, under=before)
    equal((run.status, run.envelope["error"]["code"], run.envelope["logs"]), (70, "INTERNAL", []))
    contains(run.envelope["error"]["message"], "not locked down")


@test
def the_restrictions_are_real():
    assert Process([RESTRICT, "seccomp:EACCES:chdir", "--", "sh", "-c", "cd /tmp"]).end().status != 0
    equal(Process([RESTRICT, "seccomp:EACCES:chdir/12345", "--", "sh", "-c", "cd /tmp"]).end().status, 0)
    equal(Process([RESTRICT, "nonsense", "--", "true"]).end().status, 125)


main()
