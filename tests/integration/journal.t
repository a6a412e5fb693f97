#!/usr/bin/env python3
"""journal.t - what is recorded, when and where, and that runs with every outcome can be replayed."""

import datetime
import json
import os
import re
import shutil
import signal
import stat
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import CAPRUN, SANITIZED, contains, each, equal, main, need, need_program, test, wait_until, write_file
from journals import bodies_of, kind_of, lines_of, read, recorder, seal

LIMITS = ["timeoutMs", "cpuMs", "rpcTimeoutMs", "memoryBytes", "resultBytes", "logBytes", "maxCalls",
          "maxConcurrentCalls"]
HOLD = "console.log('going'); await mcp.s.never(); return 1"


NAME = "acme.tools.text.one"


def mode(path):
    return oct(stat.S_IMODE(os.stat(path).st_mode))


# --- the format --------------------------------------------------------------------------------


@test
def the_first_line_has_all_inputs_of_the_run():
    with recorder(s={}) as r:
        code, args = "return [args.x, 'é\\n']", '{"x": [1, {"y": null}]}'
        head = lines_of(r.record(code, args, "--timeout", "7s", "--memory", "64m"))[0]
        equal(list(head), ["journal", "run", "time", "caprun", "engine", "prelude", "boot", "origin", "limits", "onDenied",
                           "seed", "codeName", "wording", "language", "code", "args", "_file"])
        equal((head["journal"], head["code"], head["args"]), (2, code, json.loads(args)))
        equal((list(head["limits"]), head["limits"]["timeoutMs"], head["limits"]["memoryBytes"]), (LIMITS, 7000, 64 << 20))
        assert re.fullmatch(r"[0-9a-f]{80}", head["seed"]) and re.fullmatch(r"[0-9a-f-]{36}", head["run"]), head
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", head["time"]), head["time"]
        contains(head["engine"], "quickjs")


@test
def a_time_zone_from_a_file_without_an_end_stops_no_run():
    """The functions of libc for dates read the file that TZ names, even for UTC."""
    with recorder(s={}) as r:
        fifo = os.path.join(r.root, "zone")
        os.mkfifo(fifo)
        before = time.time()
        r.publish(NAME + ".0123abcd", "return 1", publishedAt="2026-01-01T00:00:00Z")
        r.serve({"s": {}}, registries=[r.registry])
        for words in (("exec", "-"), (NAME,)):
            done = r.run(*words, code="return 1", env={"TZ": ":" + fifo})
            equal((done.status, done.out), (0, "1\n"), done.err)
        for path in r.runs():
            date = datetime.datetime.fromisoformat(lines_of(path)[0]["time"].replace("Z", "+00:00")).timestamp()
            assert before - 1 < date < time.time() + 1, (before, date)


@test
def the_lines_stand_in_the_order_in_which_things_happened():
    with recorder(s={}) as r:
        path = r.record("console.log('a'); await mcp.s.echo({b: 1}); try { eval('1') } catch {}"
                        "await new Promise(r => setTimeout(() => setTimeout(r, 1), 1)); return 'c'")
        lines = lines_of(path)
        equal([kind_of(line) for line in lines],
              ["journal", "to job", "from log", "from call", "send", "to reply", "from blocked", "to wake", "to wake",
               "from done", "end"])
        times = [line["at"] for line in lines[1:]]
        equal(times, sorted(times))
        equal((lines[3]["n"], lines[3]["method"], lines[3]["args"]), (1, "s:echo", {"b": 1}))
        equal((lines[4]["send"], lines[4]["tool"], lines[4]["decision"], lines[4]["by"]), (1, "s:echo", "allow", "rule:*"))
        equal((lines[5]["n"], lines[5]["json"]["structuredContent"]), (1, {"b": 1}))
        equal((lines[-2]["result"], lines[-1]["end"], lines[-1]["calls"]), ("c", "SUCCESS", 1))


@test
def each_line_has_a_hash_of_all_before_it():
    with recorder(s={}) as r:
        text = read(r.record("console.log('é'); return mcp.s.echo({a: [1, 2]})"))
        equal(seal(bodies_of(text)), text)


@test
def the_output_is_the_same_as_without_a_journal():
    with recorder(s={}) as r:
        code = "console.log('x'); return mcp.s.echo({a: 1})"
        path = r.fresh()
        with_it, without = r.run("exec", "-", "--record", path, code=code), r.run("exec", "-", code=code)
        equal((with_it.out, with_it.err), (without.out, without.err))
        equal(r.replay(path), 0)
        equal((r.out, r.err), (f"same     {path}  SUCCESS, 1 call\n", ""))


