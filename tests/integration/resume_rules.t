#!/usr/bin/env python3
"""resume_rules.t - how `caprun resume` treats a call that was in flight, and when it refuses."""

import errno
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import (MULTIPLIER, SANITIZED, between, contains, each, equal, main, need, reap_orphans, stretched,
                     test, wait_until, write_file)
from journals import bodies_of, kind_of, lines_of, movable, read, recorder, seal
from tools import OUTCOME

SILENT = {"s": {"silent": ["tools/call"]}}  # every call stays in flight for ever
ONE = OUTCOME + "const one = await outcome(mcp.s.echo({n: 1})); return [one, await outcome(mcp.s.echo({n: 2}))]"
UNKNOWN = "It is not known whether s:echo was carried out"


def kill(r, running):
    """Kills the host, and waits for the end of all processes that it started."""
    running.send(signal.SIGKILL)
    equal(running.end().status, -signal.SIGKILL)
    wait_until(lambda: not reap_orphans(), 10, "the end of orphans")


def wait_for_calls(r, count, server="s"):
    wait_until(lambda: len(r.called(server)) == count, 20, f"{count} calls, and not {r.called(server)}")


def interrupted(r, code, calls=1, words=("exec", "-"), **options):
    """Runs |code|, and kills the host when |calls| calls have arrived. Returns the path of the journal."""
    running = r.start(*words, code=code, **options)
    wait_for_calls(r, calls)
    kill(r, running)
    return [one for one in r.runs() if one.endswith(".jsonl")][-1]


def id_of(path):
    return os.path.basename(path)[:36]


def resumed(r, path, *options, status=0, **more):
    """Resumes the run; unknown calls that |options| do not name fail."""
    rest = [] if "--retry-unknown" in options else ["--fail-unknown"]
    done = r.run("resume", id_of(path), "--json", *options, *rest, **more)
    equal(done.status, status, f"status; stderr {done.err!r:.800}")
    r.err = done.err
    return done.envelope


@each({"permission is missing": {"permissions": {"deny": ["*"]}},
       "server does not start": {"s": {"command": "/no/such/command"}},
       "server does not greet": {"s": {"silent": ["initialize"], "config": {"era": "legacy"}}},
       "server has no such tool": {"s": {"only": ["fail"]}}})
def a_call_that_was_sent_stays_unknown_if_its(change):
    """The twin is the second call, which was never sent: it is denied, or has failed."""
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        r.serve({"s": change.get("s", {})}, change.get("permissions"))
        envelope = resumed(r, path, "--retry-unknown", "--rpc-timeout", "300ms")
        assert [c["state"] for c in envelope["calls"]] in (["in_flight_unknown", state] for state in ("denied", "failed")), \
            str(envelope["calls"])
        equal(envelope["calls"][0]["decision"], "allow")
        one, two = (outcome["message"] for outcome in envelope["result"])
        contains(one, UNKNOWN, "has not called it again, because: ")
        assert "has not been called" not in one and UNKNOWN not in two, f"{one}; {two}"
        equal(envelope["result"][0]["code"], "RPC_ERROR")
        equal(r.called("s"), ["echo"])


@test
def a_run_whose_server_did_not_start_again_can_be_resumed():
    with recorder(**SILENT) as r:
        path = interrupted(r, "return (await mcp.s.echo({n: 1})).n")
        r.serve({"s": {"command": "/no/such/command"}})
        envelope = resumed(r, path, "--retry-unknown", status=1)
        equal((envelope["error"]["code"], envelope["calls"][0]["state"]), ("RPC_ERROR", "in_flight_unknown"))
        r.serve({"s": {}})
        equal(resumed(r, path, "--retry-unknown")["result"], 1)
        equal(r.called("s"), ["echo", "echo"])


def refused(r, path, *parts, status=2, words=(), unknown=("--fail-unknown",), **more):
    before = read(path)
    done = r.run("resume", path, *unknown, *words, **more)
    equal((done.status, done.out), (status, ""), done.err)
    contains(done.err, *parts)
    equal(read(path), before, "the journal")


def states(envelope):
    return [call["state"] for call in envelope["calls"]]


# --- the question ------------------------------------------------------------------------------


def everything(path):
    """The bytes of a journal and its blobs."""
    blobs = sorted(os.listdir(path + ".d")) if os.path.isdir(path + ".d") else []
    return read(path), [(name, read(os.path.join(path + ".d", name))) for name in blobs]


def asked(r, path, *options, words=()):
    """Resumes the run, which has to stop, unchanged and without a start of anything. Returns the envelope."""
    before, calls, starts = everything(path), len(r.called("s")), r.starts("s")
    done = r.run("resume", id_of(path), *options)
    equal((done.status, done.out), (2, ""), done.err)
    contains(done.err, "(USAGE)", *words)
    r.err = done.err
    envelope = r.run("resume", id_of(path), "--json", *options).envelope
    equal((envelope["success"], envelope["error"]["code"], envelope["runId"]), (False, "USAGE", id_of(path)))
    equal((everything(path), len(r.called("s")), r.starts("s")), (before, calls, starts), "journal, calls and starts")
    return envelope


