#!/usr/bin/env python3
"""audit.t - every call has a line in the audit before it is made, whoever writes it, and whoever is killed."""

import contextlib
import ctypes
import fcntl
import hashlib
import json
import os
import random
import re
import signal
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import (TORTURE, between, contains, each, equal, main, on_a_terminal, reap_orphans,
                     scratch_dir, start, test, wait_until, write_file)
from library import Library
from tools import OUTCOME, tools

CALL = "return outcome(mcp.s.echo({n: 1}))"
FAILED = "The call was not made, because the audit cannot be written"


def sha256(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()


def dump(value):
    return json.dumps(value, separators=(",", ":"))


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert text.endswith("\n") or not text, f"torn: {text[-200:]!r}"
    return [json.loads(line) for line in text.splitlines()]


@contextlib.contextmanager
def audited(settings=True, permissions=None, servers=None):
    """Fake servers, and an audit in t.audit with these settings."""
    with tools() as t:
        t.audit = os.path.join(t.root, "audit.jsonl")
        settings = {"file": t.audit, **settings} if isinstance(settings, dict) else settings and t.audit
        t.serve(servers or {"s": {}}, permissions, **({"audit": settings} if settings else {}))
        t.env["XDG_STATE_HOME"] = os.path.join(t.root, "state")
        yield t


def lines(t, *events):
    """The lines of the audit, with its full files; only these events, if there are any."""
    full = [f"{t.audit}.{n}" for n in range(1, 16) if os.path.exists(f"{t.audit}.{n}")]
    return [line for path in [*full, t.audit] for line in read(path) if not events or line["event"] in events]


def verify(t, status=0):
    done = t.run("audit", "--verify", t.audit)
    equal(done.status, status, f"status; {done.out!r} {done.err!r}")
    return done.out


# --- lines -----------------------------------------------------------------------------------


@test
def each_call_has_a_line_before_it_and_one_after_it():
    with audited() as t:
        code = "await mcp.s.echo({n: 1}); return mcp.s['echo']({n: 2})"
        envelope = t.execute(code)
        run, first, second, third, fourth, end = lines(t)
        equal([line["n"] for line in lines(t)], [1, 2, 3, 4, 5, 6])
        equal((run["event"], run["origin"]["command"]), ("run", "exec"))
        ours = {"run": envelope["runId"], "capability": "exec", "pin": sha256(OUTCOME + code)}
        for line in lines(t):
            equal({name: line[name] for name in ours}, ours)
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", line["time"]), line
        decision = {"decision": "allow", "by": "rule:*", "tool": "s:echo"}
        for number, (before, after) in enumerate(((first, second), (third, fourth)), 1):
            equal(before | {"event": "call", "call": number, "argsSha256": sha256(dump({"n": number})), **decision}, before)
            equal(after | {"event": "result", "call": number, "outcome": "done", **decision}, after)
            between(after["ms"], 0.001, 60000)
            assert "args" not in before
        equal((end["event"], end["outcome"], end["calls"]), ("end", "success", 2))
        verify(t)


@test
def a_call_that_is_denied_fails_or_has_no_target_has_a_line_too():
    with audited(permissions={"allow": ["s:*"], "deny": ["s:text"]}) as t:
        t.execute("return [await outcome(mcp.s.text({})), await outcome(mcp.s.missing({})), "
                  "await outcome(mcp.other.x({})), await outcome(mcp.s.error({code: 5}))]")
        keys = ("event", "call", "tool", "decision", "by", "outcome", "code")
        equal([tuple(line.get(key) for key in keys) for line in lines(t, "call", "result", "refused")], [
            ("refused", 1, "s:text", "deny", "rule:s:text", "denied", "PERMISSION_DENIED"),
            ("refused", 2, "s:missing", "allow", "rule:s:*", "failed", "RPC_ERROR"),
            ("refused", 3, "other:x", None, None, "failed", "RPC_ERROR"),
            ("call", 4, "s:error", "allow", "rule:s:*", None, None),
            ("result", 4, "s:error", "allow", "rule:s:*", "failed", "RPC_ERROR")])
        verify(t)


@test
def lines_have_the_exact_name_of_a_tool():
    with audited(servers={"s": {"tools": [{"name": "a-b"}]}}) as t:
        t.value("return mcp.s.a_b({})")
        equal([line["tool"] for line in lines(t, "call", "result")], ["s:a-b", "s:a-b"])


@test
def args_are_in_a_line_only_on_request():
    with audited({"args": True}) as t:
        t.value("await mcp.s.echo({secret: 'a\\u202e\\n'}); return mcp.s.echo({s: 'x'.repeat(100000)})")
        first, second = lines(t, "call")
        equal(first["args"], {"secret": "a\u202e\n"})
        assert "args" not in second
        equal((second["argsBytes"], second["argsSha256"]), (100008, sha256(dump({"s": "x" * 100000}))))
        verify(t)


@test
def a_run_that_is_not_audited_has_one_line():
    with audited({"off": True}) as t:
        t.value(CALL)
        t.value(CALL)
        equal([line["event"] for line in lines(t)], ["off", "off"])
        equal(t.called("s"), ["echo", "echo"])
        verify(t)


@test
def the_audit_is_in_the_state_directory_by_default():
    with audited(None) as t:
        t.value(CALL)
        t.audit = os.path.join(t.root, "state/caprun/audit.jsonl")
        equal([line["event"] for line in lines(t)], ["run", "call", "result", "end"])
        equal(os.stat(t.audit).st_mode & 0o777, 0o600)
        contains(t.run("audit").out, "s:echo  allow rule:*")


@test
def a_relative_path_starts_at_the_configuration():
    with audited("below/it.jsonl") as t:
        t.serve({"s": {}}, audit="./below/it.jsonl")
        t.value(CALL)
        t.audit = os.path.join(t.work, "below/it.jsonl")
        equal(len(lines(t)), 4)
        contains(t.run("audit", "--verify").out, "ok: 4 lines, 1 to 4\n")


@test
def long_args_are_hashed_too():
    with audited() as t:
        equal(t.value("return (await mcp.s.echo({s: 'x'.repeat(3000000)})).s.length"), 3000000)
        equal(lines(t, "call")[0]["argsSha256"], sha256(dump({"s": "x" * 3000000})))


@test
def calls_at_once_have_their_lines_before_they_are_made():
    with audited() as t:
        t.value("return (await Promise.all(Array.from({length: 100}, (_, n) => mcp.s.echo({n})))).length")
        equal([len(lines(t, event)) for event in ("call", "result")], [100, 100])
        equal({line["argsSha256"] for line in lines(t, "call")}, {sha256(dump({"n": n})) for n in range(100)})
        verify(t)


@test
def a_replay_writes_nothing_and_a_resumed_run_only_its_own_calls():
    with audited() as t:
        journal = os.path.join(t.root, "journal")
        code = write_file(os.path.join(t.work, "code.js"), OUTCOME +
                          "const one = await mcp.s.echo({n: 1}); const two = await outcome(mcp.s.never({}));"
                          "return [one, two.code, await mcp.s.echo({n: 3})]")
        running = t.start("exec", code, "--record", journal)
        wait_until(lambda: "never" in t.called("s"), 20, "the second call")
        running.send(signal.SIGKILL)
        running.end()
        wait_until(lambda: not reap_orphans(), 20, "the end of the servers")
        equal([line["event"] for line in lines(t)], ["run", "call", "result", "call"])
        done = t.run("resume", journal, "--fail-unknown")
        equal((done.status, json.loads(done.out)[2]), (0, {"n": 3}), done.err)
        resumed = lines(t)[4:]
        equal([(line["event"], line.get("call")) for line in resumed],
              [("resume", None), ("result", 2), ("call", 3), ("result", 3), ("end", None)])
        equal(resumed[1]["outcome"], "in_flight_unknown")
        before = lines(t)
        equal(t.run("replay", journal).status, 0)
        equal(lines(t), before)
        verify(t)


# --- no line, no call ------------------------------------------------------------------------


def refused(t, code=CALL, **options):
    """The hint of a call that is not made."""
    envelope = t.execute(code, **options)
    equal(envelope["result"], {"code": "CONFIG_ERROR", "message": FAILED, "name": "Error"})
    equal(t.called("s"), [])
    envelope = t.execute("return mcp.s.echo({n: 1})", **options)
    equal((envelope["status"], envelope["error"]["code"]), (2, "CONFIG_ERROR"))
    return envelope["error"]["hint"]


def below_a_file(t):
    write_file(os.path.join(t.root, "file"), "")
    t.serve({"s": {}}, audit=os.path.join(t.root, "file/audit"))
    return "cannot open '"


def not_an_audit(t):
    write_file(t.audit, "my notes\n")
    return "is not an audit"


def a_link(t):
    os.symlink("/dev/null", t.audit)
    return "is a link"


@each({name.__name__: name for name in (below_a_file, not_an_audit, a_link)})
def a_call_is_not_made_if_its_line_cannot_be_written(damage):
    with audited() as t:
        words = damage(t)
        contains(refused(t), words, "\"audit\"")


@test
def a_call_is_not_made_if_the_disk_is_full():
    with audited() as t:
        t.value("for (let n = 0; n < 100; n++) await mcp.s.echo({n}); return 1")
        size = os.stat(t.audit).st_size
        os.remove(t.path_of("s"))
        hint = refused(t, under=["prlimit", f"--fsize={size + 10}"])
        contains(hint, "cannot write '", "File too large")
        equal(os.stat(t.audit).st_size, size, "nothing was added")
        verify(t)
        equal(t.value(CALL), {"value": {"n": 1}})
        verify(t)


@contextlib.contextmanager
def locked(t):
    """Another writer has locked the audit, and does not go on."""
    with open(t.audit + ".state", "r+b") as file:
        fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))  # F_OFD_SETLK
        yield


