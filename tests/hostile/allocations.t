#!/usr/bin/env python3
"""allocations.t - each allocation of a run fails once: running out of memory must end a run clearly at any point.

The test-only worker runs each script of allocations/ with the first allocation failing, then with the
second, and so on. Each run must end with MEMORY_LIMIT, never with a crash. The series ends when no
allocation fails: that run is the twin, and must end as the script's first line says (see README.md).
CAPRUN_TORTURE=1 tries every allocation; otherwise only some are tried after the first ones.
"""

import glob
import itertools
import json
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../lib"))
from harness import BUILD, TORTURE, between, each, equal, main
from library import CRASHES, Library, descriptors, resident_kib

FIRST, STRIDE = 150, 17  # every one of the first 149 allocations, then every 17th
MOST = 1000000
WIDTH = 8  # runs at once
EXPECT = re.compile(r"// expect: ([A-Z_]+)(?: ([A-Z][A-Za-z]+))?(?: (.+))?\n(?:// expect-log: (.*)\n)?"
                    r"(?:// schema: (.*)\n// args: (.*)\n)?")


class Script:
    """The expected end and the code of a file."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        match = EXPECT.match(text)
        assert match, "the first line does not say how it ends"
        self.outcome, self.type, self.value, self.log, schema, args = match.groups()
        self.options = {"schema": schema, "args": args}
        self.body = text[match.end():]

    def failing_at(self, number):
        return f"//fail-allocation {number}\n{self.body}"

    def ends_right(self, envelope):
        logged = not self.log or self.log in str(envelope["logs"])
        if envelope["success"]:
            return logged and self.outcome == "SUCCESS" and envelope["result"] == json.loads(self.value)
        error = envelope["error"]
        words = json.loads(self.value) if self.value else ""
        return logged and (error["code"], error["type"]) == (self.outcome, self.type) and words in error["message"]


def answer(call):
    if call.method.startswith("fail:"):
        call.fail("the test refuses")
    else:
        call.reply(call.args)


class Host(Library):
    """A host with the test-only worker, in which a chosen allocation fails."""

    def __init__(self):
        super().__init__(answer, warm=WIDTH)
        equal(self.lib.caprun_set_worker(self.runtime, f"{BUILD}/tests/caprun-worker-hook".encode()), 0)

    def outcome(self, script, number, run):
        """True if |run| ended as the script expects, False if it was out of memory. Any other end is an error."""
        envelope = json.loads(self.finish(run))
        if script.ends_right(envelope):
            return True
        full = not envelope["success"] and envelope["error"]["code"] == "MEMORY_LIMIT"
        assert full, f"allocation {number}: {json.dumps(envelope):.3000}"
        return False


def tried():
    return itertools.chain(range(1, FIRST), range(FIRST, MOST, 1 if TORTURE else STRIDE))


def fail_each(host, script):
    """Returns the number of runs that failed, before a run did not."""
    numbers, going, failed, ended = tried(), [], 0, False
    while going or not ended:
        while not ended and len(going) < WIDTH:
            number = next(numbers)
            going.append((number, host.start(script.failing_at(number), **script.options)))
        number, run = going.pop(0)
        if host.outcome(script, number, run):
            ended = True
        else:
            failed += 1
    return failed


@each({os.path.basename(path)[:-len(".js")]: path for path in sorted(glob.glob(f"{HERE}/allocations/*.js"))})
def a_run_whose_memory_is_out_at_any_allocation_ends_clearly(path):
    script = Script(path)
    with Host() as host:
        assert host.outcome(script, MOST, host.start(script.failing_at(MOST), **script.options)), "out of memory without a reason"
        before, memory = host.settled_descriptors(), resident_kib()
        between(fail_each(host, script), 30, MOST, "allocations that failed")
        assert host.outcome(script, MOST, host.start(script.failing_at(MOST), **script.options)), "out of memory without a reason"
        equal(host.count(CRASHES), 0, "crashes")
        host.settle()
        equal(descriptors(), before, "descriptors")
        between(resident_kib() - memory, -(1 << 20), 8192, "KiB more")


main()
