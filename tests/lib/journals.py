"""journals.py - a working directory where runs are recorded, and functions that read and make journals.

    with recorder(s={}) as r:
        journal = r.record("return mcp.s.echo({})")
        equal(r.replay(journal), 0)
"""

import contextlib
import hashlib
import json
import os
import re

from harness import scratch_dir, write_file
from tools import Tools

HASH = 32  # digits in a line


def lines_of(path):
    """The lines of a journal, parsed, without their hashes."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return [{key: value for key, value in line.items() if key != "h"} for line in lines]


def kind_of(line):
    """The kind of a line: "to reply", "send", "end"..."""
    return next(f"{key} {line[key]}" if key in ("to", "from") else key
                for key in ("journal", "to", "from", "send", "resume", "end", "cut") if key in line)


def seal(bodies):
    """Adds the right hashes to lines; a body has no hash and no last brace."""
    chain, lines = bytes(32), []
    for body in bodies:
        chain = hashlib.sha256(chain + body).digest()
        lines.append(body + b',"h":"' + chain.hex()[:HASH].encode() + b'"}\n')
    return b"".join(lines)


def bodies_of(text):
    return [line[:-len(b',"h":""}') - HASH] for line in text.splitlines()]


def set_mark(path):
    """Writes the mark of a host that is killed after the last line of the journal."""
    with open(path, "rb") as file, open(path + ".mark", "r+b") as mark:
        text = file.read()
        mark.seek(64)
        mark.write(b"%20d %s" % (len(text), text[-len(b'"}\n') - HASH:-len(b'"}\n')]))


def movable(text):
    """The same journal without the identity of its file, like older ones: it can be resumed in another file."""
    return seal([re.sub(rb',"_file":"[^"]*"', b"", body) for body in bodies_of(text)])


class Recorder(Tools):
    def __init__(self, root):
        super().__init__(root)
        self.state = os.path.join(root, "state")
        self.env["XDG_STATE_HOME"] = self.state
        self.count = 0

    def fresh(self):
        self.count += 1
        return os.path.join(self.root, f"{self.count}.jsonl")

    def record(self, code, *words, status=0, **options):
        """Records `exec` in a new journal; returns its path."""
        path = self.fresh()
        done = self.run("exec", "-", "--record", path, *words, code=code, **options)
        assert done.status == status, f"status {done.status}: {done.err}"
        return path

    def replay(self, *words, **options):
        done = self.run("replay", *words, **options)
        self.out, self.err = done.out, done.err
        return done.status

    def runs(self):
        """The journals that were recorded by default."""
        place = os.path.join(self.state, "caprun/runs")
        names = os.listdir(place) if os.path.isdir(place) else []
        return sorted(os.path.join(place, name) for name in names if not name.endswith(".mark"))

    def write(self, text):
        """Writes a journal with these bytes; returns its path."""
        return write_file(self.fresh(), text)


def read(path):
    with open(path, "rb") as file:
        return file.read()


@contextlib.contextmanager
def recorder(permissions=None, settings=None, **servers):
    with scratch_dir() as root:
        r = Recorder(root)
        r.serve(servers, permissions, **(settings or {}))
        yield r