WHILE_LOCKED = """
    let ticks = 0;
    setInterval(() => { ticks++; if (ticks === 3) console.log("it goes on"); }, 10);
    const made = await outcome(mcp.s.echo({n: 1}));
    return {made, ticks};
"""


@test
def a_call_waits_for_the_lock_and_its_run_goes_on():
    with audited() as t:
        t.value("return 1")
        with locked(t):
            running = t.start("exec", "-", code=OUTCOME + WHILE_LOCKED)
            running.wait_for_log("it goes on")
            equal(t.called("s"), [])
        done = running.end()
        equal(json.loads(done.out)["made"], {"value": {"n": 1}})
        verify(t)


@test
def a_call_whose_audit_stays_locked_fails():
    with audited() as t:
        t.value("return 1")
        with locked(t):
            made = t.value(WHILE_LOCKED)
            equal((made["made"]["code"], made["made"]["message"]), ("CONFIG_ERROR", FAILED))
            between(made["ticks"], 20, 600, "timers that fired meanwhile")
        equal(t.called("s"), [])
        verify(t)


@test
def a_run_that_ends_while_its_call_waits_for_the_lock_leaves_no_call():
    with audited() as t:
        t.value("return 1")
        with locked(t):
            running = t.start("exec", "-", code="mcp.s.echo({n: 1}); await new Promise((r) => setTimeout(r, 50)); "
                              "console.log('waiting'); await new Promise((r) => setTimeout(r, 60000))")
            running.wait_for_log("waiting")
            running.send(signal.SIGTERM)
            equal(running.end().status, 143)
        equal((t.called("s"), lines(t, "call")), ([], []))
        verify(t)


