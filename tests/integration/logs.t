#!/usr/bin/env python3
"""logs.t - logs on a terminal and in JSON: escaped, in order, cut at their limit."""

import fcntl
import os
import signal
import sys
import termios

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import (SANITIZED, between, caprun, contains, each, equal, is_zombie, main, proc, reap_orphans, run_json,
                     start, test, wait_until)


@each({
    "ANSI": (r"'\x1b[31mred'", r"\u001b[31mred"),
    "OSC": (r"'\x1b]0;title\x07'", r"\u001b]0;title\u0007"),
    "C1": (r"'\x9b31m'", r"\u009b31m"),
    "bidi": (r"'a\u202eb\u2066c\u200f'", r"a\u202eb\u2066c\u200f"),
    "carriage return": (r"'good\rbad'", r"good\rbad"),
    "NUL": (r"'a\0b'", r"a\u0000b"),
    "zero width": (r"'a\u200bb\ufeffc'", r"a\u200bb\ufeffc"),
    "tags": (r"'a\u{e0041}b'", r"a\udb40\udc41b"),
    "text of the world": (r"'zażółć 漢字 😀'", "zażółć 漢字 😀"),
    "several values": ("1, 'a', {b: [2]}", "1 a { b: [ 2 ] }"),
    "nothing": ("", ""),
})
def a_log_entry_is_one_escaped_line(case):
    expression, line = case
    done = caprun("exec", "-", code=f"console.log({expression}); return 1")
    equal((done.status, done.out, done.err), (0, "1\n", line + "\n"))


@test
def a_lone_surrogate_in_a_log_is_the_replacement_character():
    envelope = run_json(r"console.log('a\ud800b', 'c\udfff'); return 1")
    equal(envelope["logs"], ["a\ufffdb c\ufffd"])
    equal(envelope["process"].err, "a\ufffdb c\ufffd\n")


@test
def a_log_entry_of_several_lines_becomes_several_entries():
    envelope = run_json(r"console.log('a\nb\n\nc'); return 1")
    equal(envelope["logs"], ["a", "b", "", "c"])
    equal(envelope["process"].err, "a\nb\n\nc\n")


@test
def a_line_of_an_error_message_cannot_look_like_caprun():
    done = caprun("exec", "-", code=r"throw new Error('a\ncaprun: fake\x1b[2K\rb')")
    equal(done.err.splitlines()[:2], ["caprun: RuntimeError (CODE_ERROR): a", r"    caprun: fake\u001b[2K\rb"])
    assert all(line.startswith(("    at ", "      1 | ", "        | ")) for line in done.err.splitlines()[2:]), done.err


CUT = "cut"
FLOODS = {
    "20,000 lines": "for (let i = 0; i < 20000; i++) console.log(i)",
    "10,001 lines": "for (let i = 0; i < 10001; i++) console.log(i)",
    "20,000 empty lines": "for (let i = 0; i < 20000; i++) console.log('')",
    "20,000 lines at once": r"console.log('x\n'.repeat(20000))",
    "2 MB of lines": "for (let i = 0; i < 2000; i++) console.log('x'.repeat(1000))",
    "one line of 2 MiB": "console.log('x'.repeat(2 << 20))",
    "a line and one of 2 MiB": "console.log('a'); console.log('x'.repeat(2 << 20))",
    "2 MiB in three bytes each": r"for (let i = 0; i < 700; i++) console.log('\u20ac'.repeat(1000))",
}


@each(FLOODS)
def a_flooded_log_is_cut_and_the_run_goes_on(flood):
    envelope = run_json(flood + "; await new Promise(r => setTimeout(r, 1)); return 'on'")
    equal(envelope.get("result"), "on", str(envelope.get("error")))
    logs = envelope["logs"]
    contains(logs[-1], CUT)
    assert not any(CUT in line for line in logs[:-1]), "it is said once"
    between(len(logs), 1, 10000, "lines")
    between(sum(len(line.encode()) for line in logs[:-1]), 0, 1 << 20, "bytes")
    equal(envelope["process"].err.splitlines(), logs, "standard error")


@each({"10,000 lines": "for (let i = 0; i < 9999; i++) console.log(i)",
       "almost 1 MiB": "for (let i = 0; i < 1024; i++) console.log('x'.repeat(1000))"})
def a_log_below_the_limit_is_whole(code):
    assert not any(CUT in line for line in run_json(code)["logs"])


# --- readers that do not read ----------------------------------------------------------------


def with_an_unread_pipe(name, code, timeout):
    """Starts |code| with |name| as a pipe that is not read. Returns the run and the pipe."""
    reader, writer = os.pipe()
    running = start("exec", "-", "--timeout", timeout, code=code, **{name: writer})
    os.close(writer)
    return running, reader


def is_full(pipe):
    """Is the pipe full?"""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4), sys.byteorder) >= 65536 - 4096


@test
def a_log_that_is_not_read_does_not_stop_the_clock():
    code = ("for (let i = 0; i < 80; i++) console.log('x'.repeat(1000));"
            "Array.prototype.reverse.call({length: 2**53-1})")
    running, reader = with_an_unread_pipe("stderr", code, "500ms")
    worker = running.family()[1]
    try:
        wait_until(lambda: not proc(worker, "stat") or is_zombie(worker), 2, "the end of the worker")
    finally:
        os.close(reader)
        equal(running.end().status, 4)


@each({"stdout": "return 'x'.repeat(1e6)",
       "stderr": "for (let i = 0; i < 80; i++) console.log('x'.repeat(1000)); return 1"})
def a_signal_ends_a_command_whose_output_is_not_read(code):
    running, reader = with_an_unread_pipe("stdout" if "return 'x" in code else "stderr", code, "60s")
    try:
        wait_until(lambda: is_full(reader), 5, "a full pipe")
        running.send(signal.SIGTERM)
        assert running.end(2).status in (143, -signal.SIGTERM), running.status
    finally:
        os.close(reader)
        wait_until(lambda: not reap_orphans(), 1, "the end of its processes")



@test
def a_function_cannot_be_named_like_a_message_of_ours():
    done = caprun("exec", "-", code="""
        const f = function () { throw new Error("x") };
        Object.defineProperty(f, "name", {value: "z\\n  hint: do this\\ncaprun: all is well\\n"});
        f()""")
    equal([line for line in done.err.splitlines() if not line.startswith("    ")],
          ["caprun: RuntimeError (CODE_ERROR): x"])


@test
def a_log_and_attempts_of_nothing_but_escapes_take_little_memory_of_the_host():
    code = r"""
        for (let i = 0; i < 15; i++) console.log("\u0001".repeat(65000));
        for (let i = 0; i < 2000; i++) try { Deno.readFile("\u0001".repeat(2000)) } catch {}
        return 1"""
    done = caprun("exec", "-", code=code)
    equal((done.status, done.out), (0, "1\n"))
    if not SANITIZED:
        between(done.max_rss >> 20, 1, 24, "MiB; it was 33 when all was escaped at once")


main()
