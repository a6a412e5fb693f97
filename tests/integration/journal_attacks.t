#!/usr/bin/env python3
"""journal_attacks.t - forged journals, hostile capabilities and full disks against `caprun replay` and `caprun resume`.

An attacker who can write a journal can also compute its hashes: they detect accidents, not attacks. So a journal must
not be able to do more than an untrusted file that is run with `caprun exec`.
"""

import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import (between, contains, each, equal, main, need, reap_orphans, scratch_dir, stretched, test,
                     wait_until, write_file)
from journals import bodies_of, lines_of, read, recorder, seal

JOB = {"at": 0, "to": "job", "date": 1700000000000000}
CALL = {"at": 5, "from": "call", "n": 1, "method": "s:echo", "args": {}}
SEND = {"at": 6, "send": 1, "tool": "s:echo", "decision": "allow", "by": "rule:*"}
REPLY = {"at": 7, "to": "reply", "n": 1, "kind": "tool", "json": {"content": []}}
DONE = {"at": 8, "from": "done", "result": 1}
END = {"at": 9, "end": "SUCCESS", "calls": 1, "cpuUs": 0, "memoryBytes": 0}
WHOLE = [JOB, CALL, SEND, REPLY, DONE, END]
CODE = "await mcp.s.echo({}); return 1"
CONTROL = "\x1b[31m\x07\x9b\u202e\u200b\r\n"


def forge(r, lines, **head):
    """Makes a journal with these lines, and right hashes, of a run of CODE; |head| changes fields of the first line, None
    removes one."""
    if not hasattr(r, "head"):
        r.head = lines_of(r.record("return 1"))[0]
        del r.head["_file"]  # it names the file of the recording
    first = {key: value for key, value in {**r.head, "code": CODE, **head}.items() if value is not None}
    texts = [json.dumps(line, separators=(",", ":")).encode()[:-1] if isinstance(line, dict) else line
             for line in [first, *lines]]
    path = r.write(seal(texts))
    os.chmod(path, 0o600)
    return path


def changed(index, **fields):
    """The lines of the complete journal, with changed fields in line |index|."""
    return [*WHOLE[:index], {**WHOLE[index], **fields}, *WHOLE[index + 1:]]


def said(done):
    return done.out + done.err


# --- forged lines ----------------------------------------------------------------------------