# --- caprun audit ----------------------------------------------------------------------------


@test
def verify_says_which_line_was_changed_and_exits_with_1():
    with audited() as t:
        t.value(CALL)
        t.value(CALL)
        contains(verify(t), "ok: 8 lines, 1 to 8\n")
        with open(t.audit, encoding="utf-8") as file:
            text = file.read()
        write_file(t.audit, text.replace('"n":3,', '"n":3,"x":1,'))
        equal(verify(t, 1), "line 3 was changed: line 4 has another hash for it\n")
        rest = text.splitlines(keepends=True)
        write_file(t.audit, "".join(rest[:3] + rest[5:]))
        equal(verify(t, 1), "lines 4 to 5 are missing\n")
        write_file(t.audit, "".join(rest[:-1]))
        equal(verify(t, 1), "line 8 is missing at the end\n")
        told = t.run("audit", "--verify", "--json", t.audit)
        equal((told.status, json.loads(told.out)["problems"]), (1, ["line 8 is missing at the end"]))
        write_file(t.audit, text)
        equal(json.loads(t.run("audit", "--verify", "--json", t.audit).out)["verified"], True)
        write_file(t.audit, text + '{"n":9,"ti')
        contains(verify(t), "10 bytes at the end are a line that its writer did not finish", "ok: 8 lines")


