#!/usr/bin/env python3
"""fairness.t - how much a flood slows down friendly runs beside it.

Eight friendly runs make calls, one after the other, which are answered at once. From an answer to the
next call, the time that the loop's thread works is measured: beside eight runs that only compute, and
beside each kind of flood, one after the other in one process. With the flood, the median and the 99th
percentile must be at most three times those beside the computing runs, or too short to be noticed:
under 1 and 20 ms. Time on the clock depends on what else the machine does, so it only has to stay below
half a second: a loop that waits for a flood would take longer. Each comparison is made up to three times.
"""

import contextlib
import ctypes
import itertools
import json
import os
import statistics
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import SANITIZED, TORTURE, each, equal, main, scratch_dir, stretched, test, write_file
from hook import hooked, use_hook
from library import Library

FRIENDS, CALLS = 8, 200 if TORTURE else 60
FRIENDLY = f"for (let i = 0; i < {CALLS}; i++) await mcp.friend.it({{i}}); return 'done'"
SPIN = "for (;;);"
TIMES, UNNOTICED_MS, WAITS_MS = 3, (1, 20), 500
MANY_TOOLS = [f"flood:{i:05}{'x' * 88}" for i in range(10000)]
NOTIFICATION = '{"jsonrpc":"2.0","method":"notifications/x"}'

KEYS = "const o = {}; for (let i = 0; i < 199000; i++) o['k' + i] = i;"
AT_ONCE = "await Promise.allSettled(Array.from({length: 256}, () => "

# The code of eight runs, in the test-only worker, which can send any bytes.
WORKERS = {
    "calls, one after the other": "for (;;) await mcp.flood.it({})",
    "calls, 256 at once": f"for (;;) {AT_ONCE} mcp.flood.it({{}})))",
    "calls that are not listed": f"for (;;) {AT_ONCE} mcp.flood.absent({{}})))",
    "args of 199,000 keys": f"{KEYS} for (;;) await mcp.flood.it(o)",
    "timers of 0 ms": "const f = () => setTimeout(f, 0); f(); await new Promise(() => 0)",
    "bytes, one by one": "const f = call(1, 'flood', 'it', JSON.stringify('x'.repeat(4e6)));"
                         "for (let i = 0; i < f.length; i++) write(f.subarray(i, i + 1)); stop()",
    "lines of the log": "for (let i = 0; i < 9999; i++) send(frame(LOG)); for (;;);",
    "attempts": "for (let i = 1; i <= 1000; i++) send(attempt(i, 'a', 'b', 'c', 'm'.repeat(2048))); for (;;);",
}

# The shell script of a server that one run waits for.
SERVERS = {
    "lines that are not messages": "exec yes 1",
    "notifications": f"exec yes '{NOTIFICATION}'",
    "batches of numbers": "exec python3 -c \"while 1: print('[' + '1,' * 30_000_000 + '1]')\"",
    "batches of notifications": f"exec python3 -c \"import sys\nwhile 1: print('[' + ','.join(['''{NOTIFICATION}'''] * 900) + ']')\"",
    "text on standard error": "exec yes words words words >&2",
}


def clocks():
    """The work of this thread, which is the loop's, and the time."""
    return time.thread_time(), time.perf_counter()