THREE = OUTCOME + "return Promise.all([1, 2, 3].map((n) => outcome(mcp.s.echo({n, text: '\\u001b[2J' + 'x'.repeat(1000)}))))"
CHOICES = ("--retry-unknown", "--retry-call N", "--fail-unknown")


@test
def a_run_with_unknown_calls_stops_and_asks():
    with recorder(**SILENT) as r:
        path = interrupted(r, THREE, 3)
        envelope = asked(r, path, words=("it is not known whether calls 1, 2, 3 were carried out", id_of(path), *CHOICES))
        equal((states(envelope), envelope["metrics"]["rpcCalls"]), (["in_flight_unknown"] * 3, 3))
        contains(envelope["error"]["hint"], *CHOICES)
        lines = r.err.splitlines()
        assert all(re.match(r"caprun: call \d, sent \d{4}-\d\d-\d\d \d\d:\d\d:\d\d: s:echo \{", line) for line in lines[:3]), lines
        assert "\x1b" not in r.err and "x" * 900 not in r.err, r.err
        r.serve({"s": {}})
        equal(states(resumed(r, path, "--retry-unknown")), ["done"] * 3)
        equal(r.replay(path), 0, r.err)


@test
def a_torn_line_stays_while_the_run_asks():
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        write_file(path, read(path) + b'{"at":5,"to":"re')
        asked(r, path, words=("call 1 was carried out",))
        r.serve({"s": {}})
        equal(states(resumed(r, path)), ["in_flight_unknown", "done"])
        equal(r.replay(path), 0, r.err)


@test
def calls_that_were_not_named_are_asked_about():
    with recorder(**SILENT) as r:
        path = interrupted(r, THREE, 3)
        envelope = asked(r, path, "--retry-call", "2", words=("it is not known whether calls 1, 3 were carried out",))
        equal(states(envelope), ["in_flight_unknown"] * 3)
        r.serve({"s": {}})
        equal(states(resumed(r, path, "--retry-call", "1", "--retry-call", "2", "--retry-call", "3")), ["done"] * 3)


@test
def idempotent_calls_are_not_asked_about():
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        r.serve({"s": {"config": {"idempotent": ["ec*"]}}})
        done = r.run("resume", id_of(path), "--json")
        equal((done.status, states(done.envelope)), (0, ["done", "done"]), done.err)


# (options, what is said)
NO_SUCH_CALL = {
    "not made": (["--retry-call", "7"], "call 7 is not unknown: it has not been made"),
    "answered": (["--retry-call", "1", "--retry-call", "2"], "call 1 is not unknown: it was answered"),
    "both": (["--retry-unknown", "--fail-unknown"], "cannot both be given"),
}


@each(NO_SUCH_CALL)
def a_decision_about_no_unknown_call_is_refused(case):
    options, words = case
    with recorder(s={}) as r:
        path = interrupted(r, OUTCOME + "await mcp.s.echo({}); return outcome(mcp.s.never({}))", 2)
        asked(r, path, *options, words=(words,))
        equal(states(asked(r, path)), ["done", "in_flight_unknown"])
        equal(states(resumed(r, path)), ["done", "in_flight_unknown"])


@test
def after_a_restart_only_all_calls_can_be_retried():
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        boot = lines_of(path)[0]["boot"].encode()
        write_file(path, seal([body.replace(boot, b"1" * len(boot)) for body in bodies_of(read(path))]))
        for options in ([], ["--fail-unknown"], ["--retry-call", "1"]):
            asked(r, path, *options, words=("the machine was restarted since", "--retry-unknown"))
        r.serve({"s": {}})
        equal(states(resumed(r, path, "--retry-unknown")), ["done", "done"])


# --- a call that was in flight ---------------------------------------------------------------


@test
def a_call_that_was_under_way_fails_and_the_code_goes_on():
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        r.serve({"s": {}})
        envelope = resumed(r, path)
        one, two = envelope["result"]
        equal((one["code"], one["name"], two), ("RPC_ERROR", "Error", {"value": {"n": 2}}))
        contains(one["message"], UNKNOWN)
        equal(states(envelope), ["in_flight_unknown", "done"])
        equal([call["by"] for call in envelope["calls"]], ["rule:*", "rule:*"])
        equal(envelope["runId"], id_of(path))
        contains(r.err, "call 1, s:echo: it is not known whether it was carried out")
        equal(len(r.called("s")), 2)
        equal(r.replay(path), 0, r.err)


@test
def an_uncaught_call_ends_the_run():
    with recorder(**SILENT) as r:
        path = interrupted(r, "return mcp.s.echo({n: 1})")
        r.serve({"s": {}})
        envelope = resumed(r, path, status=1)
        error = envelope["error"]
        equal((error["code"], error["type"], error["toolName"]), ("RPC_ERROR", "RuntimeError", "s:echo"))
        equal((states(envelope), len(r.called("s"))), (["in_flight_unknown"], 1))
        equal(r.replay(path), 0, r.err)


