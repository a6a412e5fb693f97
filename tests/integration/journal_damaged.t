#!/usr/bin/env python3
"""journal_damaged.t - damaged journals: each is refused with the wrong line, and starts no server."""

import json
import os
import random
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import TORTURE, contains, each, equal, main, test, write_file
from journals import bodies_of, kind_of, lines_of, read, recorder, seal

SEED = os.environ.get("CAPRUN_SEED") or str(random.randrange(1 << 32))
print(f"# CAPRUN_SEED={SEED}")
CODE = """console.log("first", args.n); const a = await mcp.s.echo({ a: 1 });
try { await mcp.s.fail({ text: "no" }) } catch (e) { console.log(e.message) }
try { await mcp.s.denied({}) } catch (e) { console.log(e.code) }
try { await fetch("http://a.b/") } catch {}
await new Promise((r) => setTimeout(r, 1)); return [a, Math.floor(Math.random() * 1e6)]"""
SERVER = {"tools": [{"name": "denied"}]}
RULES = {"allow": ["*"], "deny": ["s:denied"]}


def damaged():
    """A recorder with a server that leaves a trace when it is started."""
    return recorder(RULES, s=SERVER)


def whole(r):
    path = r.record(CODE, '{"n":7}')
    equal(r.replay(path), 0, r.err)
    return read(path)


def refuses_all(r, journals, outcome="JOURNAL_INVALID"):
    """Checks that each is refused with a message that begins with its path and a line, and that no server is started."""
    before = r.trace("s")
    for at in range(0, len(journals), 200):
        paths = [r.write(text) for text in journals[at:at + 200]]
        equal(r.replay("--json", *paths), 2, r.err)
        for entry, text in zip(json.loads(r.out)["replays"], journals[at:at + 200]):
            equal((entry["same"], entry["outcome"]), (False, outcome), f"{entry} {text!r:.3000}")
            assert re.match(rf"{re.escape(entry['file'])}:\d+: .", entry["message"]), entry
        for path in paths:
            os.remove(path)
    equal(r.trace("s"), before, "what the server was told")


# --- without the right hashes ----------------------------------------------------------------------


@test
def a_removed_doubled_or_moved_line_is_noticed():
    with damaged() as r:
        lines = whole(r).splitlines(keepends=True)
        bent = []
        for i in range(len(lines)):
            bent.append(lines[:i] + lines[i + 1:])
            bent.append(lines[:i + 1] + lines[i:])
            bent += [lines[:i] + [lines[j]] + lines[i + 1:j] + [lines[i]] + lines[j + 1:] for j in range(i + 1, len(lines))]
        refuses_all(r, [b"".join(lines) for lines in bent])


