#!/usr/bin/env python3
"""together.t - attacks that need several runs: at once, or one after the other from the same zygote.

The twin in each test is an honest run beside the attackers, which must succeed. Afterwards the pool
must be full again, without an additional process, zombie or descriptor. CAPRUN_TORTURE=1 runs the
long series in full.
"""

import collections
import json
import os
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import hook
from harness import TORTURE, children, contains, each, equal, is_zombie, main, need, proc, stretched, test, wait_until
from library import (CRASHES, E_TOOBIG, WARM_NONE, WORKERS, ZYGOTES, Library, kill, unharmed, workers, zygotes)

MIB = 1 << 20
HOLD = "return await mcp.hold.it()"


class Host(Library):
    """Answers echo:* at once and hold:* when told to."""

    def __init__(self, **sizes):
        super().__init__(self._asked, **sizes)
        self.held, self.big = {}, None
        self.asked = collections.Counter()  # calls of each run

    def _asked(self, call):
        self.asked[call.run] += 1
        if call.method.startswith("hold:"):
            self.held[call.run] = call
        elif call.method.startswith("big:"):
            self.big(call)
        else:
            call.reply(call.args)

    def hold(self, code=HOLD, **options):
        """Starts a run that waits for an answer."""
        run = self.run(code, **{"call_timeout_ms": 3600000, "timeout_ms": 3600000, **options})
        self.held.pop(run.value, None)  # left by an earlier run with the same pointer
        equal(self.lib.caprun_start(run), 0)
        self.step_until(lambda: run.value in self.held or self.lib.caprun_done(run), 60, "its call")
        assert run.value in self.held, self.finish(run)
        return run

    def let_go(self, run):
        """Answers a held run. Returns its result, which is the answer."""
        equal(self.held.pop(run.value).reply('"let go"'), 0)
        return json.loads(self.finish(run)).get("result")

    def end(self, run):
        """Cancels |run|; returns the code of its end."""
        self.cancel(run)
        return code_of(json.loads(self.finish(run)))

    def is_well(self):
        """An honest run with timers and calls must succeed."""
        envelope = self.execute("await new Promise(r => setTimeout(r, 1)); const a = [];"
                                "for (let i = 0; i < 20; i++) a.push((await mcp.echo.it({i})).i); return a.length")
        equal(envelope.get("result"), 20, str(envelope.get("error")))

    def is_fair_to(self, others):
        """While an honest run makes its 20 calls, no run in |others|, which only call, may make far more calls."""
        before = self.asked.copy()
        self.is_well()
        most = max(self.asked[run.value] - before[run.value] for run in others)
        assert most <= 20 * 50, f"{most} calls of another run beside 20"


def watched(growth_kib=8192, **sizes):
    return unharmed(Host(**sizes), growth_kib)


def code_of(envelope):
    return "SUCCESS" if envelope["success"] else envelope["error"]["code"]


# --- time ------------------------------------------------------------------------------------

SPINNERS = [
    "for (;;);",
    "[].reverse.call({length: 2 ** 53 - 1})",
    "for (;;) try { (function f() { f() })() } catch {}",
    "const f = () => Promise.resolve().then(f); await f()",
    "/^(?=(a+)+$)(a|a)*b/.test('a'.repeat(60)); for (;;);",
    "for (;;) console.log('x'.repeat(1000))",
    "for (;;) await mcp.echo.it({})",
    "setInterval(() => 0, 0); await new Promise(() => 0)",
]


@test
def sixty_four_endless_runs_harm_no_other_run():
    with watched() as host:
        honest = host.hold()
        together = [host.start(SPINNERS[n % len(SPINNERS)], timeout_ms=int(stretched(600000))) for n in range(64)]
        host.step_until(lambda: all("STARTED" in run.events for run in together), 60, "all of them")
        for _ in range(3):
            host.is_fair_to([run for n, run in enumerate(together) if "mcp.echo" in SPINNERS[n % len(SPINNERS)]])
        equal(host.let_go(honest), "let go")
        ends = [host.end(run) for run in together]
        # runs that call or log much may have reached another limit first
        assert set(ends) <= {"CANCELLED", "CALL_LIMIT", "MEMORY_LIMIT"} and ends.count("CANCELLED") >= 40, ends


