#!/usr/bin/env python3
"""resume_ended.t - a run that was cancelled, reached a limit or lost a server goes on; CAPRUN_SEED chooses the kills."""

import json
import os
import random
import re
import shutil
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import TORTURE, contains, each, equal, main, reap_orphans, stretched, test, wait_until, write_file
from journals import bodies_of, kind_of, lines_of, movable, read, recorder, seal, set_mark
from tools import OUTCOME

ONE = OUTCOME + "console.log('x'); const a = await mcp.s.echo({n: 1});"
STAYS = ONE + "await new Promise((r) => setTimeout(r, 1e6)); return a"


def path_of(r):
    """The only recorded run."""
    path, = [one for one in r.runs() if one.endswith(".jsonl")]
    return path


def id_of(path):
    return os.path.basename(path)[:36]


def ended(r, code, outcome, *words, hint="caprun resume ID"):
    """Runs |code| to its early end. Returns the path of the journal."""
    done = r.run("exec", "-", "--json", *words, code=code)
    equal(done.envelope["error"]["code"], outcome, done.err)
    path = path_of(r)
    if hint:
        contains(done.envelope["error"]["hint"], hint.replace("ID", id_of(path)))
    return path


def goes_on(r, path, *options, status=0):
    """Resumes the run; its journal is only appended to, and replays. Returns the envelope."""
    before = read(path)
    done = r.run("resume", id_of(path), "--json", *options)
    equal(done.status, status, done.err)
    assert read(path).startswith(before), "lines were rewritten"
    equal(r.replay(path), 0, r.err)
    return done.envelope


def refused(r, path, *words, options=()):
    before, calls = read(path), r.called("s")
    done = r.run("resume", id_of(path), *options)
    equal((done.status, done.out), (2, ""), done.err)
    contains(done.err, *words)
    equal((read(path), r.called("s")), (before, calls))


def undone(path):
    """The kinds of the lines that each "undo" takes back."""
    lines = lines_of(path)
    return [[kind_of(line) for line in lines[line["undo"] - 1:i]] for i, line in enumerate(lines) if "undo" in line]


# --- cancelled ---------------------------------------------------------------------------------


@each({"Ctrl-C": (signal.SIGINT, 130), "SIGTERM": (signal.SIGTERM, 143), "SIGHUP": (signal.SIGHUP, 129)})
def a_run_that_a_signal_has_ended_goes_on(case):
    number, status = case
    with recorder(s={}) as r:
        code = ONE + "const b = await outcome(mcp.s.never({})); return [a, b.code, await mcp.s.echo({n: 2})]"
        running = r.start("exec", "-", code=code)
        wait_until(lambda: "never" in r.called("s"), 20, "the call")
        running.send(number)
        done = running.end()
        equal(done.status, status, done.err)
        path = path_of(r)
        contains(done.err, f"caprun resume {id_of(path)}\n")
        refused(r, path, "it is not known whether call 2 was carried out")
        envelope = goes_on(r, path, "--fail-unknown")
        equal(envelope["result"], [{"n": 1}, "RPC_ERROR", {"n": 2}])
        equal([call["state"] for call in envelope["calls"]], ["done", "in_flight_unknown", "done"])
        equal((r.called("s"), undone(path)), (["echo", "never", "echo"], [["end"]]))
        refused(r, path, "has ended (SUCCESS)", "caprun replay")


@test
def runs_says_that_it_can_be_resumed():
    with recorder(s={}) as r:
        path = ended(r, ONE + "await new Promise((r) => setTimeout(r, 1e6))", "EXECUTION_TIMEOUT", "--timeout", "1s",
                     hint="caprun resume ID --timeout 2s")
        contains(r.run("runs").out, "EXECUTION_TIMEOUT*", "* caprun resume RUN goes on with it")
        contains(r.run("runs", id_of(path)).out, f"  caprun resume {id_of(path)} --timeout 2s\n")
        equal(r.run("runs", "--json").envelope["runs"][0]["resumable"], True)
        equal(r.run("runs", id_of(path), "--json").envelope["resumable"], True)
    with recorder(s={}) as r:
        equal(r.run("exec", "-", code="return 1").status, 0)
        assert "*" not in r.run("runs").out
        equal(r.run("runs", "--json").envelope["runs"][0]["resumable"], False)


@test
def a_run_that_was_recorded_elsewhere_is_named_by_its_path():
    with recorder(s={}) as r:
        for name, word in (("j", "./j"), ("k.jsonl", "k.jsonl")):
            code = "await new Promise((r) => setTimeout(r, 700)); return 1"
            done = r.run("exec", "-", "--record", name, "--timeout", "300ms", code=code)
            contains(done.err, f"caprun resume {word} --timeout 600ms\n")
            equal(r.run("resume", word, "--timeout", LONG).out, "1\n")
        equal(r.runs(), [])


