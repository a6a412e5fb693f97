#!/usr/bin/env python3
"""replay_generated.t - random programs (programs.py) are recorded and replayed: each replay must be the same.

The seed is printed; CAPRUN_SEED=… makes the same programs again, but their calls may be answered in another order.
Journals that differ are kept in a directory that the failure names. CAPRUN_TORTURE=1 (`make torture`) runs the full series.
"""

import functools
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import CAPRUN, TORTURE, Process, contains, each, equal, main, scratch_dir, start, test, write_file
from library import Library
from programs import Answers, Programs
from tools import FAKE, real_tools, tools

IN_LIBRARY, BY_COMMAND, BY_NPM = (1800, 220, 30) if TORTURE else (90, 24, 2)
SAMPLE, TIMES = (20, 100) if TORTURE else (3, 10)
SEED = os.environ.get("CAPRUN_SEED") or str(random.randrange(1 << 32))
AT_ONCE = 2 * os.cpu_count()
print(f"# CAPRUN_SEED={SEED}")

folder = scratch_dir()
programs = Programs(SEED)


def journal_of(program):
    return os.path.join(folder.name, f"{program.name}.jsonl")


# --- recording -----------------------------------------------------------------------------------


class Recording:
    """Runs through the library, some at once, each with a journal."""

    def __init__(self):
        self.answers = Answers(SEED)
        self.library = Library(self.answers.take)
        self.going = {}

    def start(self, program):
        lib = self.library.lib
        run = self.library.run(program.code, args=json.dumps(program.args), call_timeout_ms=program.rpc_ms)
        assert run, f"{program.code}: {self.library.error()}"
        for name, most in (("calls", program.max_calls), ("calls_at_once", program.at_once)):
            equal(self.library.limit(run, name, most), 0)
        tools_but_one = [f"s:{tool}" for tool in ("echo", "sleep", "text", "big", "fail", "error", "never", "unlisted")]
        equal(self.library.set_tools(run, "nowhere:x", *tools_but_one), 0)
        lib.caprun_run_set_stop_when_denied(run, program.stops)
        equal(lib.caprun_run_record(run, journal_of(program).encode()), 0, self.library.error())
        equal(lib.caprun_start(run), 0)
        self.going[run.value] = run

    def step(self):
        self.library.lib.caprun_wait(self.library.runtime, 1)
        self.library.step(1) if not self.answers.due else self.library.lib.caprun_step(self.library.runtime)
        self.answers.give()
        for address, run in list(self.going.items()):
            if self.library.lib.caprun_done(run):
                self.answers.forget(address)
                self.library.finish(run)
                del self.going[address]

    def take(self, numbers):
        waiting = [programs[n] for n in numbers]
        while waiting or self.going:
            while waiting and len(self.going) < 12:
                self.start(waiting.pop())
            self.step()


@functools.cache
def recorded_in_library():
    recording = Recording()
    with recording.library:
        recording.take(range(IN_LIBRARY))
    return [journal_of(programs[n]) for n in range(IN_LIBRARY)]


def command_for(program):
    """`caprun exec` of |program|, in a separate directory, with a separate server."""
    place = os.path.join(folder.name, program.name)
    os.mkdir(place)
    limits = {"maxCalls": program.max_calls, "maxConcurrentCalls": program.at_once}
    fake = {"command": FAKE[0], "args": [*FAKE[1:], json.dumps({"tools": [{"name": "denied"}]})]}
    config = {"mcpServers": {"s": fake}, "permissions": {"allow": ["*"], "deny": ["s:denied"]}, "limits": limits,
              "onDenied": "stop" if program.stops else "continue"}
    files = {"code.js": program.code, "args.json": json.dumps(program.args), "config.json": json.dumps(config)}
    paths = [write_file(os.path.join(place, name), text) for name, text in files.items()]
    timeout = ["--rpc-timeout", f"{program.rpc_ms}ms"] if program.rpc_ms else []
    return start("exec", *paths[:2], "--config", paths[2], "--record", journal_of(program), *timeout)