@test
def sixty_four_endless_runs_are_ended():
    with watched() as host:
        together = [host.start(SPINNERS[n % 5], timeout_ms=300) for n in range(64)]
        equal({code_of(json.loads(host.finish(run))) for run in together}, {"EXECUTION_TIMEOUT"})


# --- memory ----------------------------------------------------------------------------------

BOMBS = [
    "const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))",
    "const a = ['x']; for (;;) a.push(a.join('') + 'x')",
    "const m = new Map(); for (let i = 0; ; i++) m.set(i, 'x'.repeat(1000) + i)",
    "'x'.repeat(2 ** 29)",
    "let o = {}; for (;;) o = {o}",
    "for (;;) try { new Uint8Array(1e9).fill(1) } catch {}",
]


@test
def memory_bombs_in_a_row_harm_no_other_run():
    with watched(memory=64 * MIB) as host:
        honest = host.hold()
        for n in range(1000 if TORTURE else 30):
            envelope = host.execute(BOMBS[n % len(BOMBS)])
            equal(code_of(envelope), "MEMORY_LIMIT", str(envelope.get("error")))
        equal(host.execute("return new Uint8Array(40e6).fill(1).length")["result"], 40e6)
        equal(host.let_go(honest), "let go")


@test
def memory_bombs_at_once_harm_no_other_run():
    with watched(memory=64 * MIB, max_memory=512 * MIB) as host:
        honest = host.hold()
        together = [host.start(BOMBS[n % len(BOMBS)]) for n in range(200 if TORTURE else 30)]
        equal({code_of(json.loads(host.finish(run))) for run in together}, {"MEMORY_LIMIT"})
        equal(host.let_go(honest), "let go")


# --- crashes ---------------------------------------------------------------------------------


def held_worker(host, code):
    """(run, worker, zygote) of a new run that waits for an answer."""
    before = set(workers())
    run = host.hold(code)
    (worker,) = set(workers()) - before
    (zygote,) = [pid for pid in zygotes() if worker in children(pid)]
    return run, worker, zygote


@each({"alone": 0, "while 64 spin": 64})
def a_crash_is_a_crash_and_harms_no_other_run(spinning):
    with watched(warm=WARM_NONE) as host:
        honest, _, mother = held_worker(host, HOLD)
        beside = [host.start("for (;;);") for _ in range(spinning)]
        host.step_until(lambda: all("STARTED" in run.events for run in beside), 60, "all of them")
        run, worker, zygote = held_worker(host, HOLD + "// crashes")
        equal(zygote, mother)
        assert kill(worker, zygote, signal.SIGSEGV)
        envelope = json.loads(host.finish(run))
        equal((code_of(envelope), host.count(CRASHES), host.count(ZYGOTES)), ("WORKER_TERMINATED", 1, 1))
        contains(envelope["error"]["message"], "signal 11")
        host.is_well()
        equal(host.count(ZYGOTES), 2)  # active runs continue
        equal({host.end(run) for run in beside}, {"CANCELLED"} if spinning else set())
        equal(host.let_go(honest), "let go")


@test
def a_loop_of_crashes_meets_another_zygote_each_time():
    with watched(warm=WARM_NONE) as host:
        honest, seen = host.hold(), set()
        for n in range(100 if TORTURE else 12):
            run, worker, zygote = held_worker(host, f"{HOLD} // {n}")
            seen.add(zygote)
            assert kill(worker, zygote, signal.SIGILL)
            equal(code_of(json.loads(host.finish(run))), "WORKER_TERMINATED")
        equal(len(seen), n + 1, "zygotes")
        equal((host.count(CRASHES), host.let_go(honest)), (n + 1, "let go"))


@test
def code_that_crashes_again_and_again_is_refused_and_what_it_looks_like_is_not():
    with watched(warm=WARM_NONE) as host:
        for _ in range(3):
            run, worker, zygote = held_worker(host, HOLD)
            assert kill(worker, zygote, signal.SIGBUS)
            equal(code_of(json.loads(host.finish(run))), "WORKER_TERMINATED")
        started = host.count(ZYGOTES)
        for args in (None, '{"other":1}'):
            envelope = host.execute(HOLD, args=args)
            equal((code_of(envelope), host.count(ZYGOTES)), ("WORKER_TERMINATED", started))
            contains(envelope["error"]["message"], "refused")
        equal(host.let_go(host.hold(HOLD + " ")), "let go")


