#!/usr/bin/env python3
"""escapes.t - a worker cannot control a terminal: all its text is untrusted and escaped.

The test-only worker sends bytes that an honest worker would not send (tests/worker).
"""

import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import CAPRUN, Terminal, caprun, contains, each, equal, main, scratch_dir, test
from hook import HOOK, hooked

TEXTS = {
    "colours": r"'\x1b[31mred\x1b[0m'",
    "a title": r"'\x1b]0;title\x07'",
    "a link": r"'\x1b]8;;http://evil/\x1b\\link\x1b]8;;\x1b\\'",
    "the clipboard": r"'\x1b]52;c;ZXZpbA==\x07'",
    "controls of 8 bits": r"'\x9b31m\x9d0;t\x9c\x90q\x85'",
    "controls of 8 bits, not UTF-8": "[new Uint8Array([0x9b, 0x33, 0x31, 0x6d, 0x85])]",
    "the cursor": r"'\x1b[2J\x1b[1A\x1b[2Kover it'",
    "a return": r"'bad\rgood'",
    "a backspace": r"'bad\b\b\bgood'",
    "a bell and a tear": r"'\x07\x0c\x0b\x7f\x0e\x0f'",
    "new lines": r"'one\ncaprun: forged\r\nthree\u2028four\u2029'",
    "the other direction": r"'\u202egnp.exe\u202c\u2066x\u2069\u200f\u061c'",
    "nothing to see": r"'\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u034f\u3164\u{e0041}\u{e007f}'",
    "every byte but NUL": "[new Uint8Array(255).map((_, i) => i + 1)]",
    "what is cut in a character": "[new Uint8Array([0xe2, 0x80])]",
}
# The frames that carry the bytes.
PLACES = {
    "a line of the log": "frame(LOG, 0, text), frame(DONE, 0, '1')",
    "a line that was cut": "frame(LOG, 1, text), frame(DONE, 0, '1')",
    "the name of an error": "threw({}, text, 'm')",
    "the message": "threw({}, 'Error', text)",
    "the message of a syntax error": "threw({why: 2}, 'SyntaxError', text)",
    "the message of what is not JSON": "threw({why: 3}, 'TypeError', text)",
    "the stack": "threw({}, 'Error', 'm', text)",
    "what was reached for": "attempt(1, bytes(text).subarray(0, 128), 'net', 'host', 'message'), frame(DONE, 0, '1')",
    "the access": "attempt(1, 'fetch', bytes(text).subarray(0, 16), 'host', 'message'), threw({blocked: 1})",
    "the target": "attempt(1, 'fetch', 'net', text, 'message'), threw({blocked: 1})",
    "what it was told": "attempt(1, 'fetch', 'net', 'host', text), threw({blocked: 1})",
    "what to use instead": "attempt(1, 'fetch', 'net', 'host', text, bytes(text).length), threw({blocked: 1})",
    "the result": "frame(DONE, 0, JSON.stringify(new TextDecoder().decode(bytes(text))))",
}
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
                    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff\udc80-\udcff]")


def program_in(directory):
    """A copy of caprun, with the test-only worker beside it."""
    shutil.copy(HOOK, f"{directory}/caprun-worker")
    return shutil.copy(CAPRUN, directory)


def on_a_terminal(program, code, *options):
    """(standard output, standard error) as shown on a terminal."""
    out, err = Terminal(), Terminal()
    try:
        caprun("exec", "-", *options, code=code, program=program, stdout=out.theirs, stderr=err.theirs,
               env={**os.environ, "NO_COLOR": "1"})  # otherwise caprun itself writes escapes for colours
    finally:
        texts = out.text(), err.text()
    return texts


def check(shown, place, text):
    assert not (found := HIDDEN.search(shown)), f"{place}, {text}: {found[0]!r} is shown: {shown!r:.300}"


@each(PLACES)
def nothing_that_a_worker_says_reaches_the_terminal_raw(frames):
    with scratch_dir() as directory:
        program = program_in(directory)
        for name, text in TEXTS.items():
            code = hooked(f"const text = {text}; send({frames}); stop()")
            for shown in on_a_terminal(program, code):
                check(shown, frames, name)
            check(caprun("exec", "-", code=code, program=program).err, frames, name)


@test
def an_envelope_on_a_terminal_is_escaped_too():
    with scratch_dir() as directory:
        program = program_in(directory)
        for frames in PLACES.values():
            code = hooked(f"const text = {TEXTS['every byte but NUL']}; send({frames}); stop()")
            out, err = on_a_terminal(program, code, "--json")
            check(out, frames, "--json")
            check(err, frames, "--json")
            contains(out, '"runId"')


@test
def a_line_of_the_log_is_one_line_and_is_not_taken_for_one_of_caprun():
    with scratch_dir() as directory:
        code = hooked(r"send(frame(LOG, 0, 'one\ncaprun: forged\r\nthree'), frame(DONE, 0, '1')); stop()")
        done = caprun("exec", "-", code=code, program=program_in(directory))
        equal((done.out, done.err), ("1\n", "one\\ncaprun: forged\\r\\nthree\n"))


@test
def harmless_text_is_shown_unchanged():
    with scratch_dir() as directory:
        said = "send(frame(LOG, 0, 'caf\u00e9 \u65e5\u672c\t\U0001f600'), threw({}, 'Error', '\u00fcber')); stop()"
        _, err = on_a_terminal(program_in(directory), hooked(said))
        equal(err, "caf\u00e9 \u65e5\u672c\t\U0001f600\ncaprun: RuntimeError (CODE_ERROR): \u00fcber\n")


main()