@test
def a_changed_byte_is_noticed_wherever_it_is():
    with damaged() as r:
        text = whole(r)
        step = 1 if TORTURE else max(1, len(text) // 400)
        for flip in (1, 0x20, 0x80):
            refuses_all(r, [text[:at] + bytes([text[at] ^ flip]) + text[at + 1:] for at in range(flip % step, len(text), step)])


@test
def a_journal_that_is_cut_off_anywhere_is_not_replayed():
    with damaged() as r:
        text = whole(r)
        step = 1 if TORTURE else max(1, len(text) // 300)
        refuses_all(r, [text[:at] for at in range(0, len(text), step)] + [text[:-1]])


@test
def bytes_after_the_end_are_noticed():
    with damaged() as r:
        text = whole(r)
        refuses_all(r, [text + more for more in (b"\n", b"x", b"{}\n", text, b"\0", b" ")])


@each({"nothing": b"", "a line end": b"\n", "zeros": bytes(5000), "JSON": b"{}\n", "a list": b"[]\n", "text": b"hello\n",
       "bytes": bytes(range(256)), "another's": b'{"journal":{"a":1}}\n', "a long line": b"x" * (3 << 20),
       "deep": b"[" * 100000 + b"\n", "a byte order mark": b'\xef\xbb\xbf{"journal":1}\n'})
def a_file_that_is_not_a_journal_is_refused(text):
    with damaged() as r:
        refuses_all(r, [text])


@test
def a_path_that_cannot_be_read_is_an_error_at_once():
    with damaged() as r:
        os.mkfifo(os.path.join(r.root, "pipe.jsonl"))
        os.symlink("loop.jsonl", os.path.join(r.root, "loop.jsonl"))
        for name in ("pipe.jsonl", "loop.jsonl", "none.jsonl", "registry", "x" * 300 + ".jsonl"):
            for command in ("replay", "resume"):
                done = r.run(command, os.path.join(r.root, name))
                equal(done.status, 2, f"{command} {name} {done.err}")
                contains(done.err, "caprun: InputError (")


@test
def a_bad_journal_does_not_stop_the_replay_of_good_ones():
    with damaged() as r:
        good = r.record(CODE, '{"n":7}')
        bad = r.write(read(good)[:-5])
        other = write_file(os.path.join(r.root, "other.js"), "return 5")
        equal(r.replay(good, bad, good), 2)
        equal([line.split()[0] for line in r.out.splitlines()], ["same", "failed", "same"])
        equal(r.replay("--code", other, good, bad), 8)  # that of the first that is not the same
        equal(r.replay("--code", other, bad, good), 2)


# --- with the right hashes -----------------------------------------------------------------------


def change(lines, kind, **members):
    """Changes fields of the first line of this kind; None removes a field."""
    lines = [dict(line) for line in lines]
    line = next(line for line in lines if kind_of(line) == kind)
    for name, value in members.items():
        line.pop(name) if value is None else line.update({name: value})
    return lines


def without(lines, kind):
    return [line for line in lines if kind_of(line) != kind]


def doubled(lines, kind):
    at = next(i for i, line in enumerate(lines) if kind_of(line) == kind)
    return lines[:at + 1] + lines[at:]


def sealed(lines):
    return seal([json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode()[:-1] for line in lines])


# name: (how the lines are changed, the number of the refused line, part of the message)
SENSELESS = {
    "another version": (lambda l: change(l, "journal", journal=3), 1, "version 3"),
    "no version": (lambda l: change(l, "journal", journal="1"), 1, "not a journal"),
    "no code": (lambda l: change(l, "journal", code=None), 1, '"code"'),
    "no args": (lambda l: change(l, "journal", args=None), 1, '"args"'),
    "no seed": (lambda l: change(l, "journal", seed=None), 1, '"seed"'),
    "a short seed": (lambda l: change(l, "journal", seed="00"), 1, '"seed"'),
    "a seed that is not hexadecimal": (lambda l: change(l, "journal", seed="g" * 80), 1, '"seed"'),
    "an id that is a path": (lambda l: change(l, "journal", run="../../../../../../../../etc/passwd.x"), 1, '"run"'),
    "no limits": (lambda l: change(l, "journal", limits={}), 1, "missing"),
    "a limit of 0": (lambda l: change(l, "journal", limits={**l[0]["limits"], "memoryBytes": 0}), 1, "memoryBytes"),
    "a limit that is too large": (lambda l: change(l, "journal", limits={**l[0]["limits"], "maxCalls": 2**40}), 1, "maxCalls"),
    "a negative limit": (lambda l: change(l, "journal", limits={**l[0]["limits"], "timeoutMs": -1}), 1, "timeoutMs"),
    "code that is too long": (lambda l: change(l, "journal", code="//" + "x" * (1 << 20)), 1, "code"),
    "args of another blob": (lambda l: change(l, "journal", args=None, argsBlob="0" * 64, argsBytes=1, _file=None), 1, "is not there"),
    "args of a path": (lambda l: change(l, "journal", args=None, argsBlob="../" * 21 + "x", argsBytes=1, _file=None), 1,
                       '"argsBlob" is missing'),
    "no job": (lambda l: without(l, "to job"), 2, "before it has a job"),
    "a job without a date": (lambda l: change(l, "to job", date=None), 2, "job is not valid"),
    "a call that is not the next": (lambda l: change(l, "from call", n=2), 4, "call 2 comes after call 0"),
    "a call with a number that is a text": (lambda l: change(l, "from call", n="1"), 4, "which call"),
    "a call that is missing": (lambda l: without(l, "from call"), 4, "has not been made"),
    "two answers to a call": (lambda l: doubled(l, "to reply"), 7, "was answered"),
    "an answer to no call": (lambda l: change(l, "to reply", n=99), 6, "has not been made"),
    "an answer to call 0": (lambda l: change(l, "to reply", n=0), 6, "has not been made"),
    "an answer without a value": (lambda l: change(l, "to reply", json=None), 6, '"json"'),
    "an answer of a path": (lambda l: change(l, "to reply", json=None, jsonBlob="../" * 21 + "x", jsonBytes=9), 6, '"json"'),
    "a time that goes back": (lambda l: change(l, "to wake", at=0), None, "earlier"),
    "a time that is too large": (lambda l: change(l, "to wake", at=2**60), None, "time"),
    "an unknown kind": (lambda l: change(l, "to wake", to="sleep"), None, "does not know such a line"),
    "two ends": (lambda l: doubled(l, "end"), None, "after the end"),
    "two results": (lambda l: doubled(l, "from done"), None, "had already ended"),
    "no end": (lambda l: without(l, "end"), None, "ends early"),
}


@each(SENSELESS)
def an_impossible_journal_is_refused_with_the_line(case):
    edit, number, words = case
    with damaged() as r:
        whole(r)
        lines = lines_of(os.path.join(r.root, "1.jsonl"))
        equal(r.replay(r.write(sealed(lines))), 0, r.err)  # lines that are merely written again are fine
        before = r.trace("s")
        path = r.write(sealed(edit(lines)))
        equal(r.replay(path), 2, r.out)
        contains(r.err, "JOURNAL_INVALID", f"{path}:{number or ''}", words)
        equal(r.trace("s"), before)


def bend(chance, text):
    """Changes something in a body, so that it mostly stays JSON."""
    spots = list(re.finditer(rb'"[^"\\]*"|-?\d+|true|null|\{\}|\[\]', text))
    if not spots:
        return text
    spot = chance.choice(spots)
    other = chance.choice([b"0", b"-1", b"1", b"2", b"99999999999999999999", b'""', b'"x"', b"null", b"true", b"[]", b"{}",
                           b'"call"', b'"reply"', b'"fail"', b'"done"', b'"denied"', b'"\\u0000"', b'"\\ud800"', b"1e5",
                           b'"' + b"y" * 70000 + b'"', chance.choice(spots)[0]])
    return text[:spot.start()] + other + text[spot.end():]


@test
def a_forged_journal_is_the_same_differs_or_is_refused_and_nothing_else():
    chance = random.Random(SEED)
    with damaged() as r:
        bodies = bodies_of(whole(r))
        before = r.trace("s")
        for _ in range(40 if TORTURE else 4):
            paths = []
            for _ in range(100):
                bent = list(bodies)
                for _ in range(chance.choice([1, 1, 2, 5])):
                    at = chance.randrange(len(bent))
                    bent[at] = bend(chance, bent[at])
                if chance.random() < 0.3:
                    at = chance.randrange(len(bent))
                    bent.insert(chance.randrange(1, len(bent)), bent.pop(at))
                paths.append(r.write(seal(bent)))
            status = r.replay("--json", *paths)
            assert status in (0, 2, 8), f"status {status}: {r.err:.2000}"
            for entry in json.loads(r.out)["replays"]:
                assert entry["outcome"] in ("SUCCESS", "REPLAY_DIFFERED", "JOURNAL_INVALID"), entry
        equal(r.trace("s"), before)


# --- blobs -------------------------------------------------------------------------------------

LONG = "y" * 70000


def with_blobs(r):
    """(path, {"args": file, ...})"""
    args = write_file(os.path.join(r.root, "args.json"), json.dumps({"long": LONG + "a"}))
    path = r.record("const v = await mcp.s.big({bytes: 70000}); await mcp.s.echo({v: v + 'c'}); return v + 'r'", args)
    found = {}
    for line in lines_of(path):
        for key, value in line.items():
            if key.endswith("Blob"):
                found.setdefault(f"{kind_of(line)} {key[:-4]}", os.path.join(path + ".d", value))
    return path, found


BLOBS = ["journal args", "to reply json", "from call args", "from done result"]


@test
def a_long_value_is_a_file_named_by_its_hash():
    with damaged() as r:
        path, blobs = with_blobs(r)
        equal(sorted(blobs), sorted(BLOBS))
        equal(len(os.listdir(path + ".d")), 5)
        equal(json.loads(read(blobs["from done result"])), "x" * 70000 + "r")
        equal(os.path.getsize(path) < 20000, True, "a short journal")
        equal(r.replay(path), 0, r.err)


@each({f"{blob}, {what}": (blob, what) for blob in BLOBS[:2] for what in ("gone", "changed", "short", "long", "a directory")})
def a_changed_blob_is_noticed(case):
    which, what = case
    with damaged() as r:
        path, blobs = with_blobs(r)
        text = read(blobs[which])
        os.remove(blobs[which])
        before = r.trace("s")
        if what == "a directory":
            os.mkdir(blobs[which])
        elif what != "gone":
            write_file(blobs[which], {"changed": text[:-3] + b"z" + text[-2:], "short": text[:-1], "long": text + b" "}[what])
        equal(r.replay(path), 2, r.out)
        number = 1 + next(i for i, line in enumerate(lines_of(path)) if os.path.basename(blobs[which]) in str(line))
        contains(r.err, "JOURNAL_INVALID", f"{path}:{number}: ", os.path.basename(blobs[which]))
        equal(r.trace("s"), before)
        if what == "a directory":
            os.rmdir(blobs[which])
        write_file(blobs[which], text)
        equal(r.replay(path), 0, r.err)


main()