AGAIN = {
    "--retry-unknown": (["--retry-unknown"], {}),
    "--retry-call of it": (["--retry-call", "1"], {}),
    "--retry-call, twice": (["--retry-call", "1", "--retry-call=1"], {}),
    "--retry-call of one that is idempotent": (["--retry-call", "1"], {"idempotent": ["ec*"]}),
    "a tool that the configuration calls idempotent": ([], {"idempotent": ["ec*"]}),
}


@each(AGAIN)
def a_call_that_may_be_repeated_is_made_again(case):
    options, config = case
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        r.serve({"s": {"config": config}})
        envelope = resumed(r, path, *options)
        equal((envelope["result"], states(envelope)), ([{"value": {"n": 1}}, {"value": {"n": 2}}], ["done"] * 2))
        equal(len(r.called("s")), 3)
        equal(r.replay(path), 0, r.err)


@test
def a_call_that_may_not_is_not():
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        r.serve({"s": {"config": {"idempotent": ["read_*"]}}})
        envelope = resumed(r, path)
        equal((states(envelope), len(r.called("s"))), (["in_flight_unknown", "done"], 2))


# (tool of the server, name in the code): is the call repeated with "idempotent": ["read_*"]?
SPELLED = {
    "an alias that matches, of a tool that does not": ("read-and-clear", "read_and_clear", False),
    "a tool that matches": ("read_all", "read_all", True),
    "a tool that matches, by its alias": ("read_a-b", "read_a_b", True),
}


@each(SPELLED)
def idempotent_goes_by_the_exact_name_of_the_tool(case):
    tool, called, again = case
    server = {"tools": [{"name": tool}]}
    with recorder(s={**server, **SILENT["s"]}) as r:
        path = interrupted(r, OUTCOME + f"return outcome(mcp.s.{called}({{n: 1}}))")
        equal([line["tool"] for line in lines_of(path) if "send" in line], [f"s:{tool}"])
        r.serve({"s": {**server, "config": {"idempotent": ["read_*"]}}})
        envelope = resumed(r, path)
        equal((states(envelope), len(r.called("s"))), (["done"], 2) if again else (["in_flight_unknown"], 1))
        equal(r.replay(path), 0, r.err)


@test
def a_journal_without_exact_names_has_no_idempotent_calls():
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        older = [re.sub(rb',"(tool|decision|codeName)":"[^"]*"', b"", body).replace(b'{"journal":2', b'{"journal":1')
                 for body in bodies_of(movable(read(path)))]
        assert not any(b'"tool"' in body for body in older) and b'"send":1' in b"".join(older), older
        write_file(path, seal(older))
        r.serve({"s": {"config": {"idempotent": ["*"]}}})
        envelope = resumed(r, path)
        equal((states(envelope), len(r.called("s"))), (["in_flight_unknown", "done"], 2))
        equal(r.replay(path), 0, r.err)


@test
def of_several_only_those_that_are_named_are_made_again():
    with recorder(**SILENT) as r:
        path = interrupted(r, OUTCOME + "return Promise.all([1, 2, 3].map((n) => outcome(mcp.s.echo({n}))))", 3)
        r.serve({"s": {}})
        envelope = resumed(r, path, "--retry-call", "2")
        equal([one.get("value", one.get("code")) for one in envelope["result"]], ["RPC_ERROR", {"n": 2}, "RPC_ERROR"])
        equal(len(r.called("s")), 4)


@test
def a_run_that_is_killed_again_and_again_keeps_what_it_was_told():
    with recorder(**SILENT) as r:
        path = interrupted(r, OUTCOME + """
            const all = [];
            for (let n = 1; n < 4; n++) { all.push(await outcome(mcp.s.echo({n}))); console.log(n); }
            return [all.map((o) => o.code), Math.random()]""")
        for calls in (2, 3):
            running = r.start("resume", id_of(path), "--fail-unknown")
            wait_for_calls(r, calls)
            kill(r, running)
        envelope = resumed(r, path)
        equal((envelope["result"][0], states(envelope)), (["RPC_ERROR"] * 3, ["in_flight_unknown"] * 3))
        equal((envelope["logs"], len(r.called("s"))), (["1", "2", "3"], 3))
        equal([kind_of(line) for line in lines_of(path)].count("resume"), 3)
        equal(r.replay(path), 0, r.err)


@test
def a_call_that_was_retried_and_killed_again_is_unknown_again():
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        running = r.start("resume", id_of(path), "--retry-unknown")
        wait_for_calls(r, 2)
        kill(r, running)
        r.serve({"s": {}})
        envelope = resumed(r, path)
        equal((states(envelope), len(r.called("s"))), (["in_flight_unknown", "done"], 3))


