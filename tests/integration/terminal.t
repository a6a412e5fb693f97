#!/usr/bin/env python3
"""terminal.t - progress, colours and widths on a terminal, which a script does not get."""

import contextlib
import json
import os
import re
import signal
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import Terminal, contains, each, equal, main, stretched, test, write_file
from registries import NAME, place, serve_files
from servers import Server
from tools import tools

COLOUR = "\x1b["


def seen(p, *words, columns=200, **options):
    """Runs caprun with these words on a terminal. Returns its standard error."""
    terminal = Terminal(columns)
    options["env"] = {"TERM": "xterm", "NO_COLOR": "", **options.get("env", {})}
    try:
        p.run(*words, stderr=terminal.theirs, **options)
    finally:
        text = terminal.text()
    return text


def screen(text):
    """The lines that a terminal shows in the end, without colours."""
    lines, column = [""], 0
    for part in re.split("(\x1b\\[J|\x1b\\[[0-9]*m|[\r\n])", text):
        if part == "\n":
            lines.append("")
        if part in ("\n", "\r"):
            column = 0
        elif part == "\x1b[J":
            lines[-1] = lines[-1][:column]
        elif not part.startswith("\x1b["):
            lines[-1] = lines[-1][:column] + part + lines[-1][column + len(part):]
            column += len(part)
    return "\n".join(lines)


def slowly(p, gate):
    """Answers as a registry does, but only when |gate| is open."""
    files = serve_files(p.registry)

    def serve(path, headers):
        gate.wait(stretched(20))
        return files(path, headers)

    return serve


def fetch_and_see(p, *options):
    """The output of a fetch whose server waits for output before it answers, or for a while."""
    gate, terminal = threading.Event(), Terminal()
    with Server(slowly(p, gate)) as server:
        run = p.start(NAME, '{"text":"a"}', "--registry", server.url("/"), *options, stderr=terminal.theirs,
                      env={"TERM": "xterm"})
        terminal.wait_for(b"fetching" if not options else None, 3)
        gate.set()
        run.end(60)
    text = terminal.text()
    equal((run.status, run.out), (0, '"A"\n'), text)
    return text, server.url("/")


@test
def a_fetch_that_takes_long_is_shown_and_taken_away_again():
    with place() as p:
        p.publish()
        text, url = fetch_and_see(p)
        contains(text, f"\r\x1b[Jcaprun: fetching {url}"[:40])
        shown = [line for line in text.split("\r") if line.strip()]
        contains(shown[-1], "pinned")  # the line of the fetch was overwritten with blanks
        assert text.split("pinned")[0].endswith("\r\x1b[J\x1b[1mcaprun:\x1b[0m "), text


@test
def nothing_is_shown_with_quiet():
    with place() as p:
        p.publish()
        equal(fetch_and_see(p, "-q")[0], "")


@test
def code_is_read_from_a_terminal_after_a_word_on_how_to_end_it():
    hint = "caprun: reading the code from the terminal; end it with Ctrl-D on a line of its own"
    for quiet in ([], ["-q"]):
        with place() as p:
            terminal = Terminal()
            run = p.start("exec", "-", *quiet, stdin=terminal.theirs)
            terminal.type(b"return 1\n\x04")
            done = run.end(20)
            terminal.text()
            equal((done.status, done.out, hint in done.err), (0, "1\n", not quiet), done.err)
            equal(hint in p.run("exec", "-", code="return 1").err, False, "a pipe")


@test
def a_fetch_is_not_shown_to_a_script():
    with place() as p:
        p.publish()
        gate = threading.Event()
        with Server(slowly(p, gate)) as server:
            run = p.start(NAME, '{"text":"a"}', "--registry", server.url("/"))
            threading.Timer(0.8, gate.set).start()
            run.end(60)
            equal((run.out, run.err), ('"A"\n', ""))


@test
def a_first_use_says_what_it_pinned():
    with place() as p:
        p.publish()
        words = (NAME, '{"text":"a"}', "--registry", p.registry)
        contains(seen(p, *words), f"pinned {NAME}.0123abcd in {p.work}/caprun.lock")
        equal(seen(p, *words), "")
        os.unlink(p.lockfile)
        equal(p.run(*words).err, "")


@test
def errors_have_colour_unless_it_is_switched_off():
    with place() as p:
        p.publish()
        words = ("a.b.c.d", "--registry", p.registry)
        shown = seen(p, *words)
        contains(shown, COLOUR + "31mcaprun: LoadError (NOT_FOUND):" + COLOUR + "0m 'a.b.c.d'")
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            text = seen(p, *words, env=env)
            assert COLOUR not in text and "(NOT_FOUND)" in text, text
            equal(seen(p, *words, "--color=always", env=env), shown)
        assert COLOUR not in p.run(*words).err
        equal(seen(p, *words, "--color", "auto"), shown)
        assert COLOUR not in seen(p, *words, "--color", "never")
        contains(p.run(*words, "--color", "always").err, COLOUR + "31mcaprun: LoadError (NOT_FOUND):" + COLOUR + "0m")


