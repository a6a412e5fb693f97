#!/usr/bin/env python3
"""library.t - the library over FFI: what the command does not do with it."""

import ctypes
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import BUILD, SANITIZED, children, equal, is_zombie, main, need, test, wait_until


class Library:
    """One runtime; ends with it."""

    def __init__(self):
        need(not SANITIZED, "a sanitized library needs a sanitized program")
        self.lib = ctypes.CDLL(f"{BUILD}/libcaprun.so")
        self.lib.caprun_result_json.restype = ctypes.c_char_p
        self.runtime = ctypes.c_void_p()
        equal(self.lib.caprun_new(ctypes.byref(self.runtime)), 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lib.caprun_free(self.runtime)

    def run(self, code):
        run = ctypes.c_void_p()
        equal(self.lib.caprun_run_new(self.runtime, ctypes.byref(run)), 0)
        equal(self.lib.caprun_run_set_code(run, code.encode(), ctypes.c_size_t(len(code))), 0)
        return run

    def step(self, times):
        for _ in range(times):
            self.lib.caprun_wait(self.runtime, 20)
            self.lib.caprun_step(self.runtime)

    def finish(self, run):
        while not self.lib.caprun_done(run):
            self.step(1)
        text = self.lib.caprun_result_json(run, ctypes.byref(ctypes.c_size_t()))
        self.lib.caprun_run_free(run)
        return text.decode()


def workers():
    """Those of the zygotes that are children of this process."""
    return [w for z in children(os.getpid()) for w in children(z) if not is_zombie(w)]


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
        # the zygote may still be forking for runs that are gone; each is ended when it is reported
        wait_until(lambda: library.step(1) or not workers(), 5, "the last worker to go")
        run = library.run("return 7")
        equal(library.lib.caprun_start(run), 0)
        assert '"result":7' in library.finish(run)


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
def a_hundred_runs_leave_no_descriptor_and_no_process():
    with Library() as library:
        def one():
            run = library.run("return 1")
            equal(library.lib.caprun_run(run), 0)
            library.finish(run)
        one()
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(100):
            one()
        equal(len(os.listdir("/proc/self/fd")), before)
        wait_until(lambda: library.step(1) or not workers(), 5, "the last worker to go")


main()