@functools.cache
def recorded_by_command():
    numbers = range(IN_LIBRARY, IN_LIBRARY + BY_COMMAND)
    waiting, going = [programs[n] for n in numbers], []
    while waiting or going:
        while waiting and len(going) < AT_ONCE:
            going.append((waiting[-1], command_for(waiting.pop())))
        program, process = going.pop(0)
        process.end(60)
        assert process.status in (0, 1, 3, 4, 5), f"{process.status}: {process.err}\n{program.code}"
    return [journal_of(programs[n]) for n in numbers]


# --- replaying -----------------------------------------------------------------------------------


def keep(journals):
    """Copies journals that differ, so that they exist after the test."""
    place = tempfile.mkdtemp(prefix="caprun-differs-")
    for journal in journals:
        shutil.copy(journal, place)
        if os.path.isdir(f"{journal}.d"):
            shutil.copytree(f"{journal}.d", os.path.join(place, os.path.basename(journal) + ".d"))
    return place


def replay(journals, *options):
    """Replays all journals with one command. All must be the same."""
    done = Process([CAPRUN, "replay", *journals, *options]).end(60 + len(journals))
    same = [line.split()[1] for line in done.out.splitlines() if line.startswith("same ")]
    others = sorted(set(journals) - set(same))
    if others:
        raise AssertionError(f"{len(others)} of {len(journals)}, now in {keep(others)}: {done.out:.300}\n{done.err:.3000}")
    equal((done.status, len(same)), (0, len(journals)), done.err)


def replay_in_parts(journals, *options):
    """Replays in several commands: the length of a command line is limited."""
    for at in range(0, len(journals), 500):
        replay(journals[at:at + 500], *options)


def outcomes(journals):
    counts = {}
    for journal in journals:
        with open(journal, "rb") as file:
            end = json.loads(file.read().splitlines()[-1])["end"]
        counts[end] = counts.get(end, 0) + 1
    return dict(sorted(counts.items()))


def recorded():
    return recorded_in_library() + recorded_by_command()


def sample_of(journals):
    return random.Random(SEED).sample(journals, SAMPLE)


# --- the series ----------------------------------------------------------------------------------


@each({"the library": recorded_in_library, "the command, with servers": recorded_by_command})
def programs_replay_as_they_were_recorded_by(recorded_by):
    journals = recorded_by()
    print(f"# {len(journals)}: {outcomes(journals)}")
    replay_in_parts(journals)


REAL = """
const some = (v) => [0, 1, 2].map(() => v[Math.floor(Math.random() * v.length)]);
const one = () => [
    () => mcp.filesystem.read_text_file({ path: some(["texts/one.txt", "texts/two.txt", "nope.txt"])[0] }),
    () => mcp.filesystem.list_directory({ path: "texts" }),
    () => mcp.everything.echo({ message: crypto.randomUUID() }),
    () => mcp.everything["get-sum"]({ a: Date.now(), b: Math.random() }),
    () => mcp.filesystem.move_file({ source: "a", destination: "b" }),
    () => new Promise((r) => setTimeout(r, Math.random() * 5)),
];
const got = [];
for (let i = 0; i < 4; i++) {
    const calls = some(one()).map((f) => f().catch((e) => [e.code, e.message]));
    got.push(await Promise[some(["all", "race", "any", "allSettled"])[0]](calls), performance.now());
    console.log(i, JSON.stringify(got).length);
}
return got;
"""


@test
def programs_with_servers_from_npm_replay_as_the_same():
    with real_tools(only=["filesystem", "everything"]) as t:
        journals = [os.path.join(folder.name, f"npm-{n}.jsonl") for n in range(BY_NPM)]
        for journal in journals:
            done = t.run("exec", "-", "--record", journal, code=REAL)
            equal(done.status, 0, done.err)
    replay(journals)


@test
def the_same_journal_is_the_same_each_time():
    replay_in_parts([journal for journal in sample_of(recorded()) for _ in range(TIMES)])


