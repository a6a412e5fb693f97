#!/usr/bin/env python3
"""pins_kept.t - the pins of the same bytes stay the same in every version of caprun.

tests/golden/pins/caprun.lock was written by a caprun that did not yet read metadata and tools with
cJSON. It never changes: otherwise the pins in users' repositories would break.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, equal, main, test, write_file
from tools import tools

GOLDEN = os.path.join(ROOT, "tests/golden/pins")
SERVER = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    if m["method"] == "initialize":
        r = json.dumps({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "golden", "version": "1"}})
    elif m["method"] == "tools/list":
        r = open(sys.argv[1], encoding="utf-8").read().replace("\\n", " ")
    elif m["method"] == "tools/call":
        r = json.dumps({"content": [{"type": "text", "text": "called"}]})
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    print('{"jsonrpc":"2.0","id":%s,"result":%s}' % (json.dumps(m["id"]), r), flush=True)
"""


def run(lock, *options):
    """Runs the capability with |lock| as the lockfile, or without one. Returns the lockfile afterwards."""
    with tools(settings={"registries": [f"{GOLDEN}/registry"]}, s={
            "command": sys.executable, "args": ["-I", "-S", "-c", SERVER, f"{GOLDEN}/tools.json"], "era": "legacy"}) as t:
        if lock is not None:
            write_file(t.lockfile, lock)
        done = t.run("acme.golden.pins.odd", "{}", "--json", *options)
        equal((done.status, done.envelope["result"]), (0, "called"), done.err)
        with open(t.lockfile, encoding="utf-8") as file:
            return file.read()


def golden():
    with open(f"{GOLDEN}/caprun.lock", encoding="utf-8") as file:
        return file.read()


@test
def the_same_bytes_are_pinned_alike():
    equal(run(None), golden())


@test
def old_pins_are_accepted():
    equal(run(golden(), "--frozen"), golden())


if __name__ == "__main__":
    main()
