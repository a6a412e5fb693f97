"""harness.py - a minimal test framework for the real program, with only the standard library.

    @test
    def a_sum_is_printed():
        equal(caprun("exec", "-", code="return 1 + 2").out, "3\n")

    main()

A test is a function whose name is a sentence; it fails with the first AssertionError. @each(table)
makes one test of each row. `exec.t a_sum_is_printed` runs only that test, `exec.t name/row` one row.
After each test, no process that it started may be left, not even as a zombie: this process is the
"subreaper" that becomes the parent of orphans, so it sees them all.

Tests do not sleep: wait_until() polls for an event until a deadline, which the environment variable
CAPRUN_TEST_TIMEOUT_MULTIPLIER multiplies. CAPRUN_BUILD is the folder of the programs.
"""

import ctypes
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback

LIB = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(LIB))
BUILD = os.path.abspath(os.environ.get("CAPRUN_BUILD") or os.path.join(ROOT, "build"))
CAPRUN = os.path.join(BUILD, "caprun")
VARIANT = os.path.basename(BUILD) if os.path.basename(BUILD) != "build" else ""  # for instance "watchdog"
SANITIZED = VARIANT in ("asan", "cover")  # needs additional memory, files and time
MULTIPLIER = float(os.environ.get("CAPRUN_TEST_TIMEOUT_MULTIPLIER") or 1)
TORTURE = os.environ.get("CAPRUN_TORTURE") == "1"  # `make torture`: the long series in full
MUST_WORK = os.environ.get("CAPRUN_MUST_WORK") == "1" or bool(os.environ.get("CI"))
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
PR_SET_CHILD_SUBREAPER = 36
os.environ["CAPRUN_TRUST"] = "1"  # the tests have made the configurations; trust.t is about others
os.environ["XDG_CONFIG_HOME"] = "/dev/null"  # not the configuration of whoever runs the tests
METRICS = ["startupTimeMs", "executionTimeMs", "cpuTimeMs", "waitTimeMs", "memoryUsedMB", "rpcCalls"]

_tests = []


# --- tests -----------------------------------------------------------------------------------


class Skip(Exception):
    """Something that this test needs is not available here."""


def test(function):
    _tests.append((function.__name__, function))
    return function


def each(table):
    """@each({"row": value}): one test for each row; the function gets the value."""

    def register(function):
        for row, value in table.items():
            _tests.append((f"{function.__name__}/{row}", lambda value=value: function(value)))
        return function

    return register


def equal(got, wanted, what="value"):
    assert got == wanted, f"{what}: got {got!r:.400}, wanted {wanted!r:.400}"


def contains(text, *parts):
    for part in parts:
        assert part in text, f"{part!r} is not in {text!r:.400}"


def between(got, low, high, what="value"):
    assert low <= got <= high, f"{what}: {got} is not between {low} and {high}"


def need(condition, why):
    if not condition:
        raise Skip(why)


def need_program(name):
    need(shutil.which(name), f"there is no {name} here")


def _run_one(number, name, function):
    try:
        function()
        equal(left_behind(), [], "processes left behind")
    except Skip as why:
        if not MUST_WORK:
            print(f"ok {number} - {name} # SKIP {why}", flush=True)
            return True
        text = f"cannot be skipped here: {why}"
    except AssertionError as failure:
        frames = traceback.extract_tb(failure.__traceback__)
        frame = frames[min(2 if "/" in name else 1, len(frames) - 1)]
        text = f"{os.path.basename(frame.filename)}:{frame.lineno}: {frame.line}\n{failure}"
    except Exception:  # any exception: the other tests still run
        text = traceback.format_exc()
    else:
        print(f"ok {number} - {name}", flush=True)
        return True
    end_left_behind()
    print(f"not ok {number} - {name}", flush=True)
    # on standard error, which prove always shows
    print(f"# {name}\n" + "".join(f"# {line}\n" for line in text.splitlines()), end="", file=sys.stderr, flush=True)
    return False