@test
def a_call_that_was_not_sent_is_sent_now():
    with recorder(s={"bootMs": 600000}) as r:
        running = r.start("exec", "-", code=ONE)
        wait_until(lambda: r.starts("s") and r.runs() and read(r.runs()[0]).endswith(b"\n"), 20, "a server that boots")
        kill(r, running)
        path = r.runs()[0]
        r.serve({"s": {}})
        envelope = resumed(r, path)
        equal((states(envelope), len(r.called("s"))), (["done"] * 2, 2))


# --- when a run may be resumed ---------------------------------------------------------------


@test
def a_run_that_goes_on_is_not_resumed():
    with recorder(**SILENT) as r:
        running = r.start("exec", "-", code=ONE)
        wait_for_calls(r, 1)
        path = r.runs()[0]
        done = r.run("resume", id_of(path))
        equal((done.status, done.out), (2, ""), done.err)
        contains(done.err, "goes on, in another process")
        kill(r, running)
        r.serve({"s": {}})
        equal(states(resumed(r, path)), ["in_flight_unknown", "done"])


BROKEN_KERNEL = """
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int fcntl64(int fd, int what, ...)
{
    char link[64], path[4096];
    va_list rest;
    ssize_t len;
    void *arg;

    va_start(rest, what);
    arg = va_arg(rest, void *);
    va_end(rest);
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    len = readlink(link, path, sizeof(path));
    if (!getenv("NO_BOOT_ID") && what == F_OFD_SETLK && len > 6 && memcmp(path + len - 6, ".jsonl", 6) == 0)
        return errno = getenv("LOCK_ERRNO") ? atoi(getenv("LOCK_ERRNO")) : ENOLCK, -1;
    return ((int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl64"))(fd, what, arg);
}
int fcntl(int fd, int what, ...) __attribute__((alias("fcntl64")));
int open64(const char *path, int flags, ...)
{
    va_list rest;
    int mode;

    va_start(rest, flags);
    mode = va_arg(rest, int);
    va_end(rest);
    if (getenv("NO_BOOT_ID") && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0)
        return errno = ENOENT, -1;
    return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64"))(path, flags, mode);
}
int open(const char *path, int flags, ...) __attribute__((alias("open64")));
"""


def broken_kernel(r, **env):
    """The environment for a program for which journals cannot be locked, or the boot id cannot be read."""
    need(not SANITIZED, "a sanitizer has to come first")
    library = os.path.join(r.root, "broken_kernel.so")
    subprocess.run(["gcc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-x", "c", "-o", library, "-"], input=BROKEN_KERNEL.encode(),
                   check=True)
    return {"LD_PRELOAD": library, **env}


@test
def where_files_cannot_be_locked_nothing_is_resumed():
    """Such a file system cannot tell whether the run still goes on, and a call would be made twice."""
    with recorder(**SILENT) as r:
        without = broken_kernel(r)
        running = r.start("exec", "-", code=ONE, env=without)
        wait_for_calls(r, 1)
        path = r.runs()[0]
        done = r.run("resume", id_of(path), env=without)
        equal((done.status, done.out), (2, ""), done.err)
        contains(done.err, f"cannot lock '{path}'", "not known whether the run still goes on")
        equal(len(r.called("s")), 1)
        kill(r, running)
        asked(r, path, "--fail-unknown", words=("could not be locked, so its run may still go on", "--retry-unknown"))


@test
def a_run_that_could_not_be_locked_is_not_resumed_while_it_goes_on_even_if_locks_work_again():
    with recorder(**SILENT) as r:
        running = r.start("exec", "-", code=ONE, env=broken_kernel(r))
        wait_for_calls(r, 1)
        path = r.runs()[0]
        for options in ([], ["--fail-unknown"], ["--retry-call", "1"]):
            asked(r, path, *options, words=("could not be locked, so its run may still go on", "--retry-unknown"))
        contains(r.run("runs", id_of(path)).out, "could not be locked", "--retry-unknown")
        kill(r, running)
        again = r.start("resume", id_of(path), "--retry-unknown")
        wait_for_calls(r, 2)
        kill(r, again)
        r.serve({"s": {}})
        equal(states(resumed(r, path)), ["in_flight_unknown", "done"])  # the second host has locked it
        equal(r.replay(path), 0, r.err)


def restore(path, to):
    """The original is gone; on some file systems the copy then gets its inode number."""
    text = read(path)
    os.remove(path)
    os.close(os.open(to, os.O_CREAT, 0o600))
    write_file(to, text)


COPIES = {"a copy": shutil.copy, "a backup of a removed journal": restore}


@each(COPIES)
def a_copy_of_a_journal_is_resumed_only_with_all_unknown_calls(copy):
    """The run may go on, or have gone on, in the original."""
    with recorder(**SILENT) as r:
        running = r.start("exec", "-", code=ONE)
        wait_for_calls(r, 1)
        path, other = r.runs()[0], r.fresh()
        copy(path, other)
        for options in ([], ["--retry-call", "1"]):
            refused(r, other, "it is not in its original file", "--retry-unknown", words=options)
        equal(len(r.called("s")), 1)
        kill(r, running)
        again = r.start("resume", other, "--retry-unknown")
        wait_for_calls(r, 2)
        kill(r, again)
        r.serve({"s": {}})
        done = r.run("resume", other, "--fail-unknown", "--json")
        equal((done.status, states(done.envelope)), (0, ["in_flight_unknown", "done"]), done.err)
        equal(r.replay(other), 0, r.err)