BAD = (2, 8)  # it is no journal, or differs
# name: (lines, changes of the first line, status of replay, part of the message)
FORGED = {
    "unchanged": (WHOLE, {}, 0, "same"),
    "a call number that is huge": (changed(1, n=4294967297), {}, 2, "JOURNAL_INVALID"),
    "a call number that is 0": (changed(1, n=0), {}, 2, "JOURNAL_INVALID"),
    "a call number that is negative": (changed(1, n=-1), {}, 2, "JOURNAL_INVALID"),
    "a call number as a text": (changed(1, n="1"), {}, 2, "JOURNAL_INVALID"),
    "a call that is left out": (changed(1, n=2), {}, 2, "call 2 comes after call 0"),
    "a call twice": ([*WHOLE[:2], *WHOLE[1:]], {}, 2, "call 1 comes after call 1"),
    "an answer to a call that was not made": (changed(3, n=2), {}, 2, "has not been made"),
    "an answer twice": ([*WHOLE[:4], *WHOLE[3:]], {}, 2, "was answered"),
    "an answer before the job": ([REPLY, *WHOLE], {}, 2, "before its job"),
    "a job in the middle": ([*WHOLE[:3], JOB, *WHOLE[3:]], {}, 2, "not possible here"),
    "time that goes back": (changed(3, at=5), {}, 2, "earlier"),
    "time without end": (changed(5, at=1 << 62), {}, 2, "does not begin with its time"),
    "time with a fraction": (changed(5, at=9.5), {}, 2, "does not begin with its time"),
    "a line after the end": ([*WHOLE, DONE], {}, 2, "after the end"),
    "a log line after the result": ([*WHOLE[:5], {"at": 9, "from": "log", "line": "x"}, END], {}, 2, "had already ended"),
    "a line of unknown kind": ([*WHOLE[:3], {"at": 6, "from": "x"}, *WHOLE[3:]], {}, 2, "does not know such a line"),
    "a line without anything": ([*WHOLE[:3], b'{"at":6', *WHOLE[3:]], {}, 2, "JOURNAL_INVALID"),
    "an answer that is no JSON": ([*WHOLE[:3], b'{"at":7,"to":"reply","n":1,"kind":"tool","json":{]', *WHOLE[4:]],
                                  {}, 2, "not JSON"),
    "an answer without a value": ([*WHOLE[:3], b'{"at":7,"to":"reply","n":1,"kind":"tool"', *WHOLE[4:]], {}, 2,
                                  'it has no "json"'),
    "a failure with values of wrong types": ([*WHOLE[:3], {"at": 7, "to": "fail", "n": 1, "state": 7, "code": [], "message": {}},
                              *WHOLE[4:]], {}, 2, '"state" is not known'),
    "a failure that is a success": ([*WHOLE[:3], {"at": 7, "to": "fail", "n": 1, "state": "done", "code": "SUCCESS",
                                                  "message": ""}, *WHOLE[4:]], {}, 2, "cannot fail with SUCCESS"),
    "an end with an unknown outcome": (changed(5, end="WHATEVER"), {}, BAD, "e"),
    "an end that is a difference": (changed(4, result=2)[:5] + [{**END, "end": "REPLAY_DIFFERED"}], {}, BAD, "e"),
    "an end that is a bad journal": ([JOB, CALL, {**REPLY, "json": None, "jsonBlob": "0" * 64, "jsonBytes": 4},
                                      {**END, "end": "JOURNAL_INVALID"}], {}, BAD, "e"),
    "other code": (WHOLE, {"code": "return 2"}, 8, "REPLAY_DIFFERED"),
    "code with a NUL": (WHOLE, {"code": CODE + "\0"}, 2, "JOURNAL_INVALID"),
    "code that is too long": (WHOLE, {"code": CODE + " " * (1 << 20)}, 2, "over"),
    "code in a file that is not there": (WHOLE, {"code": None, "codeBlob": "a" * 64, "codeBytes": 70000}, 2, "is not there"),
    "code in a file that is a path": (WHOLE, {"code": None, "codeBlob": "../" * 21 + "x", "codeBytes": 4}, 2, '"codeBlob"'),
    "code in a file that is too long": (WHOLE, {"code": None, "codeBlob": "a" * 64, "codeBytes": (1 << 20) + 1}, 2,
                                        '"codeBytes"'),
    "no code": (WHOLE, {"code": None}, 2, '"code"'),
    "a run that is a path": (WHOLE, {"run": "../../../../../../../../etc/passwd.."}, 2, '"run"'),
    "a blob that is a path": (WHOLE, {"args": None, "argsBlob": "../../etc/passwd".rjust(64, "/"), "argsBytes": 4}, 2,
                              '"argsBlob"'),
    "a blob that is not there": (WHOLE, {"args": None, "argsBlob": "a" * 64, "argsBytes": 4}, 2, "is not there"),
    "a blob of an answer that is a path": (changed(3, json=None, jsonBlob="../" * 21 + "x", jsonBytes=4), {}, 2,
                                           "JOURNAL_INVALID"),
    "a long answer that is in the line": (changed(3, json={"content": [], "x": "x" * 200_000}), {}, 2, "longer than such a line can be"),
    "long args that are in the line": (changed(1, args={"x": [1] * 40_000}), {}, 2, "longer than they can be"),
    "a long result that is in the line": (changed(4, result="x" * 200_000), {}, 2, "longer than such a line can be"),
    "a long line of the log that is in the line": (
        [*WHOLE[:3], {"at": 6, "from": "log", "line": "x" * (7 << 20)}, *WHOLE[3:]], {}, 2, "longer than such a line can be"),
    "a line of the log in a file that is not there": (
        [*WHOLE[:3], {"at": 6, "from": "log", "lineBlob": "a" * 64, "lineBytes": 70000}, *WHOLE[3:]], {}, 8, "Line 1"),
    "tools that are not names": (WHOLE, {"tools": [1]}, 2, '"tools"'),
    "the largest number of tools": (WHOLE, {"tools": [f"s:t{i}" for i in range(9999)] + ["s:echo"]}, 0, "same"),
    "too many tools": (WHOLE, {"tools": ["s:echo"] * 10001}, 2, '"tools" is too long'),
    "a tool with too long a name": (WHOLE, {"tools": ["s:" + "x" * 192]}, 2, '"tools" is too long'),
    "limits that are missing": (WHOLE, {"limits": {}}, 2, '"timeoutMs"'),
    "another version": (WHOLE, {"journal": 3}, 2, "version 3"),
}


@each(FORGED)
def a_forged_line_is_refused_or_differs(case):
    lines, head, status, part = case
    with recorder(s={}) as r:
        lines = [{key: value for key, value in line.items() if value is not None} if isinstance(line, dict) else line
                 for line in lines]
        done = r.run("replay", forge(r, lines, **head))
        assert done.status in (status if status == BAD else (status,)), f"{done.status}: {said(done)}"
        contains(said(done), part)
        equal(r.starts("s"), [], "servers that were started")