def main():
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell ignores it, and so would what it starts
    assert os.path.exists("/proc/thread-self/children"), "the kernel lists no children: CONFIG_PROC_CHILDREN"
    only = sys.argv[1:]
    chosen = [(n, f) for n, f in _tests if not only or n in only or n.split("/")[0] in only]
    print(f"1..{len(chosen)}", flush=True)
    results = [_run_one(i, name, function) for i, (name, function) in enumerate(chosen, 1)]
    sys.exit(0 if results and all(results) else 1)


# --- time ------------------------------------------------------------------------------------


def stretched(seconds):
    return seconds * MULTIPLIER


def wait_until(event, seconds, what):
    """Returns the first true value of event(), or fails after |seconds| times the multiplier."""
    deadline = time.monotonic() + stretched(seconds)
    while not (value := event()):
        assert time.monotonic() < deadline, f"waited {stretched(seconds)} s for {what}"
        time.sleep(0.001)
    return value


# --- processes -------------------------------------------------------------------------------


def proc(pid, name):
    """The text of /proc/PID/NAME, or "" if the process has ended."""
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read().decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _listed_children(pid):
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except (FileNotFoundError, ProcessLookupError):
        return []
    return sorted(int(child) for task in tasks for child in proc(pid, f"task/{task}/children").split())


def children(pid):
    """The children of |pid|, zombies included.

    The kernel's list can miss a child while another child leaves the list. The leaving child is not in the next
    list, so two equal lists are complete.
    """
    before, now = None, _listed_children(pid)
    while before != now:
        before, now = now, _listed_children(pid)
    return now


def is_zombie(pid):
    return proc(pid, "stat").rpartition(")")[2].split()[:1] == ["Z"]


def left_behind():
    return [f"{pid} {proc(pid, 'stat')}" for pid in children(os.getpid())]


def end_left_behind():
    for pid in children(os.getpid()):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def reap_orphans():
    """Waits for children that have ended; returns the pids of those that have not."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return []
    return children(os.getpid())


# --- the program -----------------------------------------------------------------------------


def scratch_file(data):
    file = tempfile.TemporaryFile()
    file.write(data.encode() if isinstance(data, str) else data)
    file.seek(0)
    return file


class Process:
    """A command that was started. Its outputs go to files, so it never blocks on a full pipe."""

    def __init__(self, command, stdin=b"", stdout=None, stderr=None, env=None, **popen):
        self._in = scratch_file(stdin) if isinstance(stdin, (str, bytes)) else stdin
        self._out, self._err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.started = time.monotonic()
        self._popen = subprocess.Popen(command, stdin=self._in, stdout=stdout or self._out,
                                       stderr=stderr or self._err, env=env, **popen)
        self.pid = self._popen.pid
        self.status = None

    @staticmethod
    def _text(file):
        return os.pread(file.fileno(), 1 << 28, 0).decode(errors="surrogateescape")

    @property
    def out(self):
        return self._text(self._out)

    @property
    def err(self):
        return self._text(self._err)

    def end(self, seconds=20):
        """Waits for the end, and sets status, seconds, max_rss (of all its processes)."""
        pidfd = os.pidfd_open(self.pid)
        ready = select.select([pidfd], [], [], stretched(seconds))[0]
        os.close(pidfd)
        if not ready:
            os.kill(self.pid, signal.SIGKILL)
        _, status, usage = os.wait4(self.pid, 0)
        self.seconds = time.monotonic() - self.started
        self.max_rss = usage.ru_maxrss * 1024
        self._popen.returncode = self.status = os.waitstatus_to_exitcode(status)
        assert ready, f"it had not ended after {stretched(seconds)} s; stderr: {self.err:.2000}"
        return self

    def send(self, signal_number):
        os.kill(self.pid, signal_number)

    def wait_for_log(self, text):
        wait_until(lambda: text in self.err, 10, f"{text!r} on standard error")

    def family(self):
        """(zygote, worker): the program's child that has a child, and that child."""

        def look():
            for zygote in children(self.pid):
                if workers := children(zygote):
                    return zygote, workers[0]
            return None

        return wait_until(look, 10, "a zygote with a worker")

    @property
    def envelope(self):
        assert self.out, f"no envelope, status {self.status}; stderr: {self.err[-2000:]!r}"
        return parse_envelope(self.out)