def rename_all(path, to):
    os.rename(path, to)
    os.rename(path + ".mark", to + ".mark")


@test
def a_journal_that_was_moved_or_does_not_name_its_file_is_resumed():
    """The twin of a copy. Older journals do not name their files."""
    for change in (rename_all, lambda path, to: write_file(to, movable(read(path)))):
        with recorder(**SILENT) as r:
            path, other = interrupted(r, ONE), r.fresh()
            assert lines_of(path)[0]["_file"], lines_of(path)[0]
            change(path, other)
            os.chmod(other, 0o600)
            r.serve({"s": {}})
            done = r.run("resume", other, "--fail-unknown", "--json")
            equal((done.status, states(done.envelope)), (0, ["in_flight_unknown", "done"]), done.err)


ANSWERED_FIRST = {"a": {}, **SILENT}  # the first call is answered, and the second is in flight
ANSWERED = OUTCOME + "const one = await outcome(mcp.a.echo({n: 1})); return [one, await outcome(mcp.s.echo({n: 2}))]"


def cut_off(path):
    """The last line: call 2 is about to be sent."""
    lines = read(path).splitlines(keepends=True)
    sent = next(at for at, line in enumerate(lines) if b'"send":2' in line)
    os.truncate(path, sum(map(len, lines[:sent])))


def put_back(path):
    """An older copy, into the same file: call 1 is answered, and call 2 not made."""
    lines = read(path).splitlines(keepends=True)
    answer = next(at for at, line in enumerate(lines) if b'"to":"reply","n":1' in line)
    with open(path, "r+b") as file:
        file.truncate()
        file.write(b"".join(lines[:answer + 1]))


def put_back_with_another(path):
    """The mark of another journal says nothing about this one."""
    with open(path + ".mark", "r+b") as file:
        file.write(b"8:1:2:3 ".ljust(20))


CHANGES = {"cut off": (cut_off, "it was cut off, or an older copy of it was put back"),
           "an older copy": (put_back, "it was cut off, or an older copy of it was put back"),
           "without its mark": (lambda path: os.remove(path + ".mark"), "is missing"),
           "with an empty mark": (lambda path: os.truncate(path + ".mark", 0), "is missing"),
           "with the mark of another": (put_back_with_another, "is missing")}


@each(CHANGES)
def a_journal_that_lacks_calls_in_its_own_file_is_resumed_only_with_all_unknown_calls(change):
    with recorder(**ANSWERED_FIRST) as r:
        path = interrupted(r, ANSWERED)
        change[0](path)
        for options in ([], ["--fail-unknown"], ["--retry-call", "1"]):
            refused(r, path, change[1], "--retry-unknown", words=options, unknown=())
        contains(r.run("runs", id_of(path)).out, change[1], "--retry-unknown")
        equal((len(r.called("a")), len(r.called("s"))), (1, 1))
        r.serve({"a": {}, "s": {}})
        equal(states(resumed(r, path, "--retry-unknown")), ["done", "done"])
        equal((len(r.called("a")), len(r.called("s"))), (1, 2))
        equal(r.replay(path), 0, r.err)


@test
def a_journal_that_reaches_its_mark_is_resumed():
    """The twin."""
    with recorder(**ANSWERED_FIRST) as r:
        path = interrupted(r, ANSWERED)
        write_file(path + ".mark", read(path + ".mark"))
        with open(path, "r+b") as file:
            text = file.read()
            file.seek(0)
            file.write(text)
        r.serve({"a": {}, "s": {}})
        equal(states(resumed(r, path)), ["done", "in_flight_unknown"])
        equal((len(r.called("a")), len(r.called("s")), r.replay(path)), (1, 1, 0), r.err)


@test
def a_copy_of_a_cancelled_run_that_went_on_is_not_taken_for_the_run():
    with recorder(**SILENT) as r:
        running = r.start("exec", "-", code=ONE)
        wait_for_calls(r, 1)
        running.send(signal.SIGTERM)
        running.end()
        path, = [one for one in r.runs() if one.endswith(".jsonl")]
        before = read(path)
        r.serve({"s": {}})
        equal(states(resumed(r, path)), ["in_flight_unknown", "done"])
        write_file(path, before)
        refused(r, path, "an older copy of it was put back", "--retry-unknown")
        equal(len(r.called("s")), 2)


@test
def a_journal_in_the_state_directory_has_the_name_of_its_run():
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        other = os.path.join(os.path.dirname(path), "00000000-" + os.path.basename(path)[9:])
        os.rename(path, other)
        refused(r, other, f"is a journal of the run {id_of(path)}", "has not its name")
        refused(r, other, "has not its name", words=["--retry-unknown"], unknown=())
        os.rename(other, path)
        r.serve({"s": {}})
        equal(states(resumed(r, path)), ["in_flight_unknown", "done"])