@test
def an_audit_that_is_not_there_is_an_error():
    with audited() as t:
        for words in (["audit"], ["audit", "--verify"], ["audit", "--follow"]):
            done = t.run(*words)
            equal(done.status, 2)
            contains(done.err, "there is no audit '", "hint: ")


@test
def lines_are_filtered():
    with audited(permissions={"allow": ["s:e*"], "deny": ["s:text"]}) as t:
        one = t.execute("return mcp.s.echo({n: 1})")["runId"]
        t.execute("await outcome(mcp.s.text({})); return mcp.s.echo({n: 1})")

        def events(*words):
            done = t.run("audit", "--json", *words)
            equal(done.status, 0, done.err)
            return [json.loads(line)["event"] for line in done.out.splitlines()]

        equal(len(events()), 9)
        equal(events("--run", one), ["run", "call", "result", "end"])
        equal(events("--run", one[-8:], "--tool", "s:*"), ["call", "result"])
        equal(events("--decision", "deny"), ["refused"])
        equal(events("--tool", "s:ech?", "--decision", "allow"), ["call", "result"] * 2)
        equal(len(events("--since", "1h")), 9)
        equal(len(events("--since", "2020-01-01")), 9)
        equal(events("--since", "2999-01-01T00:00"), [])
        for words in (["--since", "soon"], ["--tool", "a:b:c"], ["--decision", "ask"], ["--verify", "--run", "x"]):
            equal(t.run("audit", *words).status, 2, words)


@test
def a_person_sees_lines_escaped():
    with audited() as t:
        t.value(CALL)
        with open(t.audit, "a", encoding="utf-8") as file:
            file.write('{"n":5,"time":"\x1b]0;x","event":"\u202ecall","tool":"s:\\u001b[31m","prev":"' + "0" * 64 + '"}\n')
        for words in (["audit"], ["audit", "--json"]):
            seen = on_a_terminal(*words, t.audit, env={**t.env, "NO_COLOR": "1"}, cwd=t.work)
            contains(seen, "s:echo")
            assert not re.search("[\x1b\u202e]", seen), seen


@test
def follow_shows_lines_as_they_come():
    with audited() as t:
        t.value(CALL)
        running = t.start("audit", "--follow", "--json")
        wait_until(lambda: running.out.count("\n") == 4, 20, "what is there")
        t.value(CALL)
        wait_until(lambda: running.out.count("\n") == 8, 20, "what comes")
        running.send(signal.SIGINT)
        running.end()
        equal([json.loads(line)["n"] for line in running.out.splitlines()], list(range(1, 9)))


@test
def a_full_file_is_followed_by_another_one():
    with audited({"args": True}) as t:
        running = t.start("audit", "--follow", "--json", "--tool", "s:echo")
        equal(running.end().status, 2)
        t.value("return 1")
        running = t.start("audit", "--follow", "--json", "--tool", "s:echo")
        t.value("const s = 'x'.repeat(60000); for (let n = 0; n < 300; n++) await mcp.s.echo({n, s}); return 1", seconds=120)
        equal(sorted(os.listdir(t.root)), ["audit.jsonl", "audit.jsonl.1", "audit.jsonl.state", "cache", "registry",
                                           "s.trace", "state", "work"])
        between(os.stat(t.audit + ".1").st_size, 16 << 20, 17 << 20)
        wait_until(lambda: running.out.count("\n") == 600, 20, "all lines")
        running.send(signal.SIGINT)
        running.end()
        contains(verify(t), "ok: 605 lines, 1 to 605\n")
        os.rename(t.audit + ".1", t.audit + ".gone")
        contains(verify(t, 1), "/audit.jsonl.1' is missing\n")


# --- the library -----------------------------------------------------------------------------