def start(*words, code="", under=(), program=CAPRUN, **options):
    """Starts caprun with these words; |code| is its standard input. |under|: a command that starts it."""
    return Process([*under, program, *words], stdin=options.pop("stdin", code), **options)


def caprun(*words, **options):
    return start(*words, **options).end()


class Terminal:
    """A terminal of this width; reads what is written to it as it arrives, like a person."""

    def __init__(self, columns=200):
        self.ours, self.theirs = pty.openpty()
        self.resize(columns)
        self.seen = b""
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        try:
            while chunk := os.read(self.ours, 65536):
                self.seen += chunk
        except OSError:  # EIO: the other side has closed
            pass

    def wait_for(self, part, seconds):
        """Reads until |part| is seen; with None, until the deadline."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not (part and part in self.seen):
            time.sleep(0.01)

    def resize(self, columns):
        termios.tcsetwinsize(self.ours, (24, columns))

    def type(self, keys):
        os.write(self.ours, keys)

    def text(self):
        os.close(self.theirs)
        self._reader.join()
        os.close(self.ours)
        return self.seen.decode(errors="surrogateescape").replace("\r\n", "\n")


def on_a_terminal(*words, **options):
    """caprun's standard output on a terminal; caprun must succeed."""
    terminal = Terminal()
    running = start(*words, stdout=terminal.theirs, **options)
    status = running.end().status
    seen = terminal.text()
    equal(status, 0)
    return seen


def parse_envelope(text):
    """Parses exactly one line with one JSON object without duplicate keys."""
    assert text.endswith("\n") and text.count("\n") == 1, f"not one line: {text!r:.2000}"

    def once(pairs):
        equal(len(dict(pairs)), len(pairs), "distinct keys")
        return dict(pairs)

    return json.loads(text, object_pairs_hook=once)


def check_shape(envelope):
    """Checks that the envelope has exactly the fields of the contract's section 3."""
    own = {"status", "process"}
    wanted = {"success", "result" if envelope["success"] else "error",
              "logs", "blocked", "calls", "metrics", "runId"}
    equal(set(envelope) - own - {"trust"}, wanted, "fields")
    assert envelope["success"] is (envelope.get("status", 0) == 0)
    assert all(isinstance(line, str) for line in envelope["logs"])
    equal(envelope["blocked"], [])
    for number, call in enumerate(envelope["calls"], 1):
        equal((call["n"], call["state"]), (number, "failed"))
        assert ":" in call["method"] and call["ms"] >= 0, call
    equal(list(envelope["metrics"]), METRICS)
    assert all(isinstance(v, (int, float)) and v >= 0 for v in envelope["metrics"].values())
    assert re.fullmatch(r"[0-9a-f-]{36}", envelope["runId"]), envelope["runId"]
    if not envelope["success"]:
        error = envelope["error"]
        assert {"type", "code", "message"} <= set(error), error
        assert set(error) <= {"type", "code", "message", "stack", "toolName", "hint"}, error
        assert all(isinstance(v, str) and v for v in error.values()), error


def run_json(code, *options, args=None, **more):
    """Runs |code| with --json. Returns the envelope, with the exit status as "status"."""
    words = ["exec", "-", *([args] if args else []), "--json", *options]
    done = caprun(*words, code=code, **more)
    return done.envelope | {"status": done.status, "process": done}


def value_of(code, *options, **more):
    """The result of |code|, which must succeed."""
    envelope = run_json(code, *options, **more)
    assert envelope["success"], f"it failed: {envelope['error']}"
    return envelope["result"]


def failure_of(code, *options, **more):
    """(exit status, type, code, message) of code that must fail."""
    envelope = run_json(code, *options, **more)
    assert not envelope["success"], f"it returned {envelope['result']!r:.500}"
    error = envelope["error"]
    return envelope["status"], error["type"], error["code"], error["message"]


def scratch_dir():
    """A directory that all users may enter, for use with `with`."""
    directory = tempfile.TemporaryDirectory(prefix="caprun-test-")
    os.chmod(directory.name, 0o755)
    return directory


def write_file(path, data):
    with open(path, "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)
    return path