@test
def replays_at_the_recorded_speed_are_the_same_and_take_as_long():
    def length(journal):
        """The time of the last line sent to the worker, in seconds."""
        with open(journal, "rb") as file:
            return max(json.loads(line).get("at", 0) for line in file if b'"to":' in line[:40]) / 1e6

    sample = [j for j in recorded() if 0.02 < length(j) < 2][:SAMPLE]
    begun = time.monotonic()
    replay(sample, "--speed", "real")
    assert time.monotonic() - begun > 0.8 * sum(map(length, sample)), "it was faster"


@test
def a_replay_in_json_has_an_entry_for_each_file():
    sample = sample_of(recorded())
    done = Process([CAPRUN, "replay", "--json", *sample]).end(60)
    entries = json.loads(done.out)["replays"]
    equal((done.status, [e["file"] for e in entries], [e["same"] for e in entries]), (0, sample, [True] * SAMPLE))
    equal([e["recorded"] for e in entries], [e["outcome"] for e in entries])


# --- twins: differences are reported -----------------------------------------------------------------


@test
def other_programs_differ_from_the_first_call_on():
    """A call is added before all others, so that the first call is different."""
    extra = 'mcp.s.echo({ twin: true }).catch(() => 0);\n'
    whole = [programs[n] for n in range(len(recorded()))
             if not programs[n].is_module and "return (;" not in programs[n].code]
    for program in whole[:SAMPLE]:
        code = write_file(os.path.join(folder.name, "other.js"), extra + program.code)
        done = Process([CAPRUN, "replay", journal_of(program), "--code", code]).end(60)
        equal((done.status, done.out.split()[0]), (8, "differs"), done.err)
        contains(done.err, "Call 1 is ", "now:      s:echo {\"twin\":true}")


@test
def the_message_names_the_first_call_that_differs_with_both_args():
    code = "await mcp.s.echo({a: 1}); await mcp.s.echo({a: 2, b: [1, 2]}); return mcp.s.echo({a: 3})"
    with tools(s={}) as t:
        journal, other = os.path.join(t.root, "j.jsonl"), os.path.join(t.root, "other.js")
        equal(t.run("exec", "-", "--record", journal, code=code).status, 0)
        for change, status, words in (
                ((), 0, []),
                (("a: 2, b: [1, 2]", "a: 2, b: [1, 5]"), 8,
                 ["Call 2 is not what was recorded", 'recorded: s:echo {"a":2,"b":[1,2]}', 'now:      s:echo {"a":2,"b":[1,5]}',
                  "/b/1: 2 → 5"]),
                (("s.echo({a: 3})", "s.text({a: 3})"), 8, ["Call 3", "recorded: s:echo", "now:      s:text"]),
                (("return mcp.s.echo({a: 3})", "return 5"), 8, ["it returned 5"]),
                (("await mcp.s.echo({a: 1}); ", ""), 8, ["Call 1 is not", '{"a":1}', '{"a":2,"b":[1,2]}']),
                (("return mcp", "console.log('x'); return mcp"), 8, ["Line 1 of the log is new"])):
            write_file(other, code.replace(*change) if change else code)
            done = t.run("replay", journal, "--code", other)
            equal(done.status, status, f"{change} {done.err}")
            contains(done.err, *words)
        equal(t.called("s"), ["echo"] * 3)


@test
def a_changed_line_of_any_journal_is_noticed():
    chance = random.Random(SEED)
    for journal in sample_of(recorded()):
        with open(journal, "rb") as file:
            text = file.read()
        at = chance.choice([m.start() for m in re.finditer(rb"[0-9]", text)])
        bent = text[:at] + (b"1" if text[at:at + 1] != b"1" else b"2") + text[at + 1:]
        path = write_file(os.path.join(folder.name, "bent.jsonl"), bent)
        done = Process([CAPRUN, "replay", path]).end(60)
        equal(done.status, 2, f"byte {at} of {journal}: {done.out} {done.err}")
        contains(done.err, "JOURNAL_INVALID", f"{path}:")


main()
