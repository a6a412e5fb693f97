#!/usr/bin/env python3
"""library.t - functions of the library that the command does not use, over FFI."""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import BUILD, TORTURE, contains, each, equal, main, proc, scratch_dir, test, wait_until, write_file
from library import WARM_NONE, Library, ignore, workers, zygotes



@test
def runs_that_are_cancelled_at_any_moment_leave_no_worker():
    with Library() as library:
        for steps in list(range(8)) * 5:
            together = [library.run("for (;;);") for _ in range(8)]
            for run in together:
                equal(library.lib.caprun_start(run), 0)
            library.step(steps)
            for run in together:
                library.lib.caprun_cancel(run)
                library.lib.caprun_run_free(run)
# the zygote may still fork workers for freed runs; the host ends each worker when it is reported
        library.settle()
        run = library.run("return 7")
        equal(library.lib.caprun_start(run), 0)
        assert '"result":7' in library.finish(run)


def cpu_seconds(pid):
    return int(proc(pid, "stat").rsplit(")", 1)[1].split()[11]) / os.sysconf("SC_CLK_TCK")


@test
def a_burst_that_the_zygote_cannot_take_leaves_no_worker_when_it_is_over():
    with Library() as library:
        together = [library.run("for (;;);") for _ in range(400)]
        for run in together:
            equal(library.lib.caprun_run_set_timeout(run, ctypes.c_uint64(300)), 0)
            equal(library.lib.caprun_start(run), 0)
        codes = {json.loads(library.finish(run))["error"]["code"] for run in together}
        assert "EXECUTION_TIMEOUT" in codes and codes <= {"EXECUTION_TIMEOUT", "INTERNAL"}, codes
        library.settle()


@test
def a_callback_may_cancel_other_runs_while_the_zygote_dies():
    with Library(ignore, warm=WARM_NONE) as library:
        code = "await mcp.a.b(); console.log(1); for (;;);"
        together = [library.run(code) for _ in range(4)]
        called = []

        @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
        def cancel_all(*_):
            called.append(1)
            for run in together:
                library.lib.caprun_cancel(run)

        for run in together:
            library.lib.caprun_run_set_log(run, cancel_all, None)
            equal(library.lib.caprun_start(run), 0)
        for run in together:
            library.wait_for(run, ("CALL", 1))
        for run in together:  # from here on there is no step, so all logs wait
            library.lib.caprun_call_reply(run, 1, b"1", 1)
        wait_until(lambda: all(cpu_seconds(w) > 0.4 for w in workers()), 20, "the log to be written")
        (zygote,) = [pid for pid in zygotes() if workers(pid)]
        os.kill(zygote, signal.SIGKILL)
        for run in together:
            equal(json.loads(library.finish(run))["error"]["code"], "CANCELLED")
        equal(len(called), 1)


@test
def many_runs_at_once_each_get_their_own_result():
    with Library() as library:
        together = [library.run(f"await new Promise(r => setTimeout(r, 5)); return {n}")
                    for n in range(50)]
        for run in together:
            equal(library.lib.caprun_start(run), 0)
        for n, run in enumerate(together):
            assert f'"result":{n},' in library.finish(run)


@test
def a_run_that_ends_at_its_limit_has_one_outcome():
    outcomes = {0: 0, 4: 0}
    with Library() as library:
        for _ in range(125 if TORTURE else 5):
            together = [library.run("await new Promise(r => setTimeout(r, args.ms)); return 1")
                        for _ in range(8)]
            for n, run in enumerate(together):
                args = f'{{"ms": {19.7 + n / 20}}}'.encode()
                equal(library.lib.caprun_run_set_timeout(run, ctypes.c_uint64(20)), 0)
                equal(library.lib.caprun_run_set_args(run, args, ctypes.c_size_t(len(args))), 0)
                equal(library.lib.caprun_start(run), 0)
            for run in together:
                envelope = json.loads(library.finish(run))
                assert envelope["success"] == ("result" in envelope) != ("error" in envelope)
                status = 0 if envelope["success"] else 4
                equal(envelope.get("error", {}).get("code"),
                      None if envelope["success"] else "EXECUTION_TIMEOUT")
                outcomes[status] += 1
    equal(sum(outcomes.values()), 1000 if TORTURE else 40)


# --- the doctor ------------------------------------------------------------------------------

LAYER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_char_p,
                         ctypes.c_char_p, ctypes.c_char_p)


def examine(library):
    """Returns the result of caprun_doctor() and the layers that it reported."""
    told = []
    hear = LAYER(lambda data, name, state, required, found, cost, remedy: told.append((name, state, required)))
    return library.lib.caprun_doctor(library.runtime, hear, None), told


@test
def an_application_can_ask_the_doctor_before_and_while_code_runs():
    with Library() as library:
        for _ in range(2):
            may_run, told = examine(library)
            equal((may_run, len(told)), (1, 20))
            equal({required for _, _, required in told}, {0, 1})
            assert all(state in (1, 4) for _, state, _ in told), told
            run = library.run("return 7")
            equal(library.lib.caprun_start(run), 0)
            assert '"result":7' in library.finish(run)
        library.settle()


@each({"no such file": b"/nowhere/caprun-worker", "it is another program": b"/bin/true"})
def without_the_worker_the_doctor_says_so_and_leaves_nothing(path):
    with Library() as library:
        equal(library.lib.caprun_set_worker(library.runtime, path), 0)
        may_run, told = examine(library)
        assert may_run <= 0 and all(state != 1 for _, state, _ in told), (may_run, told)
        equal(zygotes(), [])


# --- where the worker is -------------------------------------------------------------------------


class BesideUs(Library):
    path = "./libcaprun.so"


@contextlib.contextmanager
def hostile_directory(application):
    """Starts in the directory |application|. Yields another one, with a caprun-worker that must never be started."""
    before = os.getcwd()
    with scratch_dir() as directory:
        write_file(f"{directory}/caprun-worker", "#!/bin/sh\ntouch \"$0.started\"\n")
        os.chmod(f"{directory}/caprun-worker", 0o755)
        os.chdir(application)
        try:
            yield directory
            equal(os.listdir(directory), ["caprun-worker"])
        finally:
            os.chdir(before)


@test
def a_library_that_was_loaded_from_here_finds_its_worker_from_there():
    with scratch_dir() as application:
        for name in ("libcaprun.so", "caprun-worker"):
            shutil.copy(f"{BUILD}/{name}", application)
        with hostile_directory(application) as elsewhere:
            ctypes.CDLL(BesideUs.path)
            os.chdir(elsewhere)
            with BesideUs() as library:  # the library is loaded already
                equal(library.execute("return 7").get("result"), 7)


@test
def a_relative_worker_is_in_the_directory_of_that_time():
    with hostile_directory(BUILD) as elsewhere, Library() as library:
        equal(library.lib.caprun_set_worker(library.runtime, b"./caprun-worker"), 0)
        os.chdir(elsewhere)
        equal(library.execute("return 7").get("result"), 7)
    with hostile_directory(f"{BUILD}/tests") as elsewhere, Library() as library:
        equal(library.lib.caprun_set_worker(library.runtime, b"caprun-worker"), 0)  # does not exist there
        os.chdir(elsewhere)
        contains(library.execute("return 7")["error"]["message"], f"start '{BUILD}/tests/caprun-worker'",
                 "No such file")


main()
