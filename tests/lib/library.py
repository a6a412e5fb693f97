"""library.py - libcaprun over FFI, for tests that answer calls themselves or need many runs."""

import contextlib
import ctypes
import json
import os
import re
import signal
import subprocess
import sys

from harness import BUILD, SANITIZED, children, equal, is_zombie, proc, wait_until

if os.path.basename(BUILD) == "asan" and "LD_PRELOAD" not in os.environ:
    # a sanitized library needs its sanitizer preloaded; leak checks are off because Python leaks
    asan = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
    options = "detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=8"
    os.environ |= {"LD_PRELOAD": asan.stdout.strip(), "ASAN_OPTIONS": options}
    os.execv(sys.executable, [sys.executable, *sys.argv])

HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_char_p,
                           ctypes.c_void_p, ctypes.c_size_t)
EVENT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32)
EVENTS = (None, "STARTED", "CALL", "CALL_DONE", "CALL_LOST", "BLOCKED", "ENDED")
READY, RUNNING, WAITING, WORKERS, ZYGOTES, CRASHES = range(1, 7)  # for count()
E_INVAL, E_TOOBIG, E_STATE, E_BUSY = -2, -3, -5, -8
WARM_NONE = 0xFFFFFFFF
WARM_DEFAULT = min(8 * os.sysconf("SC_NPROCESSORS_ONLN"), 64)
HOLD = "await mcp.never.answered(); return 'answered'"  # runs until the test ends it


# --- the processes of the library ------------------------------------------------------------


def zygotes():
    """The children of this process: while a runtime exists, tests have no other children."""
    return children(os.getpid())


def workers(zygote=None):
    """The living children of |zygote|, or of all zygotes."""
    parents = zygotes() if zygote is None else [zygote]
    return [worker for parent in parents for worker in children(parent) if not is_zombie(worker)]


def family():
    """Every process below this one, zombies included: zygotes, and their workers."""
    return zygotes() + [worker for zygote in zygotes() for worker in children(zygote)]


