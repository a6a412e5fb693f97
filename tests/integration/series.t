#!/usr/bin/env python3
"""series.t - many runs, in a row and at once, with killed processes: nothing grows, and no run is lost.

CAPRUN_TORTURE=1 (`make torture`) runs the full series.
"""

import collections
import contextlib
import json
import os
import random
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import TORTURE, between, children, equal, main, stretched, test, wait_until
from library import Library, descriptors, family, kill, resident_kib, workers, zygotes

SPIN = "for (;;);"


KINDS_OF_NAMESPACES = ("net", "pid", "mnt", "user", "ipc", "uts", "cgroup")


def namespaces():
    """The number of namespaces of each kind, per zygote, that the library's processes are in.

    Processes, descriptors and mounts keep a namespace alive; our descriptors and mounts are counted
    below. An ordinary user may not see the namespaces, and counts 0.
    """
    found = {kind: set() for kind in KINDS_OF_NAMESPACES}
    for pid in family():
        for kind, seen in found.items():
            with contextlib.suppress(OSError):
                seen.add(os.readlink(f"/proc/{pid}/ns/{kind}"))
    return {kind: len(seen) / len(zygotes()) for kind, seen in found.items()}


def lines(path):
    with open(path, encoding="utf-8") as file:
        return len(file.readlines())


class Watch:
    """Records descriptors, processes, mounts and memory of an idle, full pool, and checks that they stay the same."""

    def __init__(self, library):
        self.library = library
        library.settle()
        self.before, self.memory = self._now(), resident_kib()

    @staticmethod
    def _now():
        return {"descriptors": descriptors(), "workers": len(workers()), "namespaces": namespaces(),
                "mounts": lines("/proc/self/mountinfo"), "threads": len(os.listdir("/proc/self/task"))}

    def check(self, growth_kib=2048):
        self.library.settle()  # also fails if there is a zombie
        equal(self._now(), self.before)
        between(resident_kib() - self.memory, -(1 << 20), growth_kib, "KiB more")


# --- in a row, and at once -------------------------------------------------------------------


@test
def many_runs_in_a_row_leave_nothing():
    with Library(lambda call: call.reply(call.args)) as library:
        def runs(count):
            for n in range(count):
                run = library.run("console.log('x'); return (await mcp.a.b({n: args.n})).n", args=f'{{"n":{n}}}')
                equal(library.lib.caprun_run(run), 0)
                equal(json.loads(library.finish(run))["result"], n)
        runs(300)
        watch = Watch(library)
        runs(10000 if TORTURE else 400)
        watch.check()


KINDS = [
    ("return {n}", "SUCCESS"),
    ("await new Promise(r => setTimeout(r, {n} % 20)); return {n}", "SUCCESS"),
    ("let t = 0; for (let i = 0; i < 1e5; i++) t += i; return t", "SUCCESS"),
    ("return await Promise.all([mcp.a.b(), mcp.a.c({{n: {n}}})])", "SUCCESS"),
    ("throw new Error('{n}')", "CODE_ERROR"),
    ("await new Promise(() => {n})", "STALLED"),
    ("await mcp.never.answered(); return {n}", "CANCELLED"),
]


class Load:
    """Keeps |width| runs active, each with different code, until it is stopped. Counts their ends."""

    def __init__(self, library, width, kinds):
        self.library, self.width, self.kinds = library, width, kinds
        self.going, self.ended = {}, []
        self.started, self.counts = 0, collections.Counter()  # {(expected, actual): number}

    def answer(self, call):
        if call.method.startswith("never"):
            self.library.cancel(self.going[call.run][0])
        else:
            call.reply(call.args)

    def hear(self, run, event, _call):
        if event == "ENDED" and run in self.going:
            self.ended.append(self.going.pop(run))

    def step(self, more=True):
        while more and len(self.going) < self.width:
            code, wanted = self.kinds[self.started % len(self.kinds)]
            run = self.library.run(code.format(n=self.started))
            self.going[run.value] = (run, wanted)
            self.started += 1
            equal(self.library.lib.caprun_start(run), 0)
        self.library.step(1)
        while self.ended:
            self._count(*self.ended.pop())

    def _count(self, run, wanted):
        equal(run.events.count("ENDED"), 1, "times that a run has ended")
        envelope = json.loads(self.library.finish(run))
        self.counts[wanted, "SUCCESS" if envelope["success"] else envelope["error"]["code"]] += 1

    def stop(self, seconds=60):
        wait_until(lambda: self.step(more=False) or not self.going, seconds, "the last runs to end")
        equal(sum(self.counts.values()), self.started, "envelopes")


