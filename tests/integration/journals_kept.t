#!/usr/bin/env python3
"""journals_kept.t - journals of earlier versions stay readable, replayable and resumable.

The files in tests/golden/journals were recorded by earlier versions of caprun: those whose names begin with "words" in
version 2, with the engine's own words in errors and (words-of-v8) with V8's; all others in version 1. They never change:
people keep recordings as tests of their capabilities.
"""

import glob
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, contains, each, equal, main, test
from journals import bodies_of, lines_of, read, recorder, seal

GOLDEN = os.path.join(ROOT, "tests/golden/journals")
INCOMPLETE = {"cut": "the recording was stopped here", "interrupted": "it ends early"}
NAMES = sorted(os.path.basename(path).removesuffix(".jsonl") for path in glob.glob(f"{GOLDEN}/*.jsonl"))
SERVER = {"tools": [{"name": "later"}]}  # for what the interrupted run called "never"

sys.setrecursionlimit(10000)  # values are up to 1,000 levels deep


def path_of(name):
    return f"{GOLDEN}/{name}.jsonl"


@test
def there_is_a_journal_of_each_kind_of_line():
    equal(len(NAMES), 36)
    seen = {key if key not in ("to", "from") else f"{key} {line[key]}"
            for name in NAMES for line in lines_of(path_of(name)) for key in list(line)[:2]}
    contains(seen, "to job", "to reply", "to fail", "to wake", "from call", "from log", "from blocked", "from done",
             "from threw", "from late", "from full", "send", "resume", "undo", "end", "cut")
    heads = {name: lines_of(path_of(name))[0] for name in NAMES}
    equal({name: head["journal"] for name, head in heads.items()},
          {name: 2 if name.startswith("words") or name == "undone" else 1 for name in NAMES})
    equal({name: head.get("wording") for name, head in heads.items() if "wording" in head},
          {"words-of-v8": 1, "undone": 1})


@each({name: name for name in NAMES if name not in INCOMPLETE})
def it_replays_byte_for_byte(name):
    with recorder() as r:
        equal(r.replay(path_of(name)), 0, r.err)
        contains(r.out, f"same     {path_of(name)}  {lines_of(path_of(name))[-1]['end']}")


@each({name: name for name in NAMES if name not in INCOMPLETE})
def one_changed_byte_of_its_result_is_a_difference(name):
    """The twin: a replay that compares nothing would pass the test above."""
    with recorder() as r:
        bodies = bodies_of(read(path_of(name)))
        for number, body in enumerate(bodies):
            changed = re.sub(rb'("from":"(?:call","n":\d+,"method":"\w*|log","line":"|done","result":|threw","why":\d+,'
                             rb'"call":\d+,"blocked":\d+,"name":"))', rb"\g<1>0", body)
            if changed != body:
                path = r.write(seal([*bodies[:number], changed, *bodies[number + 1:]]))
                if os.path.isdir(f"{path_of(name)}.d"):
                    shutil.copytree(f"{path_of(name)}.d", f"{path}.d")
                unknown = b'"from":"done"' in body and r.replay(path) == 2  # no JSON any more
                assert unknown or r.replay(path) == 8, f"line {number + 1}: {r.out}{r.err}"


@each(INCOMPLETE)
def an_incomplete_journal_is_refused_with_its_reason(words):
    (name,) = [name for name, why in INCOMPLETE.items() if why == words]
    with recorder() as r:
        equal(r.replay(path_of(name)), 2)
        contains(r.err, "JOURNAL_INVALID", words)


@each({"unknown calls fail": (["--fail-unknown"], "RPC_ERROR", ["echo"]),
       "unknown calls are made again": (["--retry-unknown"], {"name": "later", "args": {}}, ["later", "echo"])})
def an_interrupted_run_goes_on_in_version_1(case):
    """The first line says version 1, so a reader expects lines of version 1 to the end."""
    words, answer, called = case
    with recorder(s=SERVER) as r:
        bodies = [body.replace(b"s:never", b"s:later").replace(b"mcp.s.never", b"mcp.s.later")
                  for body in bodies_of(read(path_of("interrupted")))]
        head = lines_of(path_of("interrupted"))[0]
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            bodies[0] = bodies[0].replace(head["boot"].encode(), file.read().strip().encode())
        path = r.write(seal(bodies))
        done = r.run("resume", path, "--json", "--config", os.path.join(r.work, ".caprun.json"), *words)
        equal(done.status, 0, done.err)
        equal((done.envelope["result"], r.called("s")), ([{"a": 1}, answer, {"c": 1}], called))
        lines = lines_of(path)
        equal([list(line) for line in lines if "send" in line], [["at", "send", "tool", "by"]] * len(
            [line for line in lines if "send" in line]))
        equal([line["resume"] for line in lines if "resume" in line], [True])
        equal(r.replay(path), 0, r.err)


main()