BREAKS = {
    "a crash": ("native.poke(8, 0)", "signal 11"),
    "a forbidden call": ("native.syscall(NR.getpid)", "signal 31"),
    "a broken frame": ("send(frame(0)); stop()", "broke the protocol"),
    "leaving without a word": ("leave(0)", "status 0"),
}


@each(BREAKS)
def code_that_breaks_its_worker_three_times_is_refused_and_other_code_is_not(how):
    code, words = how
    with hook.watched(warm=WARM_NONE) as host:
        for _ in range(3):
            outcome, message = hook.end_of(host.execute(code))
            equal(outcome, "WORKER_TERMINATED")
            contains(message, words)
        equal(host.count(CRASHES), 3)
        started = host.count(ZYGOTES), host.count(WORKERS)
        run = host.start(code)
        equal(hook.end_of(json.loads(host.finish(run))),
              ("WORKER_TERMINATED", "This code is refused: it has crashed its worker 3 times"))
        equal((run.events, host.count(CRASHES)), (["ENDED"], 3))
        equal((host.count(ZYGOTES), host.count(WORKERS)), started)
        equal(hook.end_of(host.execute(code + " // "))[0], "WORKER_TERMINATED")  # it is not refused, but crashes again
        equal(hook.end_of(host.execute("send(frame(DONE, 0, '1')); leave(0)")), ("SUCCESS", 1))


@test
def a_worker_that_is_killed_takes_none_of_its_siblings_along():
    with watched(warm=WARM_NONE) as host:
        siblings = [host.hold() for _ in range(8)]
        run, worker, zygote = held_worker(host, HOLD)
        equal(len(workers(zygote)), 9)
        assert kill(worker, zygote)
        equal(code_of(json.loads(host.finish(run))), "WORKER_TERMINATED")
        equal({host.let_go(run) for run in siblings}, {"let go"})
        equal(host.count(ZYGOTES), 1)


# --- what one run could learn about another --------------------------------------------------

STAIN = """
globalThis.left = 1; Object.prototype.left = 1; Array.prototype.push = () => 'evil'; Error.left = 1;
Promise.prototype.then.left = 1; Symbol.for('left'); console.log = () => 0;
Math.random = () => 4; Object.defineProperty(globalThis, 'Map', {value: 0}); /(left)/.exec('left');
"""
LOOK = """
const found = {
    properties: 'left' in globalThis || 'left' in {} || 'left' in Error || 'left' in Promise.prototype.then,
    push: [].push(1) !== 1,
    random: Math.random() === 4,
    Map: typeof Map !== 'function',
};
return Object.keys(found).filter((name) => found[name]);
"""


@test
def nothing_is_left_of_an_earlier_run_or_of_one_beside():
    with watched() as host:
        stained = host.hold(STAIN + HOLD)  # active all the time
        for n in range(40):
            equal(host.execute(STAIN + "return typeof left")["result"], "number")
            equal(host.execute(LOOK)["result"], [])
        equal(host.execute(STAIN + LOOK)["result"], ["properties", "push", "random", "Map"])  # LOOK does find stains
        equal(host.let_go(stained), "let go")


RANDOM = {
    "Math.random": "return Array.from({length: 4}, Math.random)",
    "getRandomValues": "return Array.from(crypto.getRandomValues(new Uint8Array(16)))",
    "randomUUID": "return [...crypto.randomUUID()]",
}


@each(RANDOM)
def random_numbers_are_never_those_of_another_run(code):
    with watched() as host:
        in_a_row = [host.execute(code)["result"] for _ in range(30)]
        together = [host.start(code) for _ in range(60)]
        at_once = [json.loads(host.finish(run))["result"] for run in together]
        equal(len({str(numbers) for numbers in in_a_row + at_once}), 90, "different ones")
        first = [numbers[0] for numbers in in_a_row + at_once]  # a weak generator would start alike
        assert len(set(map(str, first))) > 10, first