# --- its own limits ----------------------------------------------------------------------------

WAITS = ONE + f"await new Promise((r) => setTimeout(r, {int(stretched(1500))})); return [a, await mcp.s.echo({{n: 2}})]"
SPINS = ONE + "for (let i = 0; i < 4e7; i++) a.n += i % 2 ? 1 : -1; return [a, await mcp.s.echo({n: 2})]"
GROWS = ONE + "const all = []; for (let i = 0; i < 50; i++) all.push('x'.repeat(1 << 20) + i);" \
              "return [a, await mcp.s.echo({n: 2})]"
LONG, SHORT = f"{int(stretched(60000))}ms", f"{int(stretched(700))}ms"
# (code, the end, options, limits of the configuration, what is not enough, what is enough, and these limits)
LIMITS = {
    "wall time": (WAITS, "EXECUTION_TIMEOUT", ["--timeout", SHORT], {}, ["--timeout", SHORT], ["--timeout", LONG], {}),
    "CPU time": (SPINS, "CPU_TIMEOUT", ["--cpu", "20ms", "--timeout", LONG], {}, ["--cpu", "20ms"], ["--cpu", LONG], {}),
    "memory": (GROWS, "MEMORY_LIMIT", ["--memory", "24m"], {}, ["--memory", "20m"], ["--memory", "256m"], {}),
    "calls": (ONE + "return [a, await mcp.s.echo({n: 2})]", "CALL_LIMIT", [], {"maxCalls": 1}, [], [], {"maxCalls": 2}),
    "output": (ONE + "await mcp.s.echo({n: 2}); return [a, {n: 2}]", "OUTPUT_LIMIT", [], {"resultBytes": 9}, [], [],
               {"resultBytes": 100}),
}


@each(LIMITS)
def a_run_that_has_reached_a_limit_goes_on_with_a_larger_one(case):
    code, outcome, options, limits, too_little, enough, larger = case
    with recorder(s={}, settings={"limits": limits}) as r:
        path = ended(r, code, outcome, *options)
        refused(r, path, "limit" if outcome != "EXECUTION_TIMEOUT" else "already, and may have", options=too_little)
        r.serve({"s": {}}, limits=larger)
        envelope = goes_on(r, path, *enough)
        equal(envelope["result"], [{"n": 1}, {"n": 2}])
        equal([call["state"] for call in envelope["calls"]], ["done"] * 2)
        equal(r.called("s"), ["echo"] * 2)
        equal(len(undone(path)), 1)


@test
def a_run_can_end_and_go_on_several_times():
    with recorder(s={}) as r:
        code = OUTCOME + "let n = 0; for (;;) { await mcp.s.echo({n: ++n}); console.log(n); if (n === 4) return n;" \
                         f" await new Promise((r) => setTimeout(r, {int(stretched(600))})) }}"
        path = ended(r, code, "EXECUTION_TIMEOUT", "--timeout", f"{int(stretched(500))}ms")
        for ms in (1100, 1700):
            envelope = goes_on(r, path, "--timeout", f"{int(stretched(ms))}ms", status=4)
            contains(envelope["error"]["hint"], f"caprun resume {id_of(path)} --timeout")
        envelope = goes_on(r, path, "--timeout", LONG)
        equal((envelope["result"], envelope["logs"]), (4, ["1", "2", "3", "4"]))
        equal((len(r.called("s")), len(undone(path))), (4, 3))


@test
def a_run_that_reaches_the_limit_before_it_is_live_still_replays_and_goes_on():
    with recorder(s={}) as r:
        path = ended(r, SPINS, "CPU_TIMEOUT", "--cpu", "20ms", "--timeout", LONG)
        for ms in (21, 22):
            goes_on(r, path, "--cpu", f"{ms}ms", status=4)
        refused(r, path, "ended at its limit of CPU time", options=("--cpu", "22ms"))
        equal(goes_on(r, path, "--cpu", LONG)["result"], [{"n": 1}, {"n": 2}])
        equal((len(r.called("s")), len(undone(path))), (2, 3))


@test
def an_ended_run_is_resumed_after_a_restart_and_a_resumed_one_only_on_request():
    """What a resume takes back is on disk before it makes a call: then the last second may be missing again."""
    with recorder(s={}) as r:
        path = ended(r, WAITS, "EXECUTION_TIMEOUT", "--timeout", SHORT)
        boot = lines_of(path)[0]["boot"].encode()
        write_file(path, seal([body.replace(boot, b"1" * len(boot)) for body in bodies_of(read(path))]))
        set_mark(path)
        whole = read(path)
        equal(goes_on(r, path, "--timeout", LONG)["result"], [{"n": 1}, {"n": 2}])
        bodies = bodies_of(read(path))[:len(bodies_of(whole)) + 1]
        contains(bodies[-1].decode(), '"undo":', boot.decode())
        write_file(path, seal([body.replace(boot, b"1" * len(boot)) for body in bodies]))
        refused(r, path, "the machine was restarted since", options=("--fail-unknown", "--timeout", LONG))
        equal(goes_on(r, path, "--retry-unknown", "--timeout", LONG)["result"], [{"n": 1}, {"n": 2}])