def loaded(width, kinds=KINDS, **sizes):
    load = Load(None, width, kinds)
    load.library = Library(load.answer, load.hear, **sizes)
    return load


def run_for(load, seconds, runs):
    """Runs for |seconds|, or in the short series until |runs| were started."""
    end = time.monotonic() + seconds
    first = load.started
    while time.monotonic() < end if TORTURE else load.started < first + runs:
        load.step()
    load.stop()


@test
def a_hundred_runs_at_once_leave_nothing():
    load = loaded(100)
    with load.library:
        run_for(load, 10, 700)
        watch = Watch(load.library)
        run_for(load, 60, 1400)
        watch.check(4096)
        assert all(wanted == got for wanted, got in load.counts), load.counts


@test
def sixty_four_spinning_runs_do_not_keep_another_from_finishing():
    with Library() as library:
        spinning = [library.start(SPIN) for _ in range(64)]
        library.step_until(lambda: all("STARTED" in run.events for run in spinning), 60, "all to spin")
        for n in range(10):
            envelope = library.execute(f"return {n}", timeout_ms=int(stretched(5000)))
            equal(envelope.get("result"), n, str(envelope.get("error")))
        equal([library.lib.caprun_done(run) for run in spinning], [0] * 64)
        for run in spinning:
            library.cancel(run)
            equal(json.loads(library.finish(run))["error"]["code"], "CANCELLED")
        library.settle()


@test
def spinning_runs_end_at_their_limit_however_many_they_are():
    with Library() as library:
        spinning = [library.start(SPIN, timeout_ms=500) for _ in range(64)]
        for run in spinning:
            envelope = json.loads(library.finish(run))
            equal(envelope["error"]["code"], "EXECUTION_TIMEOUT")
            between(envelope["metrics"]["executionTimeMs"], 500, stretched(2000), "ms")
        library.settle()


# --- killed processes ------------------------------------------------------------------------

LASTING = [
    ("return {n}", "SUCCESS"),
    ("await new Promise(r => setTimeout(r, 5)); return {n}", "SUCCESS"),
    ("let t = 0; for (let i = 0; i < 3e5; i++) t += i; return [t, {n}]", "SUCCESS"),
    ("for (let i = 0; i < 20; i++) await mcp.a.b({{i}}); return {n}", "SUCCESS"),
]


def kill_one(chance, target):
    """Kills a zygote or a worker. Returns False if there was no such process."""
    mothers = zygotes()
    if not mothers:
        return False
    zygote = chance.choice(mothers)
    if target == "zygote":
        return kill(zygote, os.getpid())
    below = children(zygote)
    return bool(below) and kill(chance.choice(below), zygote)


def kill_at_random(target, times):
    chance = random.Random(os.environ.get("CAPRUN_SEED"))
    load = loaded(40, LASTING)
    with load.library as library:
        load.step()
        load.stop()
        watch = Watch(library)
        killed = 0
        while killed < times:
            for _ in range(chance.randrange(20)):
                load.step()
            killed += kill_one(chance, chance.choice(target))
        load.stop()
        assert {got for _, got in load.counts} <= {"SUCCESS", "WORKER_TERMINATED", "INTERNAL"}, load.counts
        # INTERNAL: six zygotes in a row were killed before they had a worker
        assert load.counts["SUCCESS", "SUCCESS"] > load.started / 8, load.counts
        print(f"# {load.started} runs, {killed} killed: {dict(load.counts)}")
        for _ in range(library.warm):  # a ready worker that was killed is only noticed when it is used
            equal(library.execute("return 'again'")["result"], "again")
        watch.check(4096)


@test
def workers_that_are_killed_at_any_moment_lose_no_run():
    kill_at_random(["worker"], 1000 if TORTURE else 100)


@test
def zygotes_that_are_killed_at_any_moment_lose_no_run():
    kill_at_random(["zygote"], 500 if TORTURE else 30)


@test
def zygotes_and_workers_that_are_killed_at_any_moment_lose_no_run():
    kill_at_random(["zygote", "worker", "worker"], 1000 if TORTURE else 60)


main()