@test
def a_file_that_is_there_is_not_overwritten():
    with recorder(s={}) as r:
        path = write_file(r.fresh(), "mine")
        for target in (path, os.path.join(r.root, "nowhere/x.jsonl"), r.root):
            done = r.run("exec", "-", "--record", target, code="return mcp.s.echo({})")
            equal((done.status, done.out), (2, ""))
            contains(done.err, "USAGE", target)
        equal((read(path), r.trace("s")), (b"mine", []))


@test
def a_capability_is_recorded_with_its_name_and_its_pins():
    with recorder() as r:
        r.publish(code="return args.text + args.text")
        path = r.fresh()
        equal(r.upper("--record", path).out, '"aa"\n')
        head = lines_of(path)[0]
        equal((head["origin"]["fqdn"], head["tools"]), ("acme.tools.text.upper.0123abcd", []))
        equal(sorted(head["origin"]), ["code", "config", "fqdn", "metadata", "registry"])
        os.remove(r.path("acme.tools.text.upper.0123abcd", "js"))  # it is not needed
        equal(r.replay(path), 0, r.err)


# --- every kind of end ---------------------------------------------------------------------------

# name: (code, options, exit status, outcome)
ENDS = {
    "success": ("return mcp.s.echo({})", [], 0, "SUCCESS"),
    "nothing at all": ("", [], 0, "SUCCESS"),
    "a syntax error": ("return (", [], 1, "CODE_ERROR"),
    "a syntax error in a module": ("export default (", [], 1, "CODE_ERROR"),
    "an error": ("console.log(1); throw new TypeError('é\\n')", [], 1, "CODE_ERROR"),
    "an error in a timer": ("setTimeout(() => { throw null }, 1); await mcp.s.never()", [], 1, "CODE_ERROR"),
    "a result that is no JSON": ("return 1n", [], 1, "CODE_ERROR"),
    "a tool's error": ("return mcp.s.fail({})", [], 1, "TOOL_ERROR"),
    "a call that fails": ("return mcp.s.error({code: -32000})", [], 1, "RPC_ERROR"),
    "a server that dies": ("return mcp.s.crash({})", [], 1, "RPC_ERROR"),
    "stalled": ("await new Promise(() => {})", [], 1, "STALLED"),
    "denied by a rule": ("return mcp.s.echo({})", ["--deny", "s:*"], 3, "PERMISSION_DENIED"),
    "denied by the sandbox": ("await fetch('http://a.b/')", [], 3, "PERMISSION_DENIED"),
    "out of time": ("console.log('x'); for (;;) ;", ["--timeout", "200ms"], 4, "EXECUTION_TIMEOUT"),
    "out of time in a call": ("await mcp.s.never()", ["--timeout", "300ms"], 4, "EXECUTION_TIMEOUT"),
    "out of time in a builtin": ("[].reverse.call({length: 2**53 - 1})", ["--timeout", "200ms"], 4, "EXECUTION_TIMEOUT"),
    "out of time while it logs": ("for (;;) console.log('x')", ["--timeout", "200ms"], 4, "EXECUTION_TIMEOUT"),
    "out of CPU time": ("for (;;) ;", ["--cpu", "200ms"], 4, "CPU_TIMEOUT"),
    "a call out of time": ("await mcp.s.never()", ["--rpc-timeout", "200ms"], 4, "RPC_TIMEOUT"),
    "out of memory": ("const a = []; for (;;) a.push('x'.repeat(999) + a.length)", ["--memory", "32m"], 5, "MEMORY_LIMIT"),
    "out of memory in a call": ("await mcp.s.echo({}); 'x'.repeat(2**29).split('')", ["--memory", "32m"], 5, "MEMORY_LIMIT"),
    "too many calls": ("for (let i = 0; i < 9; i++) await mcp.s.echo({i})", [], 5, "CALL_LIMIT"),
    "too many calls at once": ("for (let i = 0; i < 9; i++) mcp.s.echo({i})", [], 5, "CALL_LIMIT"),
    "too long a result": ("return 'x'.repeat(17 << 20)", [], 5, "OUTPUT_LIMIT"),
    "a log that is cut": ("for (let i = 0; i < 10500; i++) console.log(i)", [], 0, "SUCCESS"),
    "a thousand attempts": ("for (let i = 0; i < 1000; i++) try { eval('1') } catch {}", [], 0, "SUCCESS"),
}


