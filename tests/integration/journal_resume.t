#!/usr/bin/env python3
"""journal_resume.t - a journal without an end is not replayed, but resumed; a failed resume can be repeated later."""

import os
import re
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, reap_orphans, test, wait_until, write_file
from journals import bodies_of, movable, read, recorder, seal

CODE = """console.log("first", args.n); const a = await mcp.s.echo({ a: 1 });
try { await mcp.s.fail({ text: "no" }) } catch (e) { console.log(e.message) }
try { await mcp.s.denied({}) } catch (e) { console.log(e.code) }
try { await fetch("http://a.b/") } catch {}
await new Promise((r) => setTimeout(r, 1)); return [a, Math.floor(Math.random() * 1e6)]"""
SERVER = {"tools": [{"name": "denied"}]}
RULES = {"allow": ["*"], "deny": ["s:denied"]}
NAME = "acme.tools.text.upper"
FILE = f"{NAME}.0123abcd"


def whole(r):
    path = r.record(CODE, '{"n":7}')
    equal(r.replay(path), 0, r.err)
    return movable(read(path))


@test
def a_journal_that_ends_early_is_resumed_wherever_it_ends_and_then_replays():
    with recorder(RULES, s={**SERVER, "config": {"idempotent": ["*"]}}) as r:
        lines = whole(r).splitlines(keepends=True)
        for count in range(1, len(lines)):
            for torn in (b"", lines[count][:-1], lines[count][:9]):
                path = r.write(b"".join(lines[:count]) + torn)
                equal(r.replay(path), 2)
                contains(r.err, f"{path}:{count}: it ends early")
                done = r.run("resume", path)
                assert done.status == 0, f"after line {count}: {done.status} {done.err}\n{read(path).decode()}"
                equal(r.replay(path), 0, f"{count} {torn} {r.err}\n{read(path).decode()}")
                equal(r.run("resume", path).status, 2)


@test
def a_run_whose_host_was_killed_goes_on_without_making_a_call_twice():
    with recorder(RULES, s=SERVER) as r:
        path = r.fresh()
        code = "const a = await mcp.s.echo({a: 1}); console.log('held'); const b = await mcp.s.never().catch(e => e.code); return [a, b]"
        process = r.start("exec", "-", "--record", path, code=code)
        wait_until(lambda: "never" in r.called("s"), 20, "the call")
        refused = r.run("resume", path)
        equal(refused.status, 2)
        contains(refused.err, "goes on, in another process")
        process.send(signal.SIGKILL)
        equal(process.end().status, -signal.SIGKILL)
        wait_until(lambda: not reap_orphans(), 20, "what it has left")
        done = r.run("resume", path, "--json", "--fail-unknown")
        equal((done.status, done.envelope["result"]), (0, [{"a": 1}, "RPC_ERROR"]), done.err)
        equal([call["state"] for call in done.envelope["calls"]], ["done", "in_flight_unknown"])
        equal(r.called("s"), ["echo", "never"])
        equal(r.replay(path), 0, r.err)


@test
def a_journal_that_others_could_write_is_not_resumed():
    with recorder(RULES, s=SERVER) as r:
        lines = whole(r).splitlines(keepends=True)
        for bits, status in ((0o666, 2), (0o620, 2), (0o644, 0)):
            path = r.write(b"".join(lines[:-1]))
            os.chmod(path, bits)
            equal(r.run("resume", path).status, status, oct(bits))


# --- a resume that fails now -------------------------------------------------------------------


def interrupted(r):
    """Makes the journal of a capability whose host died after the answer of its first call."""
    code = "console.log('x'); const a = await mcp.s.echo({n: 1}); return [a.n, args.env.HUSH.length]"
    r.publish(fqdn=FILE, code=code, env=["HUSH"], tools=["s:echo"])
    path = r.fresh()
    equal(r.upper("--record", path, env={"HUSH": "abc"}).out, "[1,3]\n")
    return write_file(path, b"".join(read(path).splitlines(keepends=True)[:6]))


def move_to_another_start_of_the_machine(_r, path):
    bodies = bodies_of(read(path))
    bodies[0] = re.sub(rb'"boot":"[^"]*"', b'"boot":"another"', bodies[0])
    write_file(path, seal(bodies))


def break_config(r, _path):
    write_file(os.path.join(r.work, ".caprun.json"), '{"permisions": {}}')


def change_code(r, _path):
    write_file(r.path(FILE, "js"), "return 5")


def remove_code(r, _path):
    os.remove(r.path(FILE, "js"))


def leave(_r, _path):
    pass


# name: (what is done before, variables, exit status, parts of the message)
NOT_NOW = {
    "a variable is not set": (leave, {}, 2, ["HUSH", "is not given now"]),
    "a variable has another value": (leave, {"HUSH": "other"}, 2, ["HUSH", "another value"]),
    "the machine was restarted": (move_to_another_start_of_the_machine, {"HUSH": "abc"}, 2, ["the machine was restarted"]),
    "the configuration is wrong": (break_config, {"HUSH": "abc"}, 2, ["CONFIG_ERROR", "permisions"]),
    "the code has changed": (change_code, {"HUSH": "abc"}, 6, ["INTEGRITY_MISMATCH"]),
    "the code was removed": (remove_code, {"HUSH": "abc"}, 6, [FILE]),
}


@each(NOT_NOW)
def a_journal_that_cannot_be_resumed_now_is_not_changed_and_is_resumed_later(case):
    spoil, env, status, words = case
    with recorder(s={}, settings={"env": {NAME: ["HUSH"]}}) as r:
        path = interrupted(r)
        config, code = read(os.path.join(r.work, ".caprun.json")), read(r.path(FILE, "js"))
        spoil(r, path)
        before, called = read(path), r.called("s")
        done = r.run("resume", path, "--registry", r.registry, env=env)
        equal((done.status, done.out), (status, ""), done.err)
        contains(done.err, *words)
        equal((read(path), r.called("s")), (before, called), "journal and calls")
        write_file(os.path.join(r.work, ".caprun.json"), config)
        write_file(r.path(FILE, "js"), code)
        words = ["--retry-unknown"] if spoil is move_to_another_start_of_the_machine else []
        done = r.run("resume", path, "--registry", r.registry, *words, env={"HUSH": "abc"})
        equal((done.status, done.out, r.called("s")), (0, "[1,3]\n", called), done.err)
        equal(r.replay(path, env={"HUSH": "abc"}), 0, r.err)


main()