@test
def without_a_boot_id_a_run_may_be_from_before_a_restart():
    with recorder(**SILENT) as r:
        without = broken_kernel(r, NO_BOOT_ID="1")
        path = interrupted(r, ONE, env=without)
        equal(lines_of(path)[0]["boot"], "")
        for env in (without, {}):
            refused(r, path, "the kernel gave no boot id", "--retry-unknown", env=env)
        r.serve({"s": {}})
        equal(states(resumed(r, path, "--retry-unknown", env=without)), ["done", "done"])


@each({"EAGAIN": errno.EAGAIN, "EACCES": errno.EACCES})
def a_new_journal_that_another_process_has_locked_is_not_used(number):
    """A resume may take the lock before the recorder; an unlocked journal could be resumed while its run goes on."""
    with recorder(s={}) as r:
        taken = broken_kernel(r, LOCK_ERRNO=str(number))
        done = r.run("exec", "-", "-v", code="return 1", env=taken)
        equal((done.status, done.out, r.runs()), (0, "1\n", []), done.err)
        contains(done.err, "the run is not recorded: another process has locked or removed")
        path = r.fresh()
        done = r.run("exec", "-", "--record", path, code="return mcp.s.echo({})", env=taken)
        assert done.status != 0 and not r.called("s"), done.err
        contains(done.err, f"another process has locked or removed '{path}'")


@test
def a_call_is_made_again_only_at_the_same_tool():
    """The code's name for a tool may mean another tool, which a server has added since."""
    with recorder(s={"tools": [{"name": "do-it"}], **SILENT["s"]}) as r:
        path = interrupted(r, OUTCOME + "return outcome(mcp.s.do_it({n: 1}))")
        equal([line["tool"] for line in lines_of(path) if "send" in line], ["s:do-it"])
        r.serve({"s": {"tools": [{"name": "do-it"}, {"name": "do_it"}], "config": {"idempotent": ["do-it"]}}})
        envelope = resumed(r, path)
        equal((states(envelope), len(r.called("s"))), (["in_flight_unknown"], 1))
        contains(json.dumps(envelope["result"]), "was sent to s:do-it before the run was interrupted, and would go to s:do_it now")
        equal(r.replay(path), 0, r.err)


@test
def of_several_processes_that_resume_at_once_one_wins():
    with recorder(s={}) as r:
        path = interrupted(r, "await mcp.s.sleep({ms: 1e6}).catch(() => 0); return mcp.s.sleep({ms: 300})")
        both = [r.start("resume", id_of(path), "--fail-unknown") for _ in range(6)]
        ends = sorted((one.end(60).status, one.err) for one in both)
        equal([status for status, _ in ends], [0] + [2] * 5, ends)
        for _, err in ends[1:]:
            assert "goes on, in another process" in err or "has ended (SUCCESS)" in err, err
        equal(len(r.called("s")), 2)
        equal(r.replay(path), 0, r.err)


@each({"success": ("return 1", 0), "failure": ("throw 1", 1)})
def a_run_that_has_ended_is_not_resumed(case):
    code, status = case
    with recorder(s={}) as r:
        equal(r.run("exec", "-", code=code).status, status)
        refused(r, r.runs()[0], "has ended", "caprun replay")


@test
def a_run_that_was_killed_before_its_job_starts_again():
    with recorder(s={}) as r:
        path = interrupted(r, "await mcp.s.never({}).catch(() => 0); return [args, Math.random()]",
                           words=("exec", "-", '{"a":1}'))
        whole = resumed(r, path)["result"]
        write_file(path, read(path).splitlines(keepends=True)[0])
        os.remove(path + ".mark")  # it is made before the first call is sent
        running = r.start("resume", id_of(path), "--json")
        wait_for_calls(r, 2)
        kill(r, running)
        equal(resumed(r, path)["result"], whole, "the same args and the same random numbers")


@test
def a_torn_line_is_cut_off():
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        with open(path, "ab") as file:
            file.write(b'{"at":99999999,"to":"reply","n":1,"kind":"tool","json":{"con')
        r.serve({"s": {}})
        equal(states(resumed(r, path)), ["in_flight_unknown", "done"])
        equal(r.replay(path), 0, r.err)


# bytes after the last line end
NO_LINES = {"NUL": bytes(300), "the beginning of a line, then NUL": b'{"at":5,"to":"re' + bytes(3),
            "more than any line has": b'{"at":5,"from":"log","line":"' + b"x" * (2 << 20)}