@test
def untrusted_text_is_escaped_wherever_it_is_shown():
    shown = [
        ([JOB, {"at": 1, "from": "log", "line": CONTROL}, END], {"code": f"console.log({json.dumps(CONTROL + 'x')})",
                                                                 "engine": CONTROL, "prelude": CONTROL * 50}),
        ([JOB, {**CALL, "method": CONTROL, "args": {CONTROL: CONTROL}}, END],
         {"code": f"await mcp.s.echo({{[{json.dumps(CONTROL)}]: 1}})"}),
        ([JOB, DONE, {**END, "end": CONTROL}], {"code": "return 1"}),
        ([JOB, CALL, {**SEND, "by": CONTROL}, REPLY], {"code": f"throw new Error({json.dumps(CONTROL)})"}),
        ([JOB, {"at": 1, "cut": CONTROL}], {"origin": {"fqdn": CONTROL}}),
        ([JOB], {"origin": {"fqdn": CONTROL, "config": CONTROL}}),
    ]
    with recorder(s={}) as r:
        for lines, head in shown:
            for words in (["replay"], ["replay", "-v"], ["replay", "--json"], ["resume"], ["resume", "--json"]):
                done = r.run(words[0], forge(r, lines, **head), *words[1:])
                never = "[\x00-\x1f\x7f]" if "--json" in words else "[\x00-\x1f\x7f-\x9f\u202e\u200b]"
                for line in said(done).split("\n"):
                    assert not re.search(never, line), (words, head, line)


# --- variables and limits ----------------------------------------------------------------------


@each({"resume": ("resume", 2), "replay of a file": ("replay", 2)})
def a_journal_cannot_ask_for_variables(case):
    command, status = case
    with recorder(s={}) as r:
        path = forge(r, [JOB] if command == "resume" else [JOB, DONE, END], env={"SECRET_OF_MINE": ""},
                     code="await mcp.s.echo(args.env); return args.env")
        done = r.run(command, path, env={"SECRET_OF_MINE": "hunter2"})
        assert "hunter2" not in said(done), said(done)
        equal(r.called("s"), [])
        equal(done.status, status, said(done))


@test
def code_without_variables_is_resumed():  # the twin
    with recorder(s={}) as r:
        done = r.run("resume", forge(r, [JOB], code="return [await mcp.s.echo({a: 1}), args.env]"))
        equal((done.status, done.out), (0, '[{"a":1},null]\n'), done.err)


# (the code, its lines, the limits in the header, the error with limits of 64 MB and 1 s)
GREEDY = {
    "memory": ("const a = []; for (let i = 0; i < 100; i++) a.push(new Uint8Array(1 << 20).fill(1)); return 1",
               {"memoryBytes": 1 << 30}, 5, ["Memory limit of 64", "the run of the journal had 1 G", "--memory"]),
    "wall time": ("await new Promise((r) => setTimeout(r, 1300)); return 1",
                  {"timeoutMs": 3600000, "cpuMs": 3600000}, 4,
                  ["after 1 s; the run of the journal had 1 h", "--timeout"]),
}


@each({f"{what} by {command}": (what, command) for what in GREEDY for command in ("resume", "replay")
       if (what, command) != ("wall time", "replay")})  # a slower machine may take longer for the same
def a_journal_from_elsewhere_gets_at_most_the_configured_limits(case):
    what, command = case
    code, asked, status, parts = GREEDY[what]
    with recorder(settings={"limits": {"timeoutMs": 1000, "memoryMB": 64}}, s={}) as r:
        limits = {**lines_of(r.record("return 1"))[0]["limits"], **asked}
        lines = [JOB] if command == "resume" else [JOB, DONE, END]
        done = r.run(command, forge(r, lines, code=code, limits=limits))
        equal(done.status, status, said(done))
        contains(said(done), *parts)
        twin = r.run(command, forge(r, lines, code=code, limits=limits), "--memory", "512m", "--timeout", "1m")
        equal(twin.status, 0, said(twin))


@test
def the_command_line_limits_a_replay_from_elsewhere():
    with recorder(s={}) as r:
        limits = {**lines_of(r.record("return 1"))[0]["limits"], "timeoutMs": 3600000, "cpuMs": 3600000}
        done = r.run("replay", forge(r, [JOB, DONE, END], code="for (;;);", limits=limits), "--timeout", "1s")
        equal(done.status, 4, said(done))
        contains(said(done), "after 1 s; the run of the journal had")