@each(ENDS)
def a_run_replays_however_it_ends(case):
    code, options, status, end = case
    with recorder(s={}, settings={"limits": {"maxCalls": 5}}) as r:
        path = r.record(code, *options, status=status)
        equal(lines_of(path)[-1]["end"], end)
        starts = len(r.starts("s"))
        for _ in range(3):
            equal(r.replay(path), 0, f"{r.out} {r.err:.2000}")
        equal(len(r.starts("s")), starts, "servers that a replay has not started")


NEST = "const nest = (n) => { let v = 1; while (n--) v = [v]; return v };"


@each({"the result": ("return nest({n})", "{}"), "args of a call": ("await mcp.nobody.x(nest({n})).catch(() => 0)", "{}"),
       "args": ("return args.a.length", "nested")})
def values_as_deep_as_they_may_be_replay(case):
    code, args = case
    with recorder() as r:
        for n in (998, 999, 1000):
            given = '{"a":%s}' % ("[" * (n - 1) + "]" * (n - 1)) if args == "nested" else args
            path = r.record(NEST + code.replace("{n}", str(n)), given)
            equal(r.replay(path), 0, f"{n} levels: {r.err}")


@each({"SIGINT": signal.SIGINT, "SIGTERM": signal.SIGTERM})
def a_cancelled_run_replays_as_cancelled(number):
    for code in (HOLD, "console.log('going'); for (;;) ;", "console.log('going'); await new Promise(r => setTimeout(r, 1e6))"):
        with recorder(s={}) as r:
            path = r.fresh()
            process = r.start("exec", "-", "--record", path, code=code)
            process.wait_for_log("going")
            if code == HOLD:
                wait_until(lambda: "never" in r.called("s"), 10, "the call")
            process.send(number)
            equal(process.end().status, 128 + number)
            equal(lines_of(path)[-1]["end"], "CANCELLED")
            equal(r.replay(path), 0, r.err)


@test
def a_run_whose_worker_was_killed_replays_with_that_end():
    with recorder(s={}) as r:
        path = r.fresh()
        process = r.start("exec", "-", "--record", path, code=HOLD)
        wait_until(lambda: "never" in r.called("s"), 10, "the call")
        os.kill(process.family()[1], signal.SIGKILL)
        equal(process.end().status, 9)
        equal((r.replay(path), lines_of(path)[-1]["end"]), (0, "WORKER_TERMINATED"), r.err)


@each({"args that do not fit": ({"required": ["more"]}, 2, "VALIDATION_ERROR"),
       "a schema that is none": ({"type": "wrong"}, 6, "METADATA_INVALID"),
       "args that fit": ({"required": ["text"]}, 0, "SUCCESS")})
def a_capability_with_a_schema_replays(case):
    schema, status, end = case
    with recorder() as r:
        r.publish(parametersSchema=schema)
        path = r.fresh()
        equal(r.upper("--record", path).status, status)
        equal((r.replay(path), lines_of(path)[-1]["end"]), (0, end), r.err)


@test
def one_call_of_a_tool_is_recorded_and_replays():
    with recorder(s={}) as r:
        path = r.fresh()
        equal(r.run("call", "s:echo", '{"a":1}', "--record", path).out, '{"a":1}\n')
        equal((r.replay(path), lines_of(path)[0]["origin"]["tool"], r.called("s")), (0, "s:echo", ["echo"]), r.err)


@each({"timeoutMs": "timeoutMs", "cpuMs": "cpuMs"})
def a_slower_machine_replays_the_same(limit):
    """The code takes a tenth of a second; the journal is changed as if it had taken less than a hundredth."""
    with recorder() as r:
        text = read(r.record("let n = 0; for (let i = 0; i < 4e6; i++) n += i; return n"))
        bodies = bodies_of(text)
        bodies[0] = re.sub(rb'"%s":\d+' % limit.encode(), b'"%s":9' % limit.encode(), bodies[0])
        equal(r.replay(r.write(seal(bodies))), 0, r.err)