def arena_of(worker, zygote):
    """The start of the memory that the worker has and its zygote does not have: small pages, then huge pages."""
    ranges = [{line.split()[0] for line in proc(pid, "maps").splitlines()} for pid in (worker, zygote)]
    own = sorted(tuple(int(end, 16) for end in each.split("-")) for each in ranges[0] - ranges[1])
    equal([start for start, _ in own[1:]], [end for _, end in own[:-1]], "pieces without a gap")
    return own[0][0], ranges[1]


@test
def workers_of_one_zygote_have_their_memory_at_different_places():
    need(os.geteuid() == 0, "only root may look at the maps of a worker")
    with watched(warm=16) as host:
        zygote = host.zygote()
        bases = [arena_of(worker, zygote)[0] for worker in workers()]
        equal(len(set(bases)), 16, "bases")
        distances = sorted(abs(a - b) for a, b in zip(bases, bases[1:]))
        assert distances[0] > 512 * MIB, distances  # not placed one after the other
        assert any((a ^ b) & 0xFFFF000 for a, b in zip(bases, bases[1:])), "random in the low bits too"
        shared = arena_of(workers()[0], zygote)[1]
        assert kill(zygote, os.getpid())
        wait_until(lambda: is_zombie(zygote), 20, "its end, which is that of its workers")
        host.is_well()
        host.settle()
        other = host.zygote()
        kernels = {line for line in shared if line.startswith("ffffffff")}
        equal(shared & arena_of(workers()[0], other)[1] - kernels, set(), "what two zygotes have at one place")


# --- floods ----------------------------------------------------------------------------------


@test
def floods_of_calls_that_are_not_awaited_harm_no_other_run():
    flood = "const a = 'x'.repeat(1000); for (;;) mcp.echo.it({a}).catch(() => 0)"
    with watched(32768, memory=64 * MIB) as host:
        together = [host.start(flood) for _ in range(16)]
        host.step_until(lambda: all(len(run.events) > 2 for run in together), 60, "calls of all")
        for _ in range(5):
            host.is_well()
        ends = {host.end(run) for run in together}
        assert ends <= {"CANCELLED", "CALL_LIMIT", "MEMORY_LIMIT"}, ends
        equal(host.execute("await Promise.all(Array.from({length: 500}, () => mcp.echo.it())); return 1")["result"], 1)


@test
def floods_of_logs_harm_no_other_run():
    with watched(32768) as host:
        together = [host.start("for (;;) console.log('x'.repeat(10000))") for _ in range(16)]
        for _ in range(5):
            host.is_well()
        equal({host.end(run) for run in together}, {"CANCELLED"})
        equal(host.execute("console.log('heard'); return 1")["logs"], ["heard"])


@test
def runs_that_never_read_their_answers_harm_no_other_run():
    answers, answer = [], json.dumps("x" * (8 * MIB))
    never = "for (let i = 0; i < 40; i++) mcp.big.one(); for (;;);"
    with watched(65536) as host:
        host.big = lambda call: answers.append(call.reply(answer))
        together = [host.start(never) for _ in range(3)]
        host.step_until(lambda: len(answers) == 120, 60, "all calls")
        equal(set(answers), {0, E_TOOBIG})
        assert answers.count(0) >= 3 * 31, answers
        host.is_well()
        equal({host.end(run) for run in together}, {"CANCELLED"})
        equal(host.execute("return (await mcp.big.one()).length")["result"], 8 * MIB)


@test
def runs_that_never_take_their_job_harm_no_other_run():
    """A stopped worker does not even read its code."""
    with watched() as host:
        stopped = [(pid, worker) for pid in zygotes() for worker in workers(pid)]
        for zygote, worker in stopped:
            assert kill(worker, zygote, signal.SIGSTOP)
        together = [host.start("return 1", timeout_ms=300) for _ in stopped]
        for _ in range(3):
            host.is_well()
        equal({code_of(json.loads(host.finish(run))) for run in together}, {"EXECUTION_TIMEOUT"})


@test
def a_zygote_that_is_stopped_does_not_stop_those_who_have_a_worker():
    with watched() as host:
        honest = host.hold()
        zygote = host.zygote()
        assert kill(zygote, os.getpid(), signal.SIGSTOP)
        for _ in range(host.warm):
            host.is_well()
        equal(host.let_go(honest), "let go")
        assert kill(zygote, os.getpid(), signal.SIGCONT)


main()