@each({"replay": ("replay", 1), "resume": ("resume", 0)})
def a_journal_in_the_state_directory_gets_its_recorded_limits(case):
    """The twin: a limit from the command line of the first run need not be given again."""
    command, calls = case
    code = "const a = []; for (let i = 0; i < 100; i++) a.push(new Uint8Array(1 << 20).fill(1));" \
           "await mcp.s.echo({}); return 1"
    with recorder(settings={"limits": {"memoryMB": 64}}, s={} if calls else {"silent": ["tools/call"]}) as r:
        running = r.start("exec", "-", "--memory", "512m", code=code)
        if not calls:
            wait_until(lambda: r.called("s"), 20, "a call")
            running.send(signal.SIGKILL)
        running.end()
        wait_until(lambda: not reap_orphans(), 10, "the end of orphans")
        r.serve({"s": {}}, limits={"memoryMB": 64})
        done = r.run(command, os.path.basename(r.runs()[0])[:36], *(["--retry-unknown"] if not calls else []))
        equal(done.status, 0, said(done))


@test
def a_run_that_has_no_time_left_is_not_resumed_and_not_changed():
    with recorder(settings={"limits": {"timeoutMs": 1000}}, s={}) as r:
        limits = {**lines_of(r.record("return 1"))[0]["limits"], "timeoutMs": 3600000, "cpuMs": 3600000}
        path = forge(r, [JOB, {"at": 7000000, "to": "wake"}], limits=limits,
                     code="await new Promise((r) => setTimeout(r, 5000)); return 1")
        before = read(path)
        done = r.run("resume", path)
        equal((done.status, read(path)), (2, before), said(done))
        contains(said(done), "has used 7 s already, and may have 1 s here", "--timeout")
        equal(r.run("resume", path, "--timeout", "1m").status, 0)


@each({"the default": (1 << 20, 1 << 20), "below": (1 << 19, 1 << 19), "none": (None, 16 << 20)})
def a_configured_limit_counts_even_if_it_is_the_default(case):
    given, most = case
    with recorder(settings={"limits": {"logBytes": given} if given else {}}, s={}) as r:
        limits = {**lines_of(r.record("return 1"))[0]["limits"], "logBytes": 16 << 20}
        code = "for (let i = 0; i < 50; i++) console.log('x'.repeat(40000)); await mcp.s.echo({}); return 1"
        envelope = r.run("resume", forge(r, [JOB], code=code, limits=limits), "--json").envelope
        size = sum(len(line) for line in envelope["logs"])
        between(size, min(most, 2000000) - 40000, min(most, 2000000) + 1000, "bytes of log")


@each({"bytes": (b"x" * (24 << 20), "is over 12 MiB"), "values": (b"0," * (5 << 20) + b"0", "has too many values")})
def the_first_line_of_a_journal_is_bounded(case):
    what, words = case
    inner = b'"' + what + b'"' if what[:1] == b"x" else b"[" + what + b"]"
    with recorder(s={}) as r:
        path = r.write(seal([b'{"journal":1,"x":' + inner]))
        os.chmod(path, 0o600)
        for command in ("replay", "resume"):
            done = r.run(command, path)
            equal(done.status, 2, said(done))
            contains(said(done), words)


@each({"a configuration": "config", "a registry": "registry"})
def a_journal_from_elsewhere_cannot_choose(what):
    with recorder(s={}) as r:
        other = os.path.join(r.root, "other")
        os.mkdir(other)
        config = {"mcpServers": {"s": r.fake("evil")}, "permissions": {"allow": ["*"]}}
        write_file(os.path.join(other, ".caprun.json"), json.dumps(config))
        origin = {"config": os.path.join(other, ".caprun.json"), "registry": other}
        done = r.run("resume", forge(r, [JOB], code=CODE, origin={what: origin[what]}))
        equal((done.status, r.starts("evil")), (0, []), done.err)
        equal(r.called("s"), ["echo"])


@test
def a_journal_cannot_give_a_capability_other_code():
    with recorder(s={}) as r:
        r.publish("acme.tools.a.b.0123abcd", CODE, tools=["s:echo"])
        path = r.fresh()
        equal(r.run("acme.tools.a.b", "--registry", r.registry, "--record", path).status, 0)
        bodies = bodies_of(read(path))
        head = json.loads(bodies[0] + b"}")
        for code, status, calls in ((CODE, 0, 2), ("return mcp.s.fail({})", 0, 3)):
            forged = forge(r, [bodies[1]], origin=head["origin"], tools=["s:fail", "s:echo"], code=code)
            done = r.run("resume", forged, "--registry", r.registry)
            equal((done.status, done.out), (status, "1\n"), done.err)
            equal((r.called("s"), "fail" in r.called("s")), (["echo"] * calls, False))


