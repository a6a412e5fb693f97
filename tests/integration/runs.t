#!/usr/bin/env python3
"""runs.t - `caprun runs`: the list of recorded runs and the details of one, as text and as JSON."""

import contextlib
import fcntl
import glob
import os
import re
import signal
import sqlite3
import struct
import sys
import termios
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import (BUILD, CAPRUN, Process, Terminal, contains, each, equal, main, need_program, reap_orphans, test,
                     wait_until, write_file)
from journals import bodies_of, read, recorder, seal

CLOCK = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"


def listed(r, *words, **options):
    done = r.run("runs", "--json", *words, **options)
    equal(done.status, 0, done.err)
    return done.envelope


def shown(r, *words, columns=80):
    done = r.run("runs", *words, env={"COLUMNS": str(columns)})
    equal(done.status, 0, done.err)
    return done.out


def seen(r, columns, *words):
    """The output on a terminal with |columns| columns."""
    terminal = Terminal()
    fcntl.ioctl(terminal.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    done = r.start("runs", *words, stdout=terminal.theirs, env={"TERM": "xterm", "NO_COLOR": ""}).end()
    text = terminal.text()
    equal(done.status, 0, done.err)
    return text


def plain(text):
    return re.sub(r"\x1b\[\d+m", "", text)


def made_up(r, *lines):
    """Writes a journal that has only these lines after the job."""
    head = bodies_of(read(r.record("return 1")))[0]
    if lines and '"end":"SUCCESS"' in lines[-1]:
        lines = [*lines[:-1], lines[-1].split(",")[0] + ',"from":"done","result":1', lines[-1]]
    return r.write(seal([head, b'{"at":0,"to":"job","date":1700000000000000', *(line.encode() for line in lines)]))


def call(n, at, method="s:echo", args="{}"):
    return f'{{"at":{at},"from":"call","n":{n},"method":"{method}","args":{args}'


def send(n, at):
    return f'{{"at":{at},"send":{n},"tool":"s:echo","decision":"allow","by":"rule:s:*"'


def reply(n, at):
    return f'{{"at":{at},"to":"reply","n":{n},"kind":"value","json":1'


def fail(n, at, state, more=""):
    return f'{{"at":{at},"to":"fail","n":{n},"state":"{state}"{more},"code":"RPC_ERROR","message":"no"'


def ended(at, outcome="SUCCESS"):
    return f'{{"at":{at},"end":"{outcome}","calls":0,"cpuUs":1,"memoryBytes":1'


def picture(text):
    """The lines of the picture, from the axis on."""
    return text.partition("\n\n")[2].splitlines()


# --- the list --------------------------------------------------------------------------------


@test
def where_nothing_was_recorded_it_says_so():
    with recorder() as r:
        done = r.run("runs")
        equal((done.status, done.out), (0, ""))
        contains(done.err, "caprun: nothing was recorded yet")
        equal(listed(r), {"runs": []})
        assert not os.path.exists(r.state)


@test
def runs_are_listed_with_the_latest_first():
    with recorder(s={}) as r:
        r.run("exec", "-", code="return 1")
        r.run("exec", "-", code="throw new Error('no')")
        r.run("call", "s:echo", "{}")
        r.publish()
        r.upper()
        runs = listed(r)["runs"]
        equal([run.get("fqdn") or f"{run['command']} {run['subject']}" for run in runs],
              ["acme.tools.text.upper.0123abcd", "call s:echo", "exec -", "exec -"])
        equal([run["outcome"] for run in runs], ["SUCCESS", "SUCCESS", "CODE_ERROR", "SUCCESS"])
        equal([run["calls"] for run in runs], [0, 1, 0, 0])
        equal([run["path"] for run in runs], r.runs()[::-1])
        title, *rows = shown(r, columns=100).splitlines()
        equal(title.split(), ["run", "when", "what", "outcome", "took", "calls"])
        for row, run in zip(rows, runs, strict=True):
            assert re.match(rf"{run['runId'][-8:]}  {CLOCK}  ", row), row
        assert re.search(r"  acme\.tools\.text\.upper  success  +[\d.]+ .s  0$", rows[0]), rows[0]
        assert re.search(r"  exec -  +CODE_ERROR  +[\d.]+ .s  0$", rows[2]), rows[2]
        assert re.search(r"^\w+  \d\d-\d\d \d\d:\d\d  acme\.t\S*…  success *$", shown(r, columns=45).splitlines()[1])


@test
def only_some_are_shown_but_a_program_gets_all():
    with recorder() as r:
        text = read(r.record("return 1"))
        os.makedirs(os.path.join(r.state, "caprun/runs"), mode=0o700)
        for i in range(60):
            write_file(os.path.join(r.state, f"caprun/runs/01a1e753-276d-7ecb-9ff8-0000000000{i:02x}.jsonl"), text)
        lines = shown(r).splitlines()
        equal((len(lines), lines[-1]), (52, "and 10 more; caprun runs --json has them all"))
        equal(lines[1][:8], "0000003b")
        equal(len(listed(r)["runs"]), 60)
        equal(len(shown(r).splitlines()), 52)


@test
def a_journal_that_cannot_be_read_is_a_row():
    with recorder() as r:
        r.run("exec", "-", code="return 1")
        path = r.runs()[0]
        write_file(path, read(path).replace(b'"SUCCESS"', b'"SUCCES2"'))
        contains(shown(r), "  unreadable\n")
        run, = listed(r)["runs"]
        equal((run["state"], "outcome" in run), ("unreadable", False))
        contains(run["message"], f"{path}:", "hash")
        done = r.run("runs", run["runId"], "--json")
        equal((done.status, done.envelope["error"]["code"]), (2, "JOURNAL_INVALID"))


@test
def untrusted_text_is_escaped():
    with recorder() as r:
        write_file(os.path.join(r.work, "a\x1b[31m\nb.js"), "throw new Error('\\x1b]0;title\\x07')")
        r.run("exec", "a\x1b[31m\nb.js")
        run = listed(r)["runs"][0]
        equal(run["subject"], "a\x1b[31m\nb.js")
        for text in (seen(r, 100), seen(r, 100, run["runId"])):
            contains(text, "exec a\\u001b[31m\\nb.js")
            assert not re.search(r"[^\n\x20-\x7e\u0080-\uffff]", plain(text)), text
        contains(plain(text), "CODE_ERROR: \\u001b]0;title\\u0007\n")


# --- removing --------------------------------------------------------------------------------


def ids(r):
    return [run["runId"] for run in listed(r)["runs"]]


def removed(r, *words):
    done = r.run("runs", "--rm", "--json", *words)
    equal((done.status, done.err), (0, ""))
    return done.envelope


@test
def runs_are_removed_by_name_with_all_that_is_theirs():
    with recorder(s={}) as r:
        for n in range(4):
            r.run("exec", "-", code=f"await mcp.s.echo({{}}); return '{n}'.repeat(70000)")
        before = ids(r)
        equal(removed(r, before[0][-8:], before[2], before[0]), {"removed": 2, "kept": 0})
        equal(ids(r), [before[1], before[3]])
        names = sorted(os.listdir(os.path.join(r.state, "caprun/runs")))
        equal(names, sorted(f"{run}.jsonl{end}" for run in (before[1], before[3]) for end in ("", ".d", ".mark")))
        done = r.run("runs", "--rm", before[1])
        equal((done.status, done.out, done.err), (0, "", "caprun: removed 1 run\n"))


@test
def runs_are_removed_by_their_age_or_all():
    with recorder() as r:
        for n in range(3):
            r.run("exec", "-", code="return 1")
        first, second, third = sorted(r.runs())
        for path, days in ((first, 9), (second, 8)):
            os.utime(path, (time.time() - days * 86400,) * 2)
        equal(removed(r, "--older", "10d"), {"removed": 0, "kept": 0})
        equal(removed(r, "--older", "204h"), {"removed": 1, "kept": 0})
        equal(removed(r, "--older=7d"), {"removed": 1, "kept": 0})
        equal(r.runs(), [third])
        equal(removed(r, "--all"), {"removed": 1, "kept": 0})
        equal((r.runs(), ids(r)), ([], []))


@test
def a_run_that_goes_on_is_kept():
    with recorder(s={}) as r:
        running = r.start("exec", "-", code="await mcp.s.never()")
        wait_until(lambda: "never" in r.called("s"), 20, "the call")
        (path,) = r.runs()
        equal(removed(r, "--all"), {"removed": 0, "kept": 1})
        done = r.run("runs", "--rm", os.path.basename(path)[:36])
        equal((done.status, done.out), (2, ""))
        contains(done.err, "goes on, and is kept")
        running.send(15)
        running.end(20)
        equal(removed(r, "--all"), {"removed": 1, "kept": 0})


@each({"nothing": ([], "does not say what"), "two kinds": (["--all", "--older", "7d"], "takes either"),
       "a name and all": (["--all", "0123"], "takes either"), "no age": (["--older", "7"], "is not an age"),
       "a path": (["./x.jsonl"], "is not a run in the state directory"), "no id": (["zz"], "is not the id"),
       "one is wrong": (["good", "zz"], "is not the id"), "days without end": (["--older", "99999d"], "is not an age")})
def what_is_not_said_rightly_removes_nothing(row):
    words, part = row
    with recorder() as r:
        r.run("exec", "-", code="return 1")
        (good,) = ids(r)
        done = r.run("runs", "--rm", *[good if word == "good" else word for word in words])
        equal((done.status, done.out), (2, ""))
        contains(done.err, part)
        equal(ids(r), [good])
        done = r.run("runs", "--all")
        equal(done.status, 2)
        contains(done.err, "need --rm")


# --- the index -------------------------------------------------------------------------------


@test
def without_libsqlite_or_with_a_broken_index_the_list_is_the_same():
    with recorder() as r:
        r.run("exec", "-", code="return 1")
        wanted = listed(r)
        index = os.path.join(r.state, "caprun/index.db")
        write_file(index, b"x" * 9000)
        equal(listed(r), wanted)
        assert read(index).startswith(b"SQLite format 3\0")
        os.unlink(index)
        write_file(os.path.join(r.root, "libsqlite3.so.0"), b"")
        broken = {"LD_LIBRARY_PATH": r.root}
        equal(listed(r, env=broken), wanted)
        equal(r.run("runs", env=broken).err, "")
        contains(r.run("runs", "-v", env=broken).err, "caprun: cannot open libsqlite3", "install libsqlite3-0")
        assert not os.path.exists(index)


COLUMNS = "mtime_ns INTEGER NOT NULL, size INTEGER NOT NULL"
LONG = "length(replace(hex(zeroblob(900000000)), '0', 'x')) > 0"


@each({"a check": f"CREATE TABLE runs (id TEXT PRIMARY KEY, {COLUMNS}, CHECK ({LONG}))",
       "a column that is computed": f"CREATE TABLE runs (id TEXT PRIMARY KEY, {COLUMNS}, x AS ({LONG}))",
       "a view": "CREATE VIEW runs AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) "
                 "SELECT printf('%036d', i) AS id, 0 AS mtime_ns, 0 AS size FROM n",
       "a trigger": "CREATE TABLE runs (id TEXT PRIMARY KEY); CREATE TRIGGER t BEFORE INSERT ON runs BEGIN "
                    "SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT i FROM n); END"})
def an_index_that_would_never_end_is_made_again(schema):
    with recorder() as r:
        r.run("exec", "-", code="return 1")
        wanted = listed(r)
        index = os.path.join(r.state, "caprun/index.db")
        for name in glob.glob(index + "*"):
            os.unlink(name)
        with contextlib.closing(sqlite3.connect(index)) as db:
            db.executescript(schema + "; PRAGMA user_version = 1")
        os.chmod(index, 0o600)
        equal(listed(r), wanted)
        with contextlib.closing(sqlite3.connect(index)) as db:
            equal(db.execute("SELECT type, name FROM sqlite_master").fetchall(), [("table", "runs")])


@test
def only_a_list_opens_libsqlite():
    need_program("strace")
    with recorder() as r:
        trace = os.path.join(r.root, "trace")
        watched = ["strace", "-f", "-qq", "-o", trace, "-e", "trace=open,openat"]
        for program in (CAPRUN, os.path.join(BUILD, "libcaprun.so")):
            assert "libsqlite" not in Process(["ldd", program]).end().out
        for words in (["exec", "-"], ["runs", "-"], ["runs"]):
            r.run(*words, under=watched, code="return 1")
            equal(b"libsqlite3.so.0" in read(trace), words == ["runs"], words)


# --- one run ---------------------------------------------------------------------------------


@test
def calls_are_bars_on_one_axis():
    with recorder() as r:
        path = made_up(r, call(1, 0), call(2, 0, "s:a_long_name"), send(1, 200000), call(3, 250000),
                       reply(1, 500000), fail(3, 500000, "denied", ',"by":"rule:s:x"'), send(2, 600000),
                       '{"at":700000,"to":"wake"', fail(2, 999999, "failed"), ended(1000000))
        equal(picture(shown(r, path, columns=78)), [
            "                   0               500 ms        1 s",
            "                   ├───────────────┬───────────────┤",
            " 1  s:echo         ······███████████                  done    500 ms  rule:s:*",
            " 2  s:a_long_name  ···················██████████████  failed  999 ms  rule:s:*",
            " 3  s:echo                 ·········                  denied  250 ms  rule:s:x",
            "    timers                                ╵",
            "    · waits  █ under way  ╵ timer"])


@test
def a_call_of_no_time_is_seen_and_a_run_without_calls_has_no_picture():
    with recorder() as r:
        path = made_up(r, call(1, 0), send(1, 0), reply(1, 0), ended(0))
        assert re.fullmatch(" 1  s:echo    █ +done  0 µs  rule:s:\\*", picture(shown(r, path))[2])
        path = made_up(r, ended(5))
        equal(picture(shown(r, path)), [])


@test
def of_many_calls_the_first_are_shown():
    with recorder() as r:
        lines = [line for n in range(1, 10001) for line in (call(n, n), send(n, n), reply(n, n))]
        path = made_up(r, *lines, ended(10000))
        rows = picture(shown(r, path))
        equal(rows[-1], "9800 more calls are not shown; --json has them all")
        equal((len(rows), rows[201][:6]), (204, "200  s"))
        equal([c["n"] for c in listed(r, path)["calls"]], list(range(1, 10001)))


@each({"narrow": 40, "usual": 80, "wide": 237})
def the_picture_fits_the_terminal(columns):
    with recorder() as r:
        path = made_up(r, call(1, 3, "s:" + "x" * 60), send(1, 4), reply(1, 125000000), ended(125000000))
        rows = picture(plain(seen(r, columns, path)))
        equal(max(len(row) for row in rows), columns)
        contains(rows[0], "2 min 5 s")


@test
def a_program_gets_everything():
    with recorder(s={}) as r:
        path = r.record("console.log(1); await mcp.s.echo({a: 1}); await mcp.s.no().catch(() => {});"
                        "await mcp.s.text({text: 'x'.repeat(70000)}); return {b: 2}")
        run = listed(r, path)
        equal((run["state"], run["outcome"], run["result"], run["logs"]), ("ended", "SUCCESS", {"b": 2}, 1))
        equal((run["args"], run["env"], run["resumes"], run["path"]), ({}, [], [], path))
        equal(run["limits"]["timeoutMs"], 30000)
        done, failed, big = run["calls"]
        equal((done["n"], done["method"], done["args"], done["state"], done["by"]),
              (1, "s:echo", {"a": 1}, "done", "rule:*"))
        assert done["madeUs"] <= done["sentUs"] <= done["answeredUs"] <= run["durationUs"], done
        equal((failed["state"], failed["code"], "sentUs" in failed), ("failed", "RPC_ERROR", False))
        equal(("args" in big, big["argsBytes"]), (False, 70011))


@test
def an_interrupted_run_says_what_is_unknown_and_what_to_type():
    with recorder(s={}) as r:
        running = r.start("exec", "-", code="await mcp.s.echo({}); console.log('on'); await mcp.s.never({})")
        wait_until(lambda: r.runs() and b'"send":2' in read(r.runs()[0]), 10, "the call")
        run, = listed(r)["runs"]
        equal((run["state"], run["unknownCalls"]), ("running", 0))
        equal([c["state"] for c in listed(r, run["runId"])["calls"]], ["done", "waiting"])
        running.send(signal.SIGKILL)
        running.end()
        wait_until(lambda: not reap_orphans(), 10, "the end of all it had started")
        run, = listed(r)["runs"]
        equal((run["state"], run["unknownCalls"], run["calls"]), ("interrupted", 1, 2))
        short = run["runId"][-8:]
        contains(shown(r), "  interrupted*  ", "2, 1 unknown")
        text = shown(r, short)
        contains(text, "it is not known whether call 2 was carried out", f"  caprun resume {short} --retry-unknown\n",
                 f"  caprun resume {short} --retry-call N\n", f"  caprun resume {short} --fail-unknown\n", "░  unknown")
        assert f"  caprun resume {short}\n" not in text, text
        equal(r.run("resume", short, "--fail-unknown").status, 1)
        text = shown(r, short)
        contains(text, "resumed 1 time", "▲", "outcome   RPC_ERROR: ")
        assert "caprun resume" not in text
        equal(len(listed(r, short)["resumes"]), 1)


@each({"no id": ("zz", "is not the id"), "an unused id": ("0123", "no run '0123'"), "a path": ("./x", "no journal")})
def an_unknown_run_is_reported(row):
    word, words = row
    with recorder() as r:
        done = r.run("runs", word, "--json")
        equal((done.status, done.envelope["error"]["code"]), (2, "USAGE"))
        contains(done.envelope["error"]["message"], words)


main()