class Host(Library):
    """Answers all calls at once, and measures how long friendly runs take to make the next call."""

    def __init__(self):
        super().__init__(lambda call: None, warm=16)
        use_hook(self)
        self.answered, self.took = {}, []

    def _called(self, _data, run, number, method, args, args_len):
        if method.startswith(b"friend:") and run in self.answered:
            self.took.append([now - then for now, then in zip(clocks(), self.answered[run])])
        self.lib.caprun_call_reply(ctypes.c_void_p(run), number, b"{}", ctypes.c_size_t(2))
        self.answered[run] = clocks()

    def friendly(self):
        """Of friendly runs, in ms: (median, 99th percentile) of the loop's work, and that of the time on the clock."""
        self.answered, self.took = {}, []
        friends = [self.start(hooked(FRIENDLY)) for _ in range(FRIENDS)]
        for run in friends:
            equal(json.loads(self.finish(run)).get("result"), "done")
        return [(statistics.median(each) * 1000, statistics.quantiles(each, n=100)[98] * 1000) for each in zip(*self.took)]

    @contextlib.contextmanager
    def beside(self, code, count=8, tools=None, handled=True):
        """|count| runs of |code|. Each code is different, so that no run is refused because another crashed."""
        runs = [self._flood(code, tools, handled) for _ in range(count)]
        try:
            self.step_until(lambda: all("STARTED" in run.events for run in runs), 60, "all of them")
            yield
        finally:
            for run in runs:
                self.cancel(run)
                self.finish(run)

    def _flood(self, code, tools, handled):
        run = self.run(f"{hooked(code)} // {next(NUMBERS)}", timeout_ms=3600000, call_timeout_ms=3600000)
        self.limit(run, "calls", 100000)
        if tools:
            equal(self.set_tools(run, *tools), 0)
        if not handled:
            self.lib.caprun_run_set_handler(run, None, None)
        equal(self.lib.caprun_start(run), 0)
        return run


NUMBERS = itertools.count()


def is_fair(quiet, loud):
    for what, a, b in zip(("work", "time"), quiet, loud):
        print(f"# {what}: median {a[0]:.2f} ms beside computing, {b[0]:.2f} beside the flood;"
              f" 99 %: {a[1]:.2f}, {b[1]:.2f}", flush=True)
    return (all(b <= max(TIMES * a, floor) for a, b, floor in zip(quiet[0], loud[0], UNNOTICED_MS))
            and loud[1][1] < stretched(WAITS_MS))


def compare(flood):
    """Compares |flood|, a function that returns a host with a flood, with runs that only compute."""
    for _ in range(3):
        with Host() as host, host.beside(SPIN):
            quiet = host.friendly()
        with flood() as host:
            loud = host.friendly()
        if is_fair(quiet, loud):
            return
    raise AssertionError("the flood is felt")


@contextlib.contextmanager
def flooded_by_workers(name):
    tools = MANY_TOOLS if "listed" in name else None
    with Host() as host, host.beside(WORKERS[name], tools=tools):
        yield host


@each({name: name for name in WORKERS})
def a_flood_of_workers_is_not_felt(name):
    compare(lambda: flooded_by_workers(name))


@contextlib.contextmanager
def configured(**servers):
    """A host with these shell scripts as servers."""
    with scratch_dir() as root, Host() as host:
        path = f"{root}/.caprun.json"
        commands = {name: {"command": "sh", "args": ["-c", script]} for name, script in servers.items()}
        write_file(path, json.dumps({"mcpServers": commands, "permissions": {"allow": ["*"]}}))
        equal(host.lib.caprun_set_config(host.runtime, path.encode()), 0, host.error())
        yield host


@contextlib.contextmanager
def flooded_by_server(name):
    with configured(loud=SERVERS[name]) as host, host.beside("await mcp.loud.it()", count=1, handled=False):
        yield host


@each({name: name for name in SERVERS})
def a_flood_of_a_server_is_not_felt(name):
    compare(lambda: flooded_by_server(name))


@test
def time_limits_hold_beside_all_floods_at_once():
    limit = 300
    names = {f"s{n}": script for n, script in enumerate(SERVERS.values())}
    with configured(**names) as host, contextlib.ExitStack() as floods:
        for name in names:
            floods.enter_context(host.beside(f"await mcp.{name}.it()", count=1, handled=False))
        for name, code in WORKERS.items():
            floods.enter_context(host.beside(code, count=2, tools=MANY_TOOLS if "listed" in name else None))
        for code in (SPIN, "await new Promise(() => setTimeout(() => 0, 1e6))", "for (;;) await mcp.flood.it({})") * 3:
            envelope = json.loads(host.finish(host.start(hooked(code), timeout_ms=limit)))
            equal(envelope["error"]["code"], "EXECUTION_TIMEOUT", str(envelope["error"]))
            took = envelope["metrics"]["executionTimeMs"]
            print(f"# {took:.0f} ms of {limit}", flush=True)
            assert took <= limit + stretched(100) * (4 if SANITIZED else 1), f"{took} ms"


main()