@test
def json_never_has_colours():
    for words in (["runs"], ["config"], ["doctor"], ["lock"], ["exec", "-"], ["tools"]):
        with place() as p:
            out = p.run(*words, "--json", "--color=always", code="return {a: 1}").out
            assert "\x1b" not in out and json.loads(out), out


@test
def an_unknown_value_of_color_is_refused():
    with place() as p:
        done = p.run("runs", "--color", "maybe")
        equal(done.status, 2)
        contains(done.err, "--color: 'maybe' is not auto, always or never")


@test
def untrusted_text_cannot_bring_its_own_colours():
    code = "console.log('\\x1b[32mgreen'); throw new Error('\\x1b[0m\\x1b[32mcaprun: all is well')"
    with place() as p:
        text = seen(p, "exec", "-", "--color=always", code=code)
        contains(text, "\\u001b[32mgreen\n", "\\u001b[0m\\u001b[32mcaprun: all is well")
        equal(sorted(set(re.findall("\x1b[^m]*m", text))), [COLOUR + "0m", COLOUR + "31m"], text)


LONG_DENIAL = "await mcp.files.read_file({})"  # of a tool that a person has to be asked about


@test
def a_denial_fits_a_terminal_of_80_columns_and_is_one_line_in_a_pipe():
    with place() as p:
        p.configure(mcpServers={"files": {"command": "true"}}, record="none")  # else the run is suspended
        text = seen(p, "exec", "-", "--ask", "files", code=LONG_DENIAL, columns=80, env={"NO_COLOR": "1"})
        lines = text.partition("---")[0].splitlines()  # the diff is not wrapped
        assert max(map(len, lines)) <= 80 and lines[1].startswith("    "), text
        whole = p.run("exec", "-", "--ask", "files", code=LONG_DENIAL).err
        equal(" ".join(text.split()), " ".join(whole.split()))
        contains(whole.splitlines()[0], "files:read_file is denied", "cannot ask")
        contains(whole, "--allow files:read_file")


@test
def a_hint_fits_a_terminal_of_40_columns():
    with place() as p:
        text = seen(p, "exec", "missing", columns=40, env={"NO_COLOR": "1"})
        assert max(map(len, text.splitlines())) <= 40, text
        contains(text, "  hint: FILE is a path; code itself goes", "\n    in as: echo CODE | caprun exec -")


# --- tables ----------------------------------------------------------------------------------

def shown_table(p, *words, columns=80):
    """Standard output on a terminal, without colours."""
    terminal = Terminal(columns)
    done = p.run(*words, stdout=terminal.theirs, env={"NO_COLOR": "1", "TERM": "xterm"})
    text = terminal.text()
    assert done.status in (0, 1, 6), done.err
    return text


@contextlib.contextmanager
def crowded():
    """A place where every table has something long to show."""
    words = "long words that go on " * 9
    tool = {"name": "a_tool_with_quite_a_long_name", "description": words}
    with tools(server_with_a_name_that_is_long={"tools": [tool]}) as p:
        p.publish()
        p.run(NAME, '{"text":"a"}', "--registry", p.registry)
        p.run("call", "server_with_a_name_that_is_long:echo", json.dumps({"text": words}))
        yield p


@each({"help": ["--help"], "doctor": ["doctor"], "config": ["config"], "tools": ["tools"], "ranked": ["tools", "a"],
       "lock": ["lock"], "runs": ["runs"], "bench": ["bench", "memory", "--rounds", "1"]})
def a_table_fits_80_columns(words):
    with crowded() as p:
        text = shown_table(p, *words)
        equal([line for line in text.splitlines() if len(line) > 80 or line != line.rstrip()], [])
        assert len(text.splitlines()) > 2, text


@each({"config": (["config"], "limits"), "tools": (["tools"], "long words that go on " * 9), "lock": (["lock"], "sha256-")})
def what_is_cut_on_a_terminal_is_whole_in_a_pipe(case):
    words, part = case
    with crowded() as p:
        contains(shown_table(p, *words), "…")
        text = p.run(*words).out
        contains(text, part.rstrip())
        assert "…" not in text, text
        assert words != ["lock"] or re.search("sha256-[0-9a-f]{64}", text), text