def kill(pid, parent, number=signal.SIGKILL):
    """Kills |pid| if it still is a child of |parent|; the pid may have been reused."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    try:
        fields = proc(pid, "stat").rpartition(")")[2].split()
        if not fields or int(fields[1]) != parent:
            return False
        signal.pidfd_send_signal(pidfd, number)
        return True
    except ProcessLookupError:
        return False
    finally:
        os.close(pidfd)


def descriptors():
    """The number of open descriptors of this process, without the one used for counting, and without the
    control socket and the pidfd of each zygote. is_settled() checks the number of zygotes."""
    return len(os.listdir("/proc/self/fd")) - 1 - 2 * len(zygotes())


def resident_kib():
    ctypes.CDLL(None).malloc_trim(0)  # return freed memory to the system
    return int(re.search(r"VmRSS:\s+(\d+)", proc(os.getpid(), "status"))[1])


# --- the library -----------------------------------------------------------------------------


class Library:
    """One runtime, freed at the end of `with`. |answer| is called as answer(call) for each call of its runs,
    |hear| as hear(run, event, call) for each event, with a run's address and the event's name.

    |warm| is for caprun_set_warm(); |sizes| are the other setters' (max_workers=2).
    """

    path = f"{BUILD}/libcaprun.so"

    def __init__(self, answer=None, hear=None, warm=0, **sizes):
        self.lib = ctypes.CDLL(self.path)
        self.lib.caprun_result_json.restype = ctypes.c_void_p
        self.lib.caprun_error.restype = self.lib.caprun_outcome_name.restype = ctypes.c_char_p
        self.lib.caprun_count.restype = ctypes.c_uint64
        self.runtime = ctypes.c_void_p()
        self.answer, self.hear, self.failure = answer, hear, None
        self.handler, self.listener = HANDLER(self._called), EVENT(self._happened)
        self.events = {}  # the events of each run, by its address
        equal(self.lib.caprun_new(ctypes.byref(self.runtime)), 0)
        for name, size in {"warm": warm, **sizes}.items():
            equal(self.set(name, size), 0, f"caprun_set_{name}")
        self.fresh = bool(sizes.get("fresh_program"))
        self.warm = {0: WARM_DEFAULT, WARM_NONE: 0}.get(warm, warm)
        self.warm = min(self.warm, sizes.get("max_workers", self.warm))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lib.caprun_free(self.runtime)

    def set(self, name, size):
        kind = ctypes.c_uint64 if name in ("memory", "max_memory") else ctypes.c_uint32
        return getattr(self.lib, f"caprun_set_{name}")(self.runtime, kind(size))

    def count(self, what):
        return self.lib.caprun_count(self.runtime, what)

    def is_settled(self):
        """Does nothing run or start, and are exactly the expected processes there?"""
        self.lib.caprun_step(self.runtime)
        if self.count(READY) != self.warm or self.count(RUNNING) or self.count(WAITING):
            return False
        below = [len(workers(zygote)) for zygote in zygotes()]
        if any(map(is_zombie, family())) or sum(below) != self.warm:
            return False
        # an old zygote stays while one of its workers is ready; the new zygote may have no worker yet
        return below == [1] * self.warm if self.fresh else below and below.count(0) <= 1

    def zygote(self):
        """The only zygote, after the program that forked it has exited."""

        def is_alone():
            self.lib.caprun_step(self.runtime)
            return len(zygotes()) == 1

        wait_until(is_alone, 20, "one zygote")
        return zygotes()[0]

    def settle(self, seconds=20):
        try:
            wait_until(self.is_settled, seconds, "the pool to have what it keeps ready, and nothing else")
        except AssertionError as failure:
            counts = [self.count(what) for what in range(READY, CRASHES + 1)]
            below = {zygote: workers(zygote) for zygote in zygotes()}
            raise AssertionError(f"{failure}: {self.warm} wanted, counts {counts}, processes {below}") from None

    def settled_descriptors(self):
        """The number before the test, when the only zygote runs and the program that forked it has exited, because
        the pidfd of that program would be one more."""
        self.settle()
        self.zygote()
        return descriptors()

    def has_no_more_descriptors_than(self, before):
        """Waits, because with a new zygote one descriptor may stay open for a moment."""
        wait_until(lambda: self.is_settled() and descriptors() <= before, 20,
                   f"{before} descriptors at most, and not {descriptors()}")

    def _happened(self, _data, run, what, call):
        try:
            self.events[run].append((EVENTS[what], call) if call else EVENTS[what])
            if self.hear:
                self.hear(run, EVENTS[what], call)
        except Exception as failure:  # as below
            self.failure = failure

    def _called(self, _data, run, number, method, args, args_len):
        try:
            self.answer(Call(self, run, number, method.decode(), args, args_len))
        except Exception as failure:  # ctypes would print it, and continue
            self.failure = failure

    def run(self, code, args=None, timeout_ms=0, call_timeout_ms=0, memory_mib=0, schema=None, env=None):
        """A run that has not started; None if the library rejects the code. |args|, |schema| and |env| are JSON."""
        run, data = ctypes.c_void_p(), code.encode()
        equal(self.lib.caprun_run_new(self.runtime, ctypes.byref(run)), 0)
        self.lib.caprun_run_set_timeout(run, ctypes.c_uint64(timeout_ms))
        self.lib.caprun_run_set_call_timeout(run, ctypes.c_uint64(call_timeout_ms))
        self.lib.caprun_run_set_memory(run, ctypes.c_uint64(memory_mib << 20))
        for name, json_text in {"args": args, "schema": schema, "env": env}.items():
            if json_text is not None:
                equal(self.set_json(run, name, json_text), 0, f"caprun_run_set_{name}")
        if self.answer:
            self.lib.caprun_run_set_handler(run, self.handler, None)
        self.events[run.value] = run.events = []
        self.lib.caprun_run_set_event(run, self.listener, None)
        if self.lib.caprun_run_set_code(run, data, ctypes.c_size_t(len(data))) == 0:
            return run
        self.lib.caprun_run_free(run)
        return None

    def limit(self, run, name, value):
        """caprun_run_set_max_|name|()."""
        return getattr(self.lib, f"caprun_run_set_max_{name}")(run, ctypes.c_uint64(value))

    def set_tools(self, run, *names):
        texts = (ctypes.c_char_p * len(names))(*(name.encode() for name in names))
        return self.lib.caprun_run_set_tools(run, texts, ctypes.c_size_t(len(names)))

    def set_json(self, run, name, text):
        data = text.encode()
        return getattr(self.lib, f"caprun_run_set_{name}")(run, data, ctypes.c_size_t(len(data)))

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

    def json_of(self, run):
        return json.loads(self.finish(run))

    def start(self, code, **options):
        """Starts a run; it has a worker, or waits in the queue."""
        run = self.run(code, **options)
        equal(self.lib.caprun_start(run), 0)
        self.lib.caprun_step(self.runtime)
        return run

    def execute(self, code, **options):
        """One run from beginning to end; returns the envelope."""
        return json.loads(self.finish(self.start(code, **options)))

    def step_until(self, event, seconds, what):
        return wait_until(lambda: self.step(1) or event(), seconds, what)

    def wait_for(self, run, event, seconds=20):
        """Steps until |run| has had the event."""
        self.step_until(lambda: event in run.events, seconds, f"{event} after {run.events}")

    def cancel(self, run):
        self.lib.caprun_cancel(run)

    def outcome(self, run):
        return self.lib.caprun_outcome_name(self.lib.caprun_get_outcome(run)).decode()

    def error(self):
        return self.lib.caprun_error(self.runtime).decode()


@contextlib.contextmanager
def unharmed(host, growth_kib=8192):
    """Checks |host|, a Library with is_well(), after the test: it still works, and has no additional process,
    descriptor or memory."""
    with host:
        host.is_well()
        before, memory = host.settled_descriptors(), resident_kib()
        yield host
        host.is_well()
        host.settle(60)
        host.has_no_more_descriptors_than(before)
        if SANITIZED:
            return  # the sanitizer keeps freed memory for a while
        # a thread frees large memory
        wait_until(lambda: host.step(1) or resident_kib() - memory <= growth_kib, 20, f"{growth_kib} KiB more, at most")


class Call:
    """A call that waits for its answer."""

    def __init__(self, library, run, number, method, args, args_len):
        self.library, self.run, self.number, self.method = library, run, number, method
        self.args = ctypes.string_at(args, args_len)  # the exact bytes
        self.where = (args, args_len)  # valid while the handler runs

    def _answer(self, function, text):
        data = text if isinstance(text, bytes) else text.encode()
        return function(ctypes.c_void_p(self.run), self.number, data, ctypes.c_size_t(len(data)))

    def reply(self, text):
        return self._answer(self.library.lib.caprun_call_reply, text)

    def reply_tool(self, text):
        return self._answer(self.library.lib.caprun_call_reply_tool, text)

    def fail(self, text):
        return self._answer(self.library.lib.caprun_call_fail, text)


# --- shared by many tests ---------------------------------------------------------------------


def ignore(_call):
    """A handler that leaves all calls open."""


def error_code(library, run):
    return json.loads(library.finish(run))["error"]["code"]


def cancelled(library, *runs):
    for run in runs:
        library.cancel(run)
        equal(error_code(library, run), "CANCELLED")