# --- a lost server -----------------------------------------------------------------------------

LOST = ONE.replace("echo({n: 1})", "echo({n: 1}).finally(() => console.log('lost'))") + "return [a, await mcp.s.echo({n: 2})]"


@test
def a_run_that_has_lost_its_server_goes_on():
    with recorder(s={"exitOn": ["tools/call"]}) as r:
        path = ended(r, LOST, "RPC_ERROR")
        equal(len(r.called("s")), 1)
        r.serve({"s": {}})
        refused(r, path, "it is not known whether call 1 was carried out")
        envelope = goes_on(r, path, "--retry-call", "1")
        equal((envelope["result"], len(r.called("s"))), ([{"n": 1}, {"n": 2}], 3))
        equal(undone(path), [["to fail", "from log", "from threw", "end"]])


@test
def a_lost_call_of_an_idempotent_tool_is_made_again():
    with recorder(s={"exitOn": ["tools/call"]}) as r:
        path = ended(r, LOST, "RPC_ERROR")
        r.serve({"s": {"config": {"idempotent": ["echo"]}}})
        equal(goes_on(r, path)["result"], [{"n": 1}, {"n": 2}])


@test
def a_call_to_a_server_that_could_not_be_started_is_sent_now():
    with recorder(s={"bootExit": 3}) as r:
        path = ended(r, LOST, "RPC_ERROR")
        r.serve({"s": {}})
        envelope = goes_on(r, path)
        equal((envelope["result"], len(r.called("s"))), ([{"n": 1}, {"n": 2}], 2))


@test
def what_another_server_has_answered_stays_answered():
    with recorder(s={"exitOn": ["tools/call"]}, t={}) as r:
        code = "const b = mcp.t.echo({n: 2}); await b; const c = mcp.t.sleep({ms: 300}); await Promise.all([mcp.s.echo({n: 1}), c]);" \
               "return [await b, await c]"
        path = ended(r, code, "RPC_ERROR")
        r.serve({"s": {}, "t": {}})
        envelope = goes_on(r, path, "--retry-unknown")
        equal(envelope["result"][0], {"n": 2})
        equal(r.called("t")[0], "echo")
        equal(r.called("t").count("echo"), 1)


@test
def a_call_without_an_answer_in_time_is_unknown():
    with recorder(s={"silent": ["tools/call"]}) as r:
        path = ended(r, LOST, "RPC_TIMEOUT", "--rpc-timeout", "300ms")
        r.serve({"s": {}})
        refused(r, path, "it is not known whether call 1 was carried out")
        equal(goes_on(r, path, "--retry-unknown")["result"], [{"n": 1}, {"n": 2}])


# --- ends that stay ----------------------------------------------------------------------------

# (code, status, what is said)
FINAL = {
    "an error of its own": ("await mcp.s.echo({}); throw new Error('mine')", 1, "has ended (CODE_ERROR): there is nothing to resume"),
    "an error of a tool": ("await mcp.s.fail({text: 'no'})", 1, "has ended (TOOL_ERROR)"),
    "a tool that does not exist": ("await mcp.s.nosuch({})", 1, "has ended (RPC_ERROR): there is nothing to resume"),
    "an answer that is an error": ("await mcp.s.error({code: -32000})", 1, "has ended (RPC_ERROR): there is nothing to resume"),
    "a denial": ("eval('1')", 3, "has ended (PERMISSION_DENIED)"),
    "nothing to wait for": ("await new Promise(() => 0)", 1, "has ended (STALLED)"),
    "other calls after the loss": ("try { await mcp.s.crash({}) } finally { await mcp.t.echo({}) }", 1,
                                   "the code made other calls after one was lost"),
}


@each(FINAL)
def a_run_that_has_ended_by_itself_is_not_resumed(case):
    code, status, words = case
    with recorder(s={}, t={}) as r:
        done = r.run("exec", "-", code=code)
        equal(done.status, status, done.err)
        assert "caprun resume" not in done.err, done.err
        refused(r, path_of(r), words)
        assert "caprun resume" not in r.run("runs", id_of(path_of(r))).out


