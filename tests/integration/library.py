"""library.py - libcaprun over FFI, for tests that answer calls themselves or need many runs."""

import ctypes
import json
import os
import subprocess
import sys

from harness import BUILD, equal

if os.path.basename(BUILD) == "asan" and "LD_PRELOAD" not in os.environ:
    # a sanitized library needs its sanitizer from the beginning; Python itself leaks
    asan = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
    options = "detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=8"
    os.environ |= {"LD_PRELOAD": asan.stdout.strip(), "ASAN_OPTIONS": options}
    os.execv(sys.executable, [sys.executable, *sys.argv])

HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_char_p,
                           ctypes.c_void_p, ctypes.c_size_t)


class Library:
    """One runtime; ends with it. |answer| is called as answer(call) for each call of its runs."""

    def __init__(self, answer=None):
        self.lib = ctypes.CDLL(f"{BUILD}/libcaprun.so")
        self.lib.caprun_result_json.restype = ctypes.c_void_p
        self.lib.caprun_error.restype = ctypes.c_char_p
        self.runtime = ctypes.c_void_p()
        self.answer, self.failure = answer, None
        self.handler = HANDLER(self._called)
        equal(self.lib.caprun_new(ctypes.byref(self.runtime)), 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lib.caprun_free(self.runtime)

    def _called(self, _data, run, number, method, args, args_len):
        try:
            self.answer(Call(self, run, number, method.decode(), args, args_len))
        except Exception as failure:  # ctypes would print it, and go on
            self.failure = failure

    def run(self, code, args=None, timeout_ms=0, call_timeout_ms=0, memory_mib=0):
        """A run that has not started; None if the library does not take the code."""
        run, data = ctypes.c_void_p(), code.encode()
        equal(self.lib.caprun_run_new(self.runtime, ctypes.byref(run)), 0)
        self.lib.caprun_run_set_timeout(run, ctypes.c_uint64(timeout_ms))
        self.lib.caprun_run_set_call_timeout(run, ctypes.c_uint64(call_timeout_ms))
        self.lib.caprun_run_set_memory(run, ctypes.c_uint64(memory_mib << 20))
        if args is not None:
            equal(self.lib.caprun_run_set_args(run, args.encode(), ctypes.c_size_t(len(args.encode()))), 0)
        if self.answer:
            self.lib.caprun_run_set_handler(run, self.handler, None)
        if self.lib.caprun_run_set_code(run, data, ctypes.c_size_t(len(data))) == 0:
            return run
        self.lib.caprun_run_free(run)
        return None

    def step(self, times):
        for _ in range(times):
            self.lib.caprun_wait(self.runtime, 20)
            self.lib.caprun_step(self.runtime)
            if self.failure:
                raise self.failure

    def finish(self, run):
        """Steps until |run| has ended; returns its envelope as text, and frees it."""
        while not self.lib.caprun_done(run):
            self.step(1)
        length = ctypes.c_size_t()
        text = self.lib.caprun_result_json(run, ctypes.byref(length))
        envelope = ctypes.string_at(text, length.value).decode()
        self.lib.caprun_run_free(run)
        return envelope

    def execute(self, code, **options):
        """One run from beginning to end; returns the envelope."""
        run = self.run(code, **options)
        equal(self.lib.caprun_start(run), 0)
        return json.loads(self.finish(run))

    def error(self):
        return self.lib.caprun_error(self.runtime).decode()


class Call:
    """A call that waits for its answer."""

    def __init__(self, library, run, number, method, args, args_len):
        self.library, self.run, self.number, self.method = library, run, number, method
        self.args = ctypes.string_at(args, args_len)  # the very bytes
        self.where = (args, args_len)  # while the handler runs

    def _answer(self, function, text):
        data = text if isinstance(text, bytes) else text.encode()
        return function(ctypes.c_void_p(self.run), self.number, data, ctypes.c_size_t(len(data)))

    def reply(self, text):
        return self._answer(self.library.lib.caprun_call_reply, text)

    def reply_tool(self, text):
        return self._answer(self.library.lib.caprun_call_reply_tool, text)

    def fail(self, text):
        return self._answer(self.library.lib.caprun_call_fail, text)