@each({"a call": "await mcp.s.echo({}).catch(() => 0); console.log('x'); return 1",
       "a call, and more in the same turn": "mcp.s.echo({}).catch(() => 0); console.log('x'); mcp.s.text({}); await mcp.s.never()",
       "an attempt": "try { await fetch('http://a.b/') } catch {} console.log('x')",
       "an attempt, and more in the same turn": "fetch('http://a.b/').catch(() => 0); console.log('x'); await mcp.s.never()"})
def a_run_that_ends_at_the_first_denial_replays_with_that_end(code):
    with recorder(s={}, permissions={"deny": ["s:*"]}, settings={"onDenied": "stop"}) as r:
        path = r.record(code, status=3)
        equal(r.replay(path), 0, r.err)
        r.serve({"s": {}}, {"deny": ["s:*"]})
        equal(r.replay(r.record(code.replace("await mcp.s.never()", ""))), 0, r.err)


@test
def a_run_that_gets_no_worker_replays_with_that_end():
    with recorder() as r:
        alone = shutil.copy(CAPRUN, r.root)  # its directory has no caprun-worker
        path = r.fresh()
        equal(r.run("exec", "-", "--record", path, code="return 1", program=alone).status, 70)
        equal([kind_of(line) for line in lines_of(path)], ["journal", "end"])
        equal((lines_of(path)[-1]["end"], r.replay(path)), ("INTERNAL", 0), r.err)
        equal(r.run("resume", path).status, 2)


@test
def the_journal_of_a_live_run_is_on_disk_after_a_second():
    need(not SANITIZED, "a sanitizer and strace cannot both trace")
    need_program("strace")
    with recorder() as r:
        trace = os.path.join(r.root, "trace")
        done = r.run("exec", "-", "--record", r.fresh(), code="await new Promise(r => setTimeout(r, 1200))",
                     under=["strace", "-f", "-e", "trace=fdatasync,execve", "-o", trace])
        lines = [line.split() for line in read(trace).decode().splitlines()]
        main_thread = lines[0][0]
        threads = [line[0] for line in lines if line[1].startswith("fdatasync(")]
        equal((done.status, len(threads) >= 1, main_thread in threads), (0, True, False), done.err)


# --- by default --------------------------------------------------------------------------------


@test
def runs_are_recorded_in_the_state_directory_that_only_this_user_can_read():
    with recorder(s={}) as r:
        envelope = r.execute("return mcp.s.echo({x: 'y'.repeat(70000)})")
        (path, blobs) = r.runs()
        equal(os.path.basename(path), f"{envelope['runId']}.jsonl")
        equal(blobs, path + ".d")
        for made in (r.state, f"{r.state}/caprun", f"{r.state}/caprun/runs", blobs):
            equal(mode(made), "0o700", made)
        for made in (path, *(os.path.join(blobs, name) for name in os.listdir(blobs))):
            equal(mode(made), "0o600", made)
        equal([r.replay(word) for word in (envelope["runId"], envelope["runId"][-8:], path)], [0, 0, 0], r.err)
        equal(mode(r.record("return 1")), "0o600")


@each({"all": (True, True), "failed": (False, True), "none": (False, False)})
def the_configuration_says_which_runs_are_kept(kept):
    which = {(True, True): "all", (False, True): "failed", (False, False): "none"}[kept]
    with recorder(s={}, settings={"record": which}) as r:
        equal(r.execute("return mcp.s.echo({x: 'y'.repeat(70000)})")["status"], 0)
        equal(len(r.runs()), 2 if kept[0] else 0)
        before = len(r.runs())
        equal(r.execute("throw 1")["status"], 1)
        equal(len(r.runs()) - before, 1 if kept[1] else 0)
        equal(r.replay(r.record("return 1")), 0)  # --record overrides the configuration


@test
def without_a_writable_state_directory_the_run_goes_on():
    with recorder(settings={"record": "all"}) as r:
        write_file(r.state, "no directory")
        done = r.run("exec", "-", code="return 1")
        equal((done.status, done.out), (0, "1\n"))
        contains(done.err, "the run is not recorded")
        equal(r.run("exec", "-", "-q", code="return 1").err, "")