@test
def a_copy_of_a_run_that_has_ended_is_resumed_only_when_told_to():
    """The run may have gone on in the original."""
    with recorder(s={}) as r:
        path, other = ended(r, STAYS, "EXECUTION_TIMEOUT", "--timeout", "1s"), r.fresh()
        shutil.copy(path, other)
        goes_on(r, path, "--timeout", "2s", status=4)
        before, done = read(other), r.run("resume", other, "--timeout", "2s")
        equal((done.status, read(other)), (2, before), done.err)
        contains(done.err, "is not in its original file", "--retry-unknown")
        contains(r.run("runs", other).out, "is not in its original file", "--retry-unknown")
        equal(r.run("resume", other, "--retry-unknown", "--timeout", "2s").status, 4)
        equal(r.replay(other), 0, r.err)


# --- the format --------------------------------------------------------------------------------


def cancelled(r):
    """A journal with an end that can be taken back, and what a resume appends to it."""
    path = ended(r, STAYS, "EXECUTION_TIMEOUT", "--timeout", "1s")
    whole = movable(read(path))
    write_file(path, whole)
    goes_on(r, path, "--timeout", "2s", status=4)
    return whole, read(path)[len(whole):]


@test
def a_line_that_takes_back_the_end_may_be_torn_and_nothing_else():
    with recorder(s={}) as r:
        whole, more = cancelled(r)
        undo = more.splitlines(keepends=True)[0]
        for count in (1, 7, 9, 20, len(undo) - 1):
            torn = r.write(whole + undo[:count])
            equal(r.replay(torn), 0, r.err)
            equal(r.run("resume", torn, "--timeout", "2s").status, 4)
            equal(r.replay(torn), 0, r.err)
        for bad in (b"x", b'{"at":5,"to"', undo[:9] + b"x"):
            equal(r.replay(r.write(whole + bad)), 2)
            contains(r.err, "something after the end")


@test
def what_can_not_be_taken_back_is_rejected():
    with recorder(s={}) as r:
        whole, more = cancelled(r)
        lines = bodies_of(whole)
        undo = bodies_of(more)[0]
        number = json.loads(undo + b"}")["undo"]
        at = f'"undo":{number}'.encode()
        for other in (number - 1, number + 1, 0, 99999):
            equal(r.replay(r.write(seal([*lines, undo.replace(at, f'"undo":{other}'.encode())]))), 2)
            contains(r.err, "JOURNAL_INVALID", "it takes back other lines")
        equal(r.replay(r.write(seal([*lines[:-1], undo]))), 2)
        contains(r.err, "the run has not ended")
        bad_end = lines[-1].replace(b"EXECUTION_TIMEOUT", b"STALLED")
        equal(r.replay(r.write(seal([*lines[:-1], bad_end, undo]))), 2)
        contains(r.err, "there is nothing to resume")
        equal(r.replay(r.write(seal([*lines, undo.partition(b',"limits"')[0]]))), 2)
        contains(r.err, '"limits" is missing')
        equal(r.replay(r.write(seal([*lines, re.sub(rb'"boot":"[^"]*",', b"", undo)]))), 2)
        contains(r.err, '"boot" is missing')


# --- killed while it goes on -------------------------------------------------------------------


@test
def a_run_that_goes_on_after_its_end_can_be_killed_at_any_moment():
    chance = random.Random(os.environ.get("CAPRUN_SEED") or 7)
    code = OUTCOME + "const all = []; for (let n = 1; n <= 8; n++) { all.push(await outcome(mcp.s.echo({n})));" \
                     "await new Promise((r) => setTimeout(r, 20)) } return all.map((o) => o.value?.n ?? o.code)"
    for _ in range(40 if TORTURE else 4):
        with recorder(s={}) as r:
            running = r.start("exec", "-", code=code)
            wait_until(lambda: len(r.called("s")) >= 3, 20, "calls")
            running.send(signal.SIGINT)
            equal(running.end().status, 130)
            path = path_of(r)
            for _ in range(3):
                before, moment = read(path), chance.randrange(1, 1500)
                running = r.start("resume", id_of(path), "--fail-unknown")
                wait_until(lambda: len(read(path)) > len(before) + moment or not running_still(running), 20, "lines")
                running.send(signal.SIGKILL)
                running.end()
                wait_until(lambda: not reap_orphans(), 20, "the end of orphans")
                if b'"end":"SUCCESS"' in read(path):
                    break
            if b'"end":"SUCCESS"' not in read(path):
                equal(r.run("resume", id_of(path), "--fail-unknown").status, 0)
            equal(r.replay(path), 0, r.err)
            made = [json.dumps(line["params"]["arguments"]) for line in r.trace("s") if line.get("method") == "tools/call"]
            equal(len(made), len(set(made)), made)


def running_still(running):
    return os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


main()