@test
def a_sent_call_that_the_code_makes_later_is_not_made_again():
    """A worker with native code of an attacker, or another engine, can do this without a forged journal."""
    with recorder(s={}) as r:
        late = "await new Promise((r) => setTimeout(r, 20)); return mcp.s.echo({})"
        done = r.run("resume", forge(r, [JOB, CALL, SEND], code=late), "--fail-unknown")
        equal(r.called("s"), [], "calls")
        equal(done.status, 8, said(done))
        contains(done.err, "REPLAY_DIFFERED", "Call 1 is missing")
        twin = r.run("resume", forge(r, [JOB], code=late))
        equal((twin.status, r.called("s")), (0, ["echo"]), said(twin))


@each({"a log line": {"at": 1, "from": "log", "line": "x"},
       "an attempt": {"at": 1, "from": "blocked", "api": "eval", "access": "eval", "target": "", "message": "m"}})
def a_recorded_message_that_does_not_come_again_is_a_difference(line):
    with recorder(s={}) as r:
        done = r.run("resume", forge(r, [JOB, line], code="await mcp.s.echo({}); return 1"))
        equal((done.status, r.called("s")), (8, []), said(done))


@test
def a_resume_that_is_refused_leaves_the_journal_as_it_was():
    boot = "0" * 36
    with recorder(s={}) as r:
        for lines, head, options, status in (
                ([JOB, CALL, SEND], {}, [], 2),
                ([JOB, CALL, SEND], {"boot": boot}, ["--fail-unknown"], 2),
                ([JOB, CALL, SEND], {"env": {"NOT_SET_AT_ALL": ""}}, ["--fail-unknown"], 2),
                ([JOB, CALL, SEND], {"origin": {"fqdn": "acme.tools.no.where", "code": "", "metadata": ""}},
                 ["--fail-unknown"], 6),
                ([JOB, CALL, SEND], {}, ["--config", "/nowhere.json"], 2),
                ([JOB, CALL, SEND], {"code": "return 2"}, ["--fail-unknown"], 8)):
            path = forge(r, lines, **head)
            before = read(path)
            done = r.run("resume", path, *options)
            equal(done.status, status, said(done))
            equal(read(path), before, f"the journal, {head} {options}")
        done = r.run("resume", forge(r, [JOB, CALL, SEND], code=CODE.replace(";", ".catch(() => 0);")), "--fail-unknown")
        equal((done.status, done.out), (0, "1\n"), done.err)


@test
def args_of_new_calls_during_a_resume_do_not_fill_the_host():
    """The largest number of open calls, each with args of 4 MiB; a live run needs 100 MiB."""
    code = "const t = 'x'.repeat(4 << 20); await Promise.all(Array.from({length: 200}, (_, i) =>" \
           " mcp.s.text({text: 'a' + i, t}).catch(() => 0))); return 1"
    with recorder(settings={"recordLimits": {"runMB": 100}}, s={}) as r:
        live = r.start("exec", "-", code=code).end(120)
        equal(live.status, 0, live.err)
        run = "01a1e758-5291-710e-b1cc-f5c94e1df98b"
        path = shutil.move(forge(r, [JOB], code=code, run=run), f"{r.state}/caprun/runs/{run}.jsonl")
        done = r.start("resume", run).end(120)
        equal(done.status, 0, done.err)
        blobs = [entry.stat().st_size for entry in os.scandir(f"{path}.d")] if os.path.isdir(f"{path}.d") else []
        between(done.max_rss >> 20, 0, 400, f"MiB, where a live run has {live.max_rss >> 20}")
        between(sum(blobs) >> 20, 90, 110, "MiB on disk")


LONG = "const list = Array(7 << 20).fill(1);"
# name: (args, the output of the run)
LONG_ARGS = {
    "args that may be sent": ("{list, text: 'a'}", '"a"\n'),
    "args that are refused": (r"{list, text: '\0'}", '"The args of s:text are refused: '),
}


@each({f"{what}, {when}": (when == "recorded", *case) for what, case in LONG_ARGS.items() for when in ("new", "recorded")})
def a_call_with_long_args_is_made_when_the_run_is_live_again(case):
    """Long args must be scanned in a helper thread or while they arrive: `make check-watchdog` detects a long turn."""
    is_recorded, args, printed = case
    code = f"{LONG} return mcp.s.text({args}).catch((e) => e.message)"
    with recorder(s={}) as r:
        live = r.record(code)
        path = forge(r, [JOB], code=code)
        if is_recorded:
            shutil.copytree(f"{live}.d", f"{path}.d")
            forged = [line for line in lines_of(live) if line.get("to") == "job" or line.get("from") == "call"]
            path = shutil.move(forge(r, [{k: v for k, v in line.items() if k != "h"} for line in forged], code=code), path)
        before = len(r.called("s"))
        done = r.run("resume", path)
        equal(done.status, 0, done.err)
        assert done.out.startswith(printed), done.out[:200]
        equal(len(r.called("s")) - before, 1 if printed == '"a"\n' else 0, "calls")


