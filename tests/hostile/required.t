#!/usr/bin/env python3
"""required.t - an application requires every layer of the sandbox, or chooses the workers' uids.

The test-only worker removes a layer (tests/worker/steps.c).
"""

import ctypes
import os
import socket
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from plans import LAYERS, OTHER_NAMESPACES, WORKER, make_worker
from restricted import RESTRICT
from harness import (BUILD, Process, contains, each, equal, main, need, proc, reap_orphans, test, wait_until)
from library import E_INVAL, E_STATE, HOLD, WARM_NONE, Library, ignore, workers

ENOSYS, EPERM = 38, 1
HINT = 'caprun doctor says how to get them; or "sandbox": {"requireAllLayers": false}'
LACKS = {
    "Landlock": ({"zygote landlock_version": ENOSYS}, ["LANDLOCK_FS", "LANDLOCK_NET", "LANDLOCK_SCOPE"]),
    "namespaces": ({step: EPERM for step in OTHER_NAMESPACES}, ["JOINED_NS"]),
    "executable memory": ({"zygote prctl 65": ENOSYS}, ["MDWE"]),
}
LAYER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_char_p,
                         ctypes.c_char_p, ctypes.c_char_p)
PRESENT, ABSENT, FAILED, NOT_CHECKABLE = range(1, 5)


def library_with(plan=None, **settings):
    """A runtime whose workers are locked down as |plan| says, or normally."""
    library = Library(ignore, warm=WARM_NONE, **settings)
    if plan is not None:
        make_worker(plan)
        equal(library.lib.caprun_set_worker(library.runtime, WORKER.encode()), 0)
    return library


def missing(library):
    library.lib.caprun_missing_layers.restype = ctypes.c_char_p
    return library.lib.caprun_missing_layers(library.runtime).decode()


@each(LACKS)
def where_a_layer_is_missing_nothing_runs_if_all_are_required(case):
    plan, layers = case
    with library_with(plan, require_all_layers=1) as library:
        for _ in range(2):
            envelope = library.execute("console.log('it ran'); return 1")
            error = envelope["error"]
            equal((error["code"], error["hint"], envelope["logs"]), ("INTERNAL", HINT, []))
            contains(error["message"], "the sandbox cannot be built here", *(LAYERS[name] for name in layers))
        contains(missing(library), *(LAYERS[name] for name in layers))
        equal(library.set("require_all_layers", 0), E_STATE)
    wait_until(lambda: not reap_orphans(), 10, "the end of all processes")
    with library_with(plan) as library:
        equal(library.execute("return 1").get("result"), 1, "where they are not required")


@test
def where_every_layer_is_there_requiring_them_changes_nothing():
    with library_with(require_all_layers=1) as library:
        envelope = library.execute("return 1")
        need(envelope["success"] or missing(library), "this machine lacks a layer")
        equal(envelope["result"], 1)
        equal(missing(library), "")


def examine(library):
    told = {}
    hear = LAYER(lambda data, name, state, required, *_: told.__setitem__(name.decode(), (state, required)))
    return library.lib.caprun_doctor(library.runtime, hear, None), told


@test
def the_doctor_knows_what_is_required():
    plan, layers = LACKS["Landlock"]
    for required in (1, 0):
        with library_with(plan, require_all_layers=required) as library:
            may_run, told = examine(library)
            equal(may_run, 0 if required else 1)
            equal([told[LAYERS[name]] for name in layers], [(ABSENT, required)] * 3)
            equal(told["time limit"], (NOT_CHECKABLE if required else PRESENT, 1))
            equal([name for name, (state, _) in told.items() if state == FAILED], [])
    wait_until(lambda: not reap_orphans(), 10, "the end of all processes")


# --- uids ------------------------------------------------------------------------------------


def uid_of(pid):
    line = next(line for line in proc(pid, "status").splitlines() if line.startswith("Uid:"))
    (uid,) = set(line.split()[1:])
    return int(uid)


@each({"the least": 65536, "some": 1000000, "the most": 4294901758, "the default": 0})
def a_zygote_of_root_has_one_of_the_uids_that_were_set(base):
    need(os.geteuid() == 0, "only root has uids to choose from")
    with library_with(uid_base=base) as library:
        run = library.start(HOLD)
        library.wait_for(run, ("CALL", 1))
        (worker,) = workers()
        first = base or 2130640896
        assert first <= uid_of(worker) < first + 65536, uid_of(worker)
        library.cancel(run)
        library.finish(run)


@each({"root's neighbours": 1, "a person's": 1000, "one below the range": 65535, "one above the range": 4294901759,
       "no uid": 4294967295})
def uids_that_may_belong_to_users_are_refused(base):
    with library_with() as library:
        equal(library.set("uid_base", base), E_INVAL)
        contains(library.error(), str(base), "from 65536 to 4294901758")
        equal(library.execute("return 1").get("result"), 1)
        equal(library.set("uid_base", 65536), E_STATE)


@test
def the_doctor_uses_the_uids_that_were_set():
    need(os.geteuid() == 0, "only root has uids to choose from")
    found = []
    hear = LAYER(lambda data, name, state, required, text, *_: found.append(text.decode()) if name == b"not root"
                 else None)
    with library_with(uid_base=1000000) as library:
        equal(library.lib.caprun_doctor(library.runtime, hear, None) in (0, 1), True)
    (text,) = found
    number = int("".join(filter(str.isdigit, text)))
    assert 1000000 <= number < 1065536, text


@test
def uids_that_are_not_there_are_not_replaced():
    """In a container that has few uids."""
    need(os.geteuid() == 0, "only root has uids to choose from")
    code = (f"import sys; sys.path[:0] = {sys.path!r}; from library import Library, WARM_NONE\n"
            "with Library(warm=WARM_NONE, uid_base=int(sys.argv[1])) as library:\n"
            "    print(library.execute('return 1'))")
    few = [RESTRICT, "users", "--", sys.executable, "-c", code]
    contains(Process([*few, "1000000"]).end().out, "cannot give up uid", "INTERNAL")
    contains(Process([*few, "0"]).end().out, "'result': 1")


@each({"another word": ["serve"], "a number that is too low": ["65535"], "one that is too high": ["4294901759"],
       "zeros before it": ["0065536"], "a sign": ["+65536"], "a space": [" 65536"], "hexadecimal": ["0x10000"],
       "a letter after it": ["65536x"], "one that overflows": ["18446744073709617152"], "nothing": [""],
       "one too many": ["65536", "65536"], "after the probe": ["probe", "1000"]})
def the_worker_takes_no_other_argument(words):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        pid = os.posix_spawn(f"{BUILD}/caprun-worker", ["caprun-worker", *words], {},
                             file_actions=[(os.POSIX_SPAWN_DUP2, theirs.fileno(), 3),
                                           (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
        equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 2)


main()
