#!/usr/bin/env python3
"""replay_compare.t - `caprun replay --compare`: other code that makes the calls in another order, or other calls."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, test, write_file
from journals import bodies_of, read, recorder, seal
from tools import OUTCOME

SEQUENCE = OUTCOME + "const a = await mcp.s.echo({n: 1}); console.log('one'); const b = await mcp.s.echo({n: 2});" \
                     "const c = await mcp.s.echo({n: 2}); return [a.n, b.n, c.n]"


def replayed(r, path, code, how, *words):
    return r.run("replay", path, "--code", write_file(os.path.join(r.root, "other.js"), OUTCOME + code), "--compare", how,
                 *words)


def is_same(r, path, code, how):
    done = replayed(r, path, code, how)
    equal((done.status, done.out.split()[0]), (0, "same"), done.err)


def differs(r, path, code, how, *parts):
    done = replayed(r, path, code, how)
    equal((done.status, done.out.split()[0]), (8, "differs"), done.err)
    contains(done.err, "REPLAY_DIFFERED", *parts)


REORDERED = {
    "as it was": SEQUENCE.removeprefix(OUTCOME),
    "without the log": SEQUENCE.removeprefix(OUTCOME).replace("console.log('one');", ""),
    "in parallel": "const all = await Promise.all([2, 1, 2].map((n) => mcp.s.echo({n})));"
                   "return all.map((one) => one.n).sort((x, y) => x - y)",
    "backwards": "const c = await mcp.s.echo({n: 2}), b = await mcp.s.echo({n: 2}), a = await mcp.s.echo({n: 1});"
                 "return [a.n, b.n, c.n]",
}


@each(REORDERED)
def the_same_calls_in_any_order_are_the_same(code):
    with recorder(s={}) as r:
        path = r.record(SEQUENCE)
        for how in ("calls", "result"):
            is_same(r, path, code, how)
        equal(len(r.called("s")), 3)


# code: what is said with "calls", and with "result"; None: it is the same
OTHER = {
    "other args": ("const a = await mcp.s.echo({n: 1}); await mcp.s.echo({n: 2}); await mcp.s.echo({n: 3}); return [1, 2, 2]",
                   ["Call 3 is not what was recorded", 'recorded: s:echo {"n":2}', 'now:      s:echo {"n":3}', "~ /n: 2 → 3"],
                   ["Call 3 is not what was recorded", "~ /n: 2 → 3"]),
    "another tool": ("await mcp.s.fail({n: 1}); return 1", ["Call 1 is new", "recorded: nothing", "now:      s:fail"],
                     ["Call 1 is new"]),
    "fewer calls": ("await mcp.s.echo({n: 2}); await mcp.s.echo({n: 1}); return [1, 2, 2]",
                    ["Call 3 is missing", 'recorded: s:echo {"n":2}', "the run has ended without it"], None),
    "more calls": ("for (const n of [1, 1, 2, 2, 2]) await mcp.s.echo({n}); return [1, 2, 2]",
                   ["Call 2 is not what was recorded"], None),
    "another result": ("for (const n of [2, 1, 2]) await mcp.s.echo({n}); return [1, 2, 3]",
                       ["The end is not what was recorded", "recorded: it returned [1,2,2]", "now:      it returned [1,2,3]",
                        "~ /2: 2 → 3"], ["The end is not what was recorded"]),
    "an error": ("for (const n of [2, 1, 2]) await mcp.s.echo({n}); throw new TypeError('no')",
                 ["The end is not what was recorded", "now:      it threw TypeError: no"], ["now:      it threw TypeError: no"]),
    "an endless wait": ("for (const n of [2, 1, 2]) await mcp.s.echo({n}); await new Promise(() => 0)",
                        ["The end is not what was recorded", "recorded: SUCCESS", "now:      STALLED"], ["STALLED"]),
}


@each(OTHER)
def other_calls_or_another_end_differ(case):
    code, calls, result = case
    with recorder(s={}) as r:
        path = r.record(SEQUENCE)
        differs(r, path, code, "calls", *calls)
        if result:
            differs(r, path, code, "result", *result)
        else:
            is_same(r, path, code, "result")


@test
def equal_calls_get_their_answers_in_the_recorded_order():
    """Forges the journal of a tool that gives another answer each time."""
    with recorder(s={}) as r:
        path = r.record("const all = []; for (let i = 0; i < 3; i++) all.push((await mcp.s.echo({k: 7})).k); return all")
        bodies = []
        for body in bodies_of(read(path)):
            line = json.loads(body + b"}")
            if line.get("to") == "reply":
                body = body.replace(b'"k":7', b'"k":%d' % line["n"])
            bodies.append(body.replace(b"[7,7,7]", b"[1,2,3]"))
        path = r.write(seal(bodies))
        equal(r.replay(path), 0, r.err)
        for code in ("return (await Promise.all([7, 7, 7].map((k) => mcp.s.echo({k})))).map((one) => one.k)",
                     "const a = mcp.s.echo({k: 7}), b = await mcp.s.echo({k: 7}); return [(await a).k, b.k, (await mcp.s.echo({k: 7})).k]"):
            is_same(r, path, code, "calls")
        four = "const all = []; for (let i = 0; i < 4; i++) all.push((await mcp.s.echo({k: 7})).k); return all"
        differs(r, path, four, "result", "now:      it returned [1,2,3,3]")


@test
def an_error_is_the_same_in_another_place_and_by_another_call():
    with recorder(s={}) as r:
        path = r.record("await mcp.s.echo({n: 1}); await mcp.s.fail({text: 'no'})", status=1)
        is_same(r, path, "\n\n  await Promise.all([mcp.s.fail({text: 'no'}), mcp.s.echo({n: 1})])", "calls")
        path = r.record("await mcp.s.echo({n: 1}); throw new TypeError('mine')", status=1)
        is_same(r, path, "\n await mcp.s.echo({n: 1}); throw new TypeError('mine')", "calls")
        differs(r, path, "await mcp.s.echo({n: 1}); throw new TypeError('other')", "result", "The end is not what was recorded")


@test
def each_call_takes_as_long_as_it_took_and_timers_fire_when_due():
    with recorder(s={}) as r:
        path = r.record("await mcp.s.sleep({ms: 300}); await mcp.s.sleep({ms: 100}); return 'x'")
        code = """
            const order = [], call = (ms) => mcp.s.sleep({ms}).then(() => order.push(ms));
            const timer = (ms) => new Promise((r) => setTimeout(r, ms)).then(() => order.push(`timer ${ms}`));
            const at = [performance.now(), Date.now()];
            await Promise.all([call(300), call(100), timer(1), timer(1e5)]);
            if (order.join() !== "timer 1,100,300,timer 100000") return order.join();
            const took = [performance.now() - at[0], Date.now() - at[1]];
            return took.every((ms) => ms >= 1e5 && ms < 1.1e5) ? "x" : took;"""
        is_same(r, path, code, "calls")


@test
def a_call_that_was_never_answered_is_waited_for_in_vain():
    with recorder(s={}) as r:
        path = r.record("mcp.s.never({}); return 1")
        is_same(r, path, "mcp.s.never({}); return 1", "calls")
        differs(r, path, "await mcp.s.never({}); return 1", "calls", "it waits for the answer to call 1")


@test
def long_values_are_matched_too():
    with recorder(s={}) as r:
        path = r.record("const t = 'x'.repeat(100000); const a = await mcp.s.echo({t, n: 1}), b = await mcp.s.echo({t, n: 2});"
                        "return [a.n, b.n, b.t]")
        is_same(r, path, "const t = 'x'.repeat(100000); const [b, a] = await Promise.all([2, 1].map((n) => mcp.s.echo({t, n})));"
                         "return [a.n, b.n, b.t]", "calls")


@test
def a_run_that_was_ended_from_outside_has_no_result():
    with recorder(s={}) as r:
        path = r.record("await new Promise((r) => setTimeout(r, 1e6))", "--timeout", "300ms", status=4)
        equal(r.replay(path), 0, r.err)
        for how in ("calls", "result"):
            done = r.run("replay", path, "--compare", how)
            equal(done.status, 2, done.err)
            contains(done.err, "has no result to compare with", "EXECUTION_TIMEOUT")


@test
def options_and_json():
    with recorder(s={}) as r:
        path = r.record(SEQUENCE)
        for how in ("exact", "calls", "result"):
            one, = json.loads(r.run("replay", path, "--json", "--compare", how).out)["replays"]
            equal((one["same"], one["compare"], one["calls"]), (True, how, 3))
        one, = json.loads(r.run("replay", path, "--json").out)["replays"]
        equal(one["compare"], "exact")
        one, = json.loads(replayed(r, path, "await mcp.s.echo({n: 9})", "calls", "--json").out)["replays"]
        equal((one["same"], one["outcome"], one["compare"]), (False, "REPLAY_DIFFERED", "calls"))
        contains(one["message"], "Call 1 is not what was recorded", "~ /n: 1 → 9")
        for words, said in ((["--compare", "some"], "'some' is not a way to compare"),
                            (["--compare", "calls", "--speed", "real"], "--speed real needs the recorded order")):
            done = r.run("replay", path, *words)
            equal(done.status, 2)
            contains(done.err, said)
        equal(r.run("exec", "-", "--compare", "calls", code="return 1").status, 2)


main()