@test
def a_journal_over_its_limit_is_cut_and_the_run_goes_on():
    with recorder(s={}, settings={"recordLimits": {"runMB": 1}}) as r:
        done = r.run("exec", "-", code="let n = 0; for (let i = 0; i < 9; i++) n += (await mcp.s.big({bytes: 200000})).length; return n")
        equal((done.status, done.out), (0, "1800000\n"))
        contains(done.err, "not recorded any more", "1048576 bytes")
        (path, _) = r.runs()
        equal(kind_of(lines_of(path)[-1]), "cut")
        for command in ("replay", "resume"):
            refused = r.run(command, path)
            equal(refused.status, 2)
            contains(refused.err, "JOURNAL_INVALID", f"{path}:{len(lines_of(path))}: the recording was stopped here")


@test
def old_journals_and_too_many_bytes_are_removed():
    with recorder(settings={"recordLimits": {"totalMB": 1, "days": 2}}) as r:
        def sweep():
            """A run whose journal is over a 64th of the limit removes old journals at its end."""
            equal(r.execute(f"console.log('x'.repeat(20000) + {r.count})")["status"], 0)

        equal(r.execute("return 1")["status"], 0)
        (old,) = r.runs()
        then = time.time() - 3 * 24 * 3600
        os.utime(old, (then, then))
        sweep()
        assert old not in r.runs() and len(r.runs()) == 1, r.runs()
        for _ in range(10):
            equal(r.execute("for (let i = 0; i < 10; i++) console.log('x'.repeat(20000))")["status"], 0)
        sweep()
        size = sum(os.path.getsize(path) for path in r.runs())
        assert (700 << 10) < size <= (1 << 20), size


# --- variables ---------------------------------------------------------------------------------


@test
def a_journal_has_only_the_names_of_variables():
    name = "acme.tools.text.upper"
    with recorder(settings={"env": {name: ["HUSH"]}}) as r:
        for code in ("console.log(Object.keys(args.env)); return 1", "return 1", "return (",
                     "return args.env.HUSH.length"):
            for file in r.runs():
                os.remove(file)
            r.publish(fqdn=f"{name}.0123abcd", code=code, env=["HUSH", "OTHER"])
            path, value = r.fresh(), "a-secret-of-mine"
            if os.path.exists(r.lockfile):
                os.remove(r.lockfile)
            r.upper("--record", path, env={"HUSH": value, "OTHER": "not-granted"})
            head = lines_of(path)[0]
            equal(list(head["env"]), ["HUSH"])
            assert value.encode() not in read(path) and b"not-granted" not in read(path)
            for given, status, words in ({}, 2, ["HUSH", "is not given now"]), ({"HUSH": "other"}, 2, ["HUSH", "another value"]), (
                    {"HUSH": value}, 0, []):
                equal(r.replay(path, env=given), status, f"{given} {r.err}")
                contains(r.err, *words)
        equal(mode(f"{r.state}/caprun/key"), "0o600")


@each({"engine": b"quickjs-ng 0.1.0", "prelude": b"0123456789abcdef"})
def a_journal_of_another_engine_is_replayed_with_a_note(other):
    with recorder() as r:
        path = r.record("return 1")
        equal((r.replay(path), r.err), (0, ""))
        head, *rest = bodies_of(read(path))
        what = "engine" if b"quickjs" in other else "prelude"
        now = lines_of(path)[0][what].encode()
        older = r.write(seal([head.replace(now, other), *rest]))
        equal(r.replay(older), 0)
        contains(r.err, f"recorded with another {what}: {other.decode()}, and this is {now.decode()}")
        equal((r.replay(older, "-q"), r.err), (0, ""))
        equal(r.replay(older, "--json"), 0)
        contains(json.loads(r.out)["replays"][0]["notes"][0], f"another {what}")


@test
def a_journal_of_another_user_gets_a_variable_only_on_request():
    name = "acme.tools.text.upper"
    with recorder(settings={"env": {name: ["HUSH"]}}) as r:
        r.publish(fqdn=f"{name}.0123abcd", code="return args.env.HUSH.length", env=["HUSH"])
        path = r.fresh()
        equal(r.upper("--record", path, env={"HUSH": "four"}).out, "4\n")
        os.remove(f"{r.state}/caprun/key")
        equal([r.replay(path, "--env", "HUSH", env={"HUSH": value}) for value in ("four", "2222", "longer")],
              [0, 0, 8], r.err)
        equal(r.replay(path, "--env", "HUSH"), 2)
        equal(r.replay(path, "--env", "OTHER", env={"HUSH": "four"}), 2)
        equal(r.replay(path, env={"HUSH": "four"}), 2)
        contains(r.err, "--env NAME")


main()