@each(NO_LINES)
def an_end_that_no_dying_host_has_written_is_damage(rest):
    """A disk that has lost what was written leaves NUL bytes in place of lines, and of the calls in them."""
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        whole = read(path)
        write_file(path, whole + rest)
        refused(r, path, "JOURNAL_INVALID", f":{len(whole.splitlines()) + 1}: ", "the disk has lost lines")
        refused(r, path, "JOURNAL_INVALID", unknown=["--retry-unknown"])
        write_file(path, whole + rest.replace(b"\0", b"")[:60000])  # the twin
        r.serve({"s": {}})
        equal(states(resumed(r, path)), ["in_flight_unknown", "done"])
        equal(r.replay(path), 0, r.err)


LONG = OUTCOME + """
    const long = "x".repeat(100000), lengths = [];
    for (let n = 0; n < 4; n++) lengths.push((await mcp.s.echo({n, text: long + n + args.text})).text.length);
    await outcome(mcp.s.never({text: long}));
    return [lengths, (await mcp.s.echo({text: long})).text.length]"""


@test
def long_args_and_answers_are_there_again():
    with recorder(s={}) as r:
        path = interrupted(r, LONG, 5, words=("exec", "-", '{"text":"' + "y" * 80000 + '"}'))
        answers = [line["jsonBlob"] for line in lines_of(path) if "jsonBlob" in line]
        name = os.path.join(path + ".d", answers[2])
        blob = read(name)
        for broken in (blob[:-1], blob[:-1] + b" "):
            write_file(name, broken)
            refused(r, path, "JOURNAL_INVALID", "was changed: its length or hash")
        equal(len(r.called("s")), 5)
        write_file(name, blob)
        equal(resumed(r, path)["result"], [[180001] * 4, 100000])
        equal(len(r.called("s")), 6)
        equal(r.replay(path), 0, r.err)


@test
def a_journal_that_others_can_write_is_refused():
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        for mode in (0o620, 0o602):
            os.chmod(path, mode)
            refused(r, path, "can be written by others")
        os.chmod(path, 0o600)
        link = os.path.join(r.root, "link.jsonl")
        os.symlink(path, link)
        refused(r, link, "cannot open")
        if os.getuid() == 0:
            os.chown(path, 65534, 65534)
            refused(r, path, "belongs to another user")
            os.chown(path, 0, 0)
        equal(len(r.called("s")), 1)
        r.serve({"s": {}})
        equal(states(resumed(r, path)), ["in_flight_unknown", "done"])


@test
def after_a_restart_of_the_machine_an_option_is_required():
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        bodies = bodies_of(read(path))
        boot = lines_of(path)[0]["boot"].encode()
        write_file(path, seal([bodies[0].replace(boot, b"1" * len(boot)), *bodies[1:]]))
        refused(r, path, "the machine was restarted since", "--retry-unknown")
        r.serve({"s": {}})
        equal(states(resumed(r, path, "--retry-unknown")), ["done", "done"])


# --- what must be the same, and what may change ----------------------------------------------

NAME = "acme.tools.text.twice"
TWICE = OUTCOME + "const one = await outcome(mcp.s.echo({n: 1})); return [one.code, args.env, await mcp.s.echo({n: 2})]"
WANTED = {"tools": ["s:echo"], "env": ["RESUME_LANG"]}


def interrupted_capability(r):
    r.publish(NAME + ".0123abcd", TWICE, **WANTED)
    settings = {"registries": [r.registry], "env": {NAME: ["RESUME_LANG"]}}
    r.serve(SILENT, **settings)
    path = interrupted(r, "", words=(NAME,), env={"RESUME_LANG": "de"})
    r.serve({"s": {}}, **settings)
    return path


@test
def a_capability_goes_on_as_what_it_was():
    with recorder() as r:
        path = interrupted_capability(r)
        equal(resumed(r, path, env={"RESUME_LANG": "de"})["result"], ["RPC_ERROR", {"RESUME_LANG": "de"}, {"n": 2}])
        equal(r.replay(path, env={"RESUME_LANG": "de"}), 0, r.err)


@each({"code": {"code": TWICE + " "}, "metadata": {"tools": ["s:echo", "s:fail"], "code": TWICE}})
def a_capability_that_has_changed_is_not_run(changed):
    with recorder() as r:
        path = interrupted_capability(r)
        r.publish(NAME + ".0123abcd", **{**WANTED, **changed})
        env = {"env": {"RESUME_LANG": "de"}}
        refused(r, path, "INTEGRITY_MISMATCH", "sha256-", status=6, **env)
        equal(r.run("lock", "--accept", NAME).status, 0)
        refused(r, path, "INTEGRITY_MISMATCH", "is not what it was when the run began", status=6, **env)
        equal(len(r.called("s")), 1)
        r.publish(NAME + ".0123abcd", TWICE, **WANTED)
        equal(r.run("lock", "--accept", NAME).status, 0)
        equal(states(resumed(r, path, **env)), ["in_flight_unknown", "done"])


@each({"another value": {"RESUME_LANG": "en"}, "not set": {}})
def variables_have_to_be_the_same(env):
    with recorder() as r:
        path = interrupted_capability(r)
        refused(r, path, "VALIDATION_ERROR", "RESUME_LANG", env=env)
        equal(len(r.called("s")), 1)
        equal(states(resumed(r, path, env={"RESUME_LANG": "de"})), ["in_flight_unknown", "done"])


