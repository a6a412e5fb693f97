"""hook.py - the test-only worker for hostile tests: its code can send any frame and make any system call.

tests/worker/hook.c defines `native`; the functions of tests/worker/frames.js are prepended to the code.
"""

import collections
import ctypes
import os
import re

from harness import BUILD, ROOT, equal, parse_envelope
from library import Library, unharmed

HOOK = f"{BUILD}/tests/caprun-worker-hook"
NO_CALL = 65535  # the number of a system call that this machine does not have


def number_of(name):
    """The number of a system call on this machine."""
    number = ctypes.CDLL("libseccomp.so.2").seccomp_syscall_resolve_name(name.encode())
    return number if number >= 0 else NO_CALL


def numbered(code):
    return re.sub(r"\bNR\.(\w+)", lambda match: str(number_of(match[1])), code)


def _prelude():
    """The functions on one line, so that line numbers of the code stay right."""
    with open(os.path.join(ROOT, "tests/worker/frames.js"), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    return numbered(" ".join(line.strip() for line in text.splitlines() if line.strip())) + " "


PRELUDE = _prelude()


def hooked(code):
    """|code| as the test-only worker runs it."""
    return PRELUDE + numbered(code)


def use_hook(library):
    """Selects the test-only worker; call before the first run of |library|."""
    equal(library.lib.caprun_set_worker(library.runtime, HOOK.encode()), 0)


class Hooked(Library):
    """A runtime for many runs in the test-only worker; calls are answered with their args."""

    def __init__(self, **sizes):
        super().__init__(lambda call: call.reply(call.args), **sizes)
        use_hook(self)

    def run(self, code, **options):
        return super().run(hooked(code), **options)

    def ends_of(self, codes, at_once=32, **options):
        """The envelopes of |codes|, in order; so many of them run at a time."""
        waiting = collections.deque()
        for code in codes:
            waiting.append(self.start(code, **options))
            if len(waiting) == at_once:
                yield parse_envelope(self.finish(waiting.popleft()) + "\n")
        while waiting:
            yield parse_envelope(self.finish(waiting.popleft()) + "\n")

    def is_well(self):
        envelope = self.execute("return (await mcp.echo.it({n: 7})).n")
        equal(envelope.get("result"), 7, str(envelope.get("error")))


def watched(growth_kib=8192, **sizes):
    return unharmed(Hooked(**sizes), growth_kib)


def end_of(envelope):
    """(code, message) of an envelope; the result of a success."""
    if envelope["success"]:
        return "SUCCESS", envelope["result"]
    return envelope["error"]["code"], envelope["error"]["message"]