@test
def the_newest_run_is_next_to_the_prompt_on_a_terminal_and_first_in_a_pipe():
    with place() as p:
        p.env["XDG_STATE_HOME"] = p.root
        for n in (1, 2, 3):
            write_file(f"{p.work}/{n}.js", f"return {n}")
            p.run("exec", f"{n}.js")
        equal(re.findall(r"\d\.js", shown_table(p, "runs")), ["1.js", "2.js", "3.js"])
        equal(re.findall(r"\d\.js", p.run("runs").out), ["3.js", "2.js", "1.js"])
        equal([run["subject"] for run in json.loads(p.run("runs", "--json").out)["runs"]], ["3.js", "2.js", "1.js"])


# --- the line about calls --------------------------------------------------------------------

def follow(t, code, *options, columns=80, wait_for=(), then=lambda run, terminal: None, **env):
    """Runs |code| until each of |wait_for| was seen, then calls |then|. Returns what was written."""
    terminal = Terminal(columns)
    run = t.start("exec", "-", *options, code=code, stderr=terminal.theirs, env={"TERM": "xterm", **env})
    for part in wait_for:
        terminal.wait_for(part.encode(), stretched(20))
    then(run, terminal)
    run.end(60)
    return terminal.text()


def interrupt(run, _terminal):
    run.send(signal.SIGINT)


THREE = """
    const calls = [mcp.a.progress({count: 1e6, ms: 20, message: "at\\n\\x1b[31m" + "words ".repeat(40)}),
                   mcp.a.never({}), mcp.a.never({})];
    await Promise.all(calls);
"""


@test
def a_call_that_takes_long_is_shown_with_the_progress_of_its_server():
    with tools(a={}) as t:
        text = follow(t, THREE, wait_for=["caprun: a:progress, 1 s, and 2 others: ", "caprun: a:progress, 2 s"],
                      then=interrupt)
        drawn = re.findall("\r\x1b\\[J(caprun: a:[^\r]*)\r", text)
        assert drawn and max(map(len, drawn)) <= 79, drawn
        last = drawn[-1]
        assert re.fullmatch(r"caprun: a:progress, \d+ s, and 2 others: \d+ of 1000000, at\\n\\u001b\[31mw[ words]+…", last), last
        equal(screen(text).splitlines()[0], "caprun: Cancelled (CANCELLED): Cancelled")


@test
def the_oldest_call_is_shown_and_the_line_never_mixes_with_the_log():
    code = """
        const slow = mcp.a.sleep({ms: 1400});
        setTimeout(() => console.log("a line"), 1200);
        const slower = mcp.a.sleep({ms: 2900});
        await slow; console.log("one"); await slower; console.log("two");
    """
    with tools(a={}) as t:
        text = follow(t, code)
        contains(text, "a:sleep, 1 s, and 1 other\r", "a:sleep, 2 s\r")
        equal(screen(text), "a line\none\ntwo\n")


@test
def the_line_follows_the_width_of_the_window():
    with tools(a={}) as t:
        def narrow(run, terminal):
            terminal.resize(40)
            terminal.wait_for("…\r".encode(), stretched(20))
            run.send(signal.SIGINT)

        text = follow(t, "await mcp.a.progress({count: 1e6, ms: 20, message: 'x'.repeat(60)})", columns=120,
                      wait_for=["x" * 60], then=narrow)
        cut = [line for line in re.findall("\x1b\\[J([^\r]+)\r", text) if line.endswith("…")]
        equal({len(line) for line in cut}, {39}, cut)


@test
def with_verbose_there_are_lines_and_the_line():
    with tools(a={}) as t:
        text = follow(t, "await mcp.a.progress({count: 30, ms: 50, message: 'x'})", "-v", NO_COLOR="1")
        contains(text, "\x1b[Jcaprun: a:progress, 1 s: ")
        shown = screen(text)
        contains(shown, "caprun: call 1 a:progress: 1 of 30, x\n", "caprun: call 1 a:progress done: ")
        assert " s: " not in shown and "\n\n" not in shown, shown


@each({"quiet": (["-q"], "xterm"), "json": (["--json"], "xterm"), "a dumb terminal": ([], "dumb"), "a pipe": None})
def a_slow_call_is_not_shown(case):
    with tools(a={}) as t:
        code = "return await mcp.a.sleep({ms: 1300})"
        if case is None:
            equal(t.run("exec", "-", code=code).err, "")
        else:
            equal(follow(t, code, *case[0], TERM=case[1]), "")


@test
def a_fast_call_is_not_shown():
    with tools(a={}) as t:
        equal(follow(t, "for (let i = 0; i < 50; i++) await mcp.a.echo({})"), "")


main()