POLICY = OUTCOME + "const all = [await outcome(mcp.s.echo({n: 1}))]; all.push(await outcome(mcp.s.never({})));" \
                   "return [...all, await outcome(mcp.s.echo({n: 2}))].map((o) => o.value ?? o.code)"


@test
def a_call_that_is_denied_now_is_denied_after_the_recorded_part():
    with recorder(s={}) as r:
        path = interrupted(r, POLICY, 2)
        envelope = resumed(r, path, "--deny", "s:echo")
        equal(envelope["result"], [{"n": 1}, "RPC_ERROR", "PERMISSION_DENIED"])
        equal([(call["decision"], call["by"]) for call in envelope["calls"]],
              [("allow", "rule:*"), ("allow", "rule:*"), ("deny", "rule:s:echo")])
        equal(len(r.called("s")), 2)


@test
def a_recorded_denial_stays_and_later_calls_are_allowed():
    with recorder({"allow": ["*"], "deny": ["s:echo"]}, s={}) as r:
        path = interrupted(r, POLICY)
        r.serve({"s": {}})
        envelope = resumed(r, path)
        equal(envelope["result"], ["PERMISSION_DENIED", "RPC_ERROR", {"n": 2}])
        equal([call["decision"] for call in envelope["calls"]], ["deny", "allow", "allow"])
        equal(r.replay(path), 0, r.err)


@test
def a_call_that_was_under_way_and_is_denied_today_is_not_made_again():
    with recorder(**SILENT) as r:
        path = interrupted(r, ONE)
        r.serve({"s": {}})
        envelope = resumed(r, path, "--retry-unknown", "--deny", "s:*")
        codes = [one["code"] for one in envelope["result"]]
        equal((codes, len(r.called("s"))), (["RPC_ERROR", "PERMISSION_DENIED"], 1))


# --- time --------------------------------------------------------------------------------------


@test
def date_is_real_and_the_clock_of_the_run_goes_on():
    with recorder(s={}) as r:
        path = interrupted(r, OUTCOME + """
            const then = [Date.now(), performance.now()];
            await outcome(mcp.s.never());
            return [Date.now() - then[0], performance.now() - then[1], Date.now()]""")
        dead = time.monotonic()
        wait_until(lambda: time.monotonic() > dead + 0.3, 5, "a moment")
        before = time.time() * 1000
        date, clock, now = resumed(r, path)["result"]
        between(date - clock, 300, 1e6, "ms that Date has, and the run has not")
        between(now, before - 1, time.time() * 1000 + 1, "Date.now()")
        equal(r.replay(path), 0, r.err)


@test
def the_wall_limit_goes_on_from_where_it_was():
    limit, used = int(stretched(3000)), int(stretched(2000))
    with recorder(s={}) as r:
        code = f"""
            await new Promise((r) => setTimeout(r, {used}));
            await outcome(mcp.s.never());
            await new Promise(() => setTimeout(() => 0, 1e6))"""
        path = interrupted(r, OUTCOME + code, words=("exec", "-", "--timeout", f"{limit}ms"))
        envelope = resumed(r, path, status=4)
        equal(envelope["error"]["code"], "EXECUTION_TIMEOUT")
        between(envelope["metrics"]["executionTimeMs"], limit - 1, limit + stretched(500), "ms, both lives together")
        equal(r.replay(path), 0, r.err)


@test
def timers_fire_when_they_would_have():
    with recorder(s={}) as r:
        path = interrupted(r, OUTCOME + """
            const fired = [], at = performance.now(), timer = (ms) => setTimeout(() => fired.push(ms), ms);
            [300, 100, 200, 1].forEach(timer);
            const all = new Promise((r) => setTimeout(r, 400));
            await outcome(mcp.s.never());
            await all;
            return [fired, performance.now() - at]""")
        fired, ms = resumed(r, path)["result"]
        equal(fired, [1, 100, 200, 300])
        between(ms, 400, 400 + stretched(300), "ms")
        equal(r.replay(path), 0, r.err)


@test
def a_run_of_100_calls_is_live_again_in_100_ms():
    with recorder(s={}) as r:
        path = interrupted(r, OUTCOME + """
            for (let n = 0; n < 100; n++) await mcp.s.echo({n, text: "x".repeat(200)});
            await outcome(mcp.s.never());
            for (;;) await outcome(mcp.s.never());""", 101)
        times = []
        for life in range(5):
            before = time.time()
            running = r.start("resume", id_of(path), "--fail-unknown")
            wait_for_calls(r, 102 + life)
            kill(r, running)
            line = [line for line in lines_of(path) if kind_of(line) == "resume"][-1]
            times.append((line["date"] + line["at"]) / 1e6 - before)
        print(f"# live after {[round(1000 * t, 1) for t in times]} ms")
        between(statistics.median(times), 0, 0.1 * MULTIPLIER * (10 if SANITIZED else 1), "seconds")


main()