@test
def a_long_log_line_is_a_blob_and_is_replayed():
    """Its characters are escaped: in the journal's line they would be six times as long."""
    code = r"console.log('\u0001'.repeat(1000 * 1000)); console.log('[['.repeat(1000)); return 1"
    with recorder() as r:
        path = r.record(code)
        first, second = [line for line in lines_of(path) if line.get("from") == "log"]
        equal((first["lineBytes"], second["line"]), (1000 * 1000, "[[" * 1000))
        with open(f"{path}.d/{first['lineBlob']}", "rb") as file:
            equal(file.read(), b"\1" * (1000 * 1000))
        equal(os.listdir(f"{path}.d"), [first["lineBlob"]])
        equal(r.replay(path), 0, r.err)
        equal(r.replay(path, "--code", r.write(code.replace("1000 * 1000", "999 * 1000").encode())), 8)
        contains(r.out + r.err, "Line 1 of the log is not what was recorded", "(too long to be shown)")


@each({"no text": b"return 1 //\xff" + b" " * 70000, "with a NUL": b"return 1 //\0" + b" " * 70000,
       "another": b"return 2 //" + b" " * 70001})
def code_in_a_blob_is_checked_like_other_code(bytes_of_it):
    with recorder() as r:
        path = r.record("return 1 //" + " " * 70001)
        head = lines_of(path)[0]
        equal((head.get("code"), head["codeBytes"], os.listdir(f"{path}.d")), (None, 70012, [head["codeBlob"]]))
        equal(r.replay(path), 0, r.err)
        name = hashlib.sha256(bytes_of_it).hexdigest()
        write_file(f"{path}.d/{name}", bytes_of_it)
        forged = forge(r, lines_of(path)[1:], **{**head, "code": None, "codeBlob": name, "codeBytes": len(bytes_of_it)})
        os.rename(f"{path}.d", f"{forged}.d")
        done = r.run("replay", forged)
        equal(done.status, 8 if bytes_of_it.startswith(b"return 2") else 2, said(done))
        if done.status == 2:
            contains(said(done), "the code is not a text in UTF-8")


@each({"a link to a file of the user": os.link, "a FIFO": lambda _, path: os.mkfifo(path)})
def a_file_in_the_place_of_a_blob_is_replaced_and_not_written_to(plant):
    """Who passes on a journal also passes on its blobs. The run prints the log line again when it is resumed."""
    text = "echo owned " + "x" * 70_000
    with recorder(s={}) as r:
        path = r.record("console.log('echo owned ' + 'x'.repeat(70_000)); await mcp.s.echo({}); return 1")
        lines = [line for line in lines_of(path)[1:] if "end" not in line and line.get("from") != "done"]
        forged = forge(r, lines, **{**lines_of(path)[0], "_file": None})
        mine = r.write(b"echo mine")
        name = hashlib.sha256(text.encode()).hexdigest()
        os.mkdir(f"{forged}.d")
        plant(mine, f"{forged}.d/{name}")
        done = r.run("resume", forged)
        equal(done.status, 0, said(done))
        equal(read(mine), b"echo mine")
        equal(read(f"{forged}.d/{name}"), text.encode())


@test
def a_difference_in_the_order_of_many_keys_is_found_in_bounded_time():
    """Each of 4,000 keys is searched among 4,000: `make check-watchdog` detects a long turn."""
    code = "const o = {}; for (let i = 0; i < 4000; i++) o['k' + i] = i; await mcp.s.echo(o); return 1"
    with recorder(s={}) as r:
        args = {f"k{i}": i for i in reversed(range(4000))}
        done = r.run("replay", forge(r, changed(1, args=args), code=code))
        equal(done.status, 8, said(done))
        contains(said(done), "Call 1 is not what was recorded")


# --- hostile capabilities ------------------------------------------------------------------------

DEEP = "let v = 1; for (let i = 0; i < {n}; i++) v = [v];"
DEEPEST = {  # name: code whose value has 1000 levels where the journal has it
    "a result": DEEP.format(n=1000) + "return v",
    "args of a call": DEEP.format(n=999) + "await mcp.s.text({text: 'x', v}).catch(() => 0)",
}