@contextlib.contextmanager
def library(flags=0, answer=lambda call: call.reply("7"), **options):
    with scratch_dir() as root, Library(answer, **options) as library:
        library.audit = os.path.join(root, "audit")
        equal(library.lib.caprun_set_audit(library.runtime, library.audit.encode(), ctypes.c_uint32(flags)), 0)
        yield library


@test
def a_handler_is_audited_as_the_application():
    with library() as host:
        equal(host.execute("return await mcp.a.b({x: 1}) + await mcp.a.c('y'.repeat(500000))")["result"], 14)
        call, _, long = [line for line in read(host.audit) if line["event"] in ("call", "result")][:3]
        equal((call["tool"], call["by"], call["argsSha256"]), ("a:b", "application", sha256('{"x":1}')))
        equal((long["tool"], long["argsSha256"]), ("a:c", sha256(dump("y" * 500000))))
        assert host.lib.caprun_set_audit(host.runtime, b"x", 0) < 0
        contains(host.error(), "there is an audit already")


@test
def a_handler_gets_the_args_that_were_hashed():
    got = []

    def keep(call):
        got.append(call.args)
        call.reply("1")

    with library(answer=keep) as host:
        host.execute("await Promise.all([1, 2, 3].map((n) => mcp.a.b({n, s: 'z'.repeat(400000)}))); return 1")
        equal(sorted(sha256(args) for args in got),
              sorted(line["argsSha256"] for line in read(host.audit) if line["event"] == "call"))


@test
def args_that_are_nested_as_deep_as_args_can_be_are_in_a_line_that_can_be_read():
    with library(flags=1) as host:
        host.execute("for (const depth of [998, 999, 1000]) {"
                     "    let x = 1; for (let i = 0; i < depth; i++) x = [x];"
                     "    await mcp.a.b(x); }")
        with open(host.audit, encoding="utf-8") as file:
            calls = [line for line in file if '"event":"call"' in line]
        equal(['"args":[[[' in line for line in calls], [True, True, False])
        done = start("audit", "--verify", host.audit).end()
        equal((done.status, done.out), (0, "ok: 8 lines, 1 to 8\n"))


@test
def an_application_that_asks_for_no_audit_gets_none():
    with scratch_dir() as root, Library(lambda call: call.reply("7")) as host:
        os.environ["XDG_STATE_HOME"], before = root, os.environ.get("XDG_STATE_HOME")
        equal(host.execute("return mcp.a.b({})")["result"], 7)
        os.environ["XDG_STATE_HOME"] = before or ""
        equal(os.listdir(root), [])


# --- several writers, which are killed -------------------------------------------------------

FOREVER = """
    for (let n = 0;; n += 4)
        await Promise.all([0, 1, 2, 3].map((i) => mcp.s.echo({who: args.who, n: n + i})));
"""


@test
def four_processes_write_one_audit_while_they_are_killed():
    """kill -9 at random moments: the chain holds, no line is torn, and each effect has its line."""
    kills, chance = 200 if TORTURE else 12, random.Random()
    with audited() as t:
        code, started = write_file(os.path.join(t.work, "code.js"), FOREVER), 0

        def another():
            nonlocal started
            started += 1
            return t.start("exec", code, dump({"who": started}), "--timeout", "10m")

        running = [another() for _ in range(4)]
        for _ in range(kills):
            enough = len(t.called("s")) + chance.randrange(100)
            wait_until(lambda enough=enough: len(t.called("s")) >= enough, 60, "more calls")
            victim = chance.randrange(4)
            running[victim].send(signal.SIGKILL)
            running[victim].end()
            running[victim] = another()
        for process in running:
            process.send(signal.SIGKILL)
            process.end()
        wait_until(lambda: not reap_orphans(), 60, "the end of the servers")
        verify(t)
        t.value(CALL)  # the next writer repairs a torn line
        verify(t)
        audit = lines(t)
        equal([line["n"] for line in audit], list(range(1, len(audit) + 1)))
        known = {line["argsSha256"] for line in audit if line["event"] == "call"}
        effects = [line["params"]["arguments"] for line in t.trace("s") if line.get("method") == "tools/call"]
        assert len(effects) > kills, len(effects)
        equal([args for args in effects if sha256(dump(args)) not in known], [], "effects without a line")


main()