@each(DEEPEST)
def a_value_of_the_maximum_depth_does_not_spoil_the_journal(code):
    with recorder(s={}) as r:
        path = r.record(code)
        equal(r.replay(path), 0, r.err)


@test
def args_of_the_maximum_depth_do_not_spoil_the_journal():
    with recorder(s={}) as r:
        path = r.record("return 1", '{"a":' + "[" * 999 + "]" * 999 + "}")
        equal(r.replay(path), 0, r.err)


@test
def a_capability_cannot_forge_a_line():
    forged = '\\n{"at":1,"to":"reply","n":1,"kind":"tool","json":{}}\\n","h":"' + "0" * 32 + '"}\\u2028\\u0085'
    with recorder(s={}) as r:
        path = r.record(f"""
            const t = '{forged}';
            console.log(t); console.log('a\\r\\nb');
            try {{ eval(t) }} catch {{}}
            await fetch('http://x/' + t).catch(() => 0);
            await mcp.s.text({{text: t, [t]: t}});
            await mcp.s.fail({{text: t}}).catch(() => 0);
            throw Object.assign(new Error(t), {{name: t, stack: t}})""", status=1)
        text = read(path)
        equal(seal(bodies_of(text)), text, "the chain")
        equal([line.get("n") for line in lines_of(path) if line.get("to") == "reply"], [1, 2])
        equal(r.replay(path), 0, r.err)


@test
def ten_thousand_lines_and_calls_are_replayed_in_bounded_time():
    with recorder(s={}) as r:
        path = r.record("""
            for (let i = 0; i < 10000; i++) { console.log('line', i); if (i % 4 == 0) await mcp.s.echo({i}); }
            for (let i = 0; i < 1000; i++) await mcp.no.where({i}).catch(() => 0);
            return 1""")
        done = r.start("replay", path).end(60)
        equal(done.status, 0, done.err)
        between(done.seconds, 0, stretched(10), "seconds")


@test
def a_difference_in_long_args_is_short():
    many = "Object.fromEntries(Array.from({length: 5000}, (_, i) => ['k' + (i * 7919 % 5000), i PLUS]))"
    with recorder(s={}) as r:
        code = f"await mcp.no.where({many}).catch(() => 0)"
        path = r.record(code.replace("PLUS", ""))
        other = write_file(os.path.join(r.root, "other.js"), code.replace("PLUS", "+ 1"))
        done = r.start("replay", path, "--code", other).end(60)
        equal(done.status, 8, done.err)
        between(len(done.err), 100, 20000, "bytes")
        between(done.seconds, 0, stretched(10), "seconds")


# --- disks -----------------------------------------------------------------------------------------

FILL = "for (let i = 0; i < 60; i++) await mcp.s.echo({i, t: 'x'.repeat(1000)}); return 'all'"


class SmallDisk:
    """A file system of |kib| KiB; only for root."""

    def __init__(self, path, kib):
        self.path, self.kib = path, kib

    def mount(self, *options):
        return subprocess.run(["mount", *options, self.path], capture_output=True, check=False).returncode == 0

    def __enter__(self):
        os.mkdir(self.path)
        need(os.getuid() == 0 and self.mount("-t", "tmpfs", "-o", f"size={self.kib}k,mode=0777", "none"),
             "no file system can be mounted here")
        return self

    def grow(self):
        assert self.mount("-o", "remount,size=64m")

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.path], check=True)


@test
def a_run_without_space_for_its_default_journal_goes_on_and_cannot_be_resumed():
    with recorder(s={}) as r, SmallDisk(os.path.join(r.root, "disk"), 64) as disk:
        env = {"XDG_STATE_HOME": disk.path}
        done = r.run("exec", "-", code=FILL, env=env)
        equal((done.status, done.out, len(r.called("s"))), (0, '"all"\n', 60), done.err)
        contains(done.err, "the run is not recorded any more", "No space left")
        equal(os.listdir(f"{disk.path}/caprun/runs"), [])
        disk.grow()
        equal(r.run("exec", "-", code=FILL, env=env).status, 0)
        equal([name[36:] for name in sorted(os.listdir(f"{disk.path}/caprun/runs"))], [".jsonl", ".jsonl.mark"])


@test
def a_run_without_space_for_its_named_journal_ends_and_can_be_resumed_later():
    with recorder(s={}) as r, SmallDisk(os.path.join(r.root, "disk"), 64) as disk:
        path = f"{disk.path}/run.jsonl"
        done = r.run("exec", "-", "--record", path, code=FILL)
        equal((done.status, done.out), (70, ""), done.err)
        contains(done.err, "cannot be recorded", "No space left")
        sent = [line["send"] for line in lines_of(path) if "send" in line]
        equal(len(r.called("s")), len(sent), "calls that were made, and those that are in the journal")
        disk.grow()
        done = r.run("resume", path, "--json")
        lost = [call["n"] for call in done.envelope["calls"] if call["state"] == "in_flight_unknown"]
        numbers = [line["params"]["arguments"]["i"] for line in r.trace("s") if line.get("method") == "tools/call"]
        equal((sorted(set(numbers)), numbers), (numbers, sorted(numbers)), "each call once")
        if not lost:
            equal((done.status, numbers), (0, list(range(60))), done.err)


@test
def a_journal_that_cannot_even_be_removed_does_not_lead_to_calls_twice():
    """Like a file system that has become read-only: neither write() nor unlink() work."""
    with recorder(settings={"audit": {"off": True}}, s={}) as r:  # its file would be too long, too
        place = os.path.join(r.state, "caprun/runs")
        begin = "await mcp.s.echo({first: 1}); await mcp.s.sleep({ms: 500}).catch(() => 0); "
        running = r.start("exec", "-", code=begin + FILL)
        wait_until(lambda: len(r.called("s")) == 2, 20, "the second call")
        (path,) = r.runs()
        fixed = subprocess.run(["chattr", "+i", place], capture_output=True, check=False).returncode == 0
        resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (os.path.getsize(path),) * 2)
        done = running.end(60)
        subprocess.run(["chattr", "-i", place], capture_output=True, check=False)
        need(fixed, "no directory can be made immutable here")
        made = len(r.called("s"))
        again = r.run("resume", path)
        if done.status == 0:  # it went on without a journal
            equal((made, len(r.called("s"))), (62, 62), f"calls; resume: {again.status}, {said(again)}")
        else:
            equal(len(r.called("s")), 62, f"calls, {made} of them before; resume: {again.status}, {said(again)}")


@each({"a file": "file", "a link to nothing": "link", "a pipe": "fifo", "a device": "/dev/full", "a directory": "."})
def a_record_is_a_new_file(what):
    with recorder(s={}) as r:
        path = what if what.startswith(("/", ".")) else os.path.join(r.root, "there")
        if what == "file":
            write_file(path, "mine")
        elif what == "link":
            os.symlink(os.path.join(r.root, "elsewhere"), path)
        elif what == "fifo":
            os.mkfifo(path)
        done = r.run("exec", "-", "--record", path, code=CODE)
        equal((done.status, done.out, r.called("s")), (2, "", []), done.err)
        assert not os.path.exists(os.path.join(r.root, "elsewhere"))
        equal(r.run("exec", "-", "--record", r.fresh(), code=CODE).status, 0)


@test
def of_two_runs_that_are_recorded_to_one_file_the_second_does_not_begin():
    with recorder(s={}) as r:
        path = r.fresh()
        words = ["exec", "-", "--record", path]
        both = [r.start(*words, code=CODE) for _ in range(4)]
        equal(sorted(one.end(60).status for one in both), [0, 2, 2, 2])
        equal((r.replay(path), r.called("s")), (0, ["echo"]), r.err)


@test
def a_link_in_the_place_of_the_directory_of_blobs_is_not_followed():
    with recorder(s={}) as r, scratch_dir() as elsewhere:
        name = "0" * 64
        write_file(f"{elsewhere}/{name}", "mine")
        path = r.fresh()
        os.symlink(elsewhere, path + ".d")
        done = r.run("exec", "-", json.dumps({"a": "x" * 100000}), "--record", path, code="return args.a.length")
        equal(os.listdir(elsewhere), [name], f"what is there; status {done.status}, {done.err}")


@test
def the_journal_of_a_live_run_is_never_removed():
    limits = {"recordLimits": {"runMB": 1, "totalMB": 1}}
    long = {"t": "x" * 30000}  # long enough that each run removes old journals
    with recorder(settings=limits, s={}) as r:
        running = r.start("exec", "-", code="await mcp.s.never({})")
        wait_until(lambda: "never" in r.called("s"), 20, "the call")
        (path,) = r.runs()
        os.utime(path, (1, 1))
        equal(r.run("exec", "-", json.dumps(long), code="return 1").status, 0)
        assert path in r.runs(), "it goes on, and is gone"
        running.send(signal.SIGKILL)
        running.end()
        wait_until(lambda: not reap_orphans(), 10, "the end of orphans")
        os.utime(path, (1, 1))
        equal(r.run("exec", "-", json.dumps(long), code="return 1").status, 0)
        assert path not in r.runs(), "it is old, and is there"


main()
