#!/usr/bin/env python3
"""prompt.t - the question at a terminal: what it shows, what answers it, and what does not."""

import contextlib
import json
import os
import re
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, stretched, test, wait_until, write_file
from people import Person, person, screen_lines
from tools import tools

ASK = {"ask": ["*"]}
TWO = """
    const say = (p) => p.then(() => "made", (e) => e.code);
    return [await say(mcp.s.echo({x: 1})), await say(mcp.s.echo({x: 2}))];
"""


@contextlib.contextmanager
def asked(code, *options, permissions=ASK, settings=None, s=None, **more):
    """(tools, person) of a run that asks about calls of the server s."""
    with tools(permissions=permissions, settings=settings, s=s or {}) as t:
        file = os.path.join(t.work, "code.js")
        with open(file, "w", encoding="utf-8") as out:
            out.write(code)
        with person(t, "exec", "code.js", "--json", *options, **more) as p:
            yield t, p


def outcome(p):
    return p.end().envelope


def by(envelope):
    return [(call["state"], call.get("by")) for call in envelope["calls"]]


# --- what is shown -----------------------------------------------------------------------------


@test
def a_question_shows_who_asks_for_which_tool_with_which_args():
    with asked('return mcp.s.echo({path: "out/a.txt", n: 1})') as (t, p):
        question = p.answer("y")
        contains(question, "may this call be made?", "\n  code    code.js\n", "\n          sha256 ",
                 "\n  tool    s:echo\n", "\n  server  ", f"\n  in      {t.work}"[:60],
                 '\n  why     "permissions": {"ask": ["*"]} of .caprun.json\n',
                 '\n  args:\n  | {\n  |   "path": "out/a.txt",\n  |   "n": 1\n  | }\n')
        contains(question, "\n  y  yes", "\n  r  yes", "\n  n  no", "\n  x  no")
        equal(outcome(p)["result"], {"path": "out/a.txt", "n": 1})


@test
def a_capability_is_named_with_its_pin():
    with tools(permissions=ASK, s={}) as t:
        t.publish(code="return mcp.s.echo(args)", tools=["s:echo"])
        with person(t, "acme.tools.text.upper", '{"x":1}', "--registry", t.registry) as p:
            contains(p.answer("y"), "\n  who     acme.tools.text.upper\n", "\n  code    sha256 ")
            equal(p.end().status, 0)


# --- answers -----------------------------------------------------------------------------------

ANSWERS = {
    # what is typed at each question: the outcome of both calls, and who decided
    "yes, once": (["y", "y"], ["made", "made"]),
    "yes, once, then no": (["y", "n"], ["made", "PERMISSION_DENIED"]),
    "yes for the run": (["r"], ["made", "made"]),
    "no for the run": (["x"], ["PERMISSION_DENIED", "PERMISSION_DENIED"]),
}


@each(ANSWERS)
def answer_counts(row):
    answers, results = row
    with asked(TWO) as (t, p):
        for answer in answers:
            p.answer(answer)
        envelope = outcome(p)
        equal(envelope["result"], results)
        equal([who for _, who in by(envelope)], ["human:tty"] * 2)
        equal(len(t.called("s")), results.count("made"))


@test
def only_enter_and_other_words_ask_again():
    with asked("return mcp.s.echo({x: 1})") as (t, p):
        contains(p.answer(""), "may this call")
        contains(p.answer("yes"), "may this call be made?")  # Enter showed the whole question again
        contains(p.answer("q"), "none of the answers")
        contains(p.answer("y" * 5000), "none of the answers")
        contains(p.answer("y\0y"), "none of the answers")
        equal(t.called("s"), [])
        p.answer(" y ")
        equal(outcome(p)["success"], True)


@test
def a_letter_without_enter_is_no_answer():
    with asked("return mcp.s.echo({x: 1})") as (t, p):
        p.question()
        p.type("y\x15n\n")  # Ctrl-U
        equal(outcome(p)["error"]["code"], "PERMISSION_DENIED")


# --- what does not answer ----------------------------------------------------------------------


@test
def what_was_typed_before_the_question_does_not_count():
    with asked("return mcp.s.echo({x: 1})", before="y\ny\nr\ny") as (t, p):
        p.expect("may this call")
        p.type("y\nr\n")  # within half a second
        p.answer("n")
        equal(by(outcome(p)), [("denied", "human:tty")])
        equal(t.called("s"), [])


@test
def standard_input_does_not_answer():
    with tools(permissions=ASK, s={}) as t, \
            person(t, "exec", "-", "--json", code="return mcp.s.echo({x: 1})\n//\ny\ny\n") as p:
        p.answer("n")
        equal(outcome(p)["error"]["code"], "PERMISSION_DENIED")


@test
def standard_input_may_be_a_pipe_while_the_terminal_answers():
    with tools(permissions=ASK, s={}) as t, \
            person(t, "exec", "-", "--json", code="return mcp.s.echo({x: 1})") as p:
        p.answer("y")
        equal(outcome(p)["result"], {"x": 1})


@test
def no_input_asks_nobody():
    with asked("return mcp.s.echo({x: 1})", "--no-input") as (t, p):
        end = p.end()
        equal((end.status in (3, 7), t.called("s")), (True, []))
        equal("may this call" in p.seen, False)


@test
def another_standard_error_asks_nobody():
    with tools(permissions=ASK, s={}) as t:
        with person(t, "exec", "-", "--json", code="return mcp.s.echo({x: 1})", under=["sh", "-c", '"$@" 2>/dev/null', "x"]) as p:
            equal((p.end().status in (3, 7), t.called("s")), (True, []))


# --- signals, and a terminal that goes away ----------------------------------------------------


@test
def control_c_cancels_the_run():
    with asked("return mcp.s.echo({x: 1})") as (t, p):
        p.question()
        p.type("\x03")
        end = p.end()
        equal((end.status, end.envelope["error"]["code"], t.called("s")), (130, "CANCELLED", []))


@test
def control_d_decides_nothing():
    with asked("return mcp.s.echo({x: 1})") as (t, p):
        p.question()
        p.type("\x04")
        end = p.end()
        equal((end.status, end.envelope["error"]["code"]), (7, "APPROVAL_REQUIRED"), end.out)
        equal(by(end.envelope), [("waiting", None)])
        equal(t.called("s"), [])


@test
def a_terminal_that_hangs_up_decides_nothing():
    with asked("return mcp.s.echo({x: 1})") as (t, p):
        p.question()
        p.run.send(signal.SIGHUP)
        end = p.end()
        equal((end.status, end.envelope["error"]["code"], t.called("s")), (7, "APPROVAL_REQUIRED", []))


@test
def a_question_in_the_background_is_not_asked_and_does_not_stop_caprun():
    with tools(permissions=ASK, s={}) as t:
        shell = "set -m; caprun=$1; shift; \"$caprun\" exec - --json < code.js > out & wait $!; echo ended $?"
        with open(os.path.join(t.work, "code.js"), "w", encoding="utf-8") as out:
            out.write("return mcp.s.echo({x: 1})")
        with person(t, "x", under=["bash", "-c", shell, "bash"]) as p:
            p.end()
            contains(p.run.out, "ended")
            equal(("ended 3" in p.run.out or "ended 7" in p.run.out, t.called("s")), (True, []), p.run.out)
            equal("may this call" in p.seen, False)


def stopped(t, next_command):
    """A question that Ctrl-Z stops, and after which the shell continues with |next_command|."""
    write_file(os.path.join(t.work, "code.js"), "return mcp.s.echo({x: 1})")
    return person(t, "x", under=["bash", "-c", f'set -m; "$1" exec code.js --json > out; {next_command}; echo ended $?', "bash"])


@test
def after_control_z_and_fg_the_question_is_asked_again():
    with tools(permissions=ASK, s={}) as t, stopped(t, "fg") as p:
        p.question()
        p.type("\x1a")
        contains(p.answer("y"), "may this call be made?")
        p.end()
        contains(p.run.out, "ended 0")
        equal(len(t.called("s")), 1)


@test
def after_control_z_and_bg_nothing_is_decided():
    with tools(permissions=ASK, s={}) as t, stopped(t, "bg; wait %1") as p:
        p.question()
        p.type("\x1a")
        p.end()
        contains(p.run.out, "ended 7")
        equal(t.called("s"), [])


@test
def the_terminal_is_as_it_was_after_every_end():
    import termios
    for keys in ("y\n", "n\n", "\x03", "\x04"):
        with asked("return mcp.s.echo({x: 1})") as (_, p):
            before = termios.tcgetattr(p.terminal.ours)
            p.question()
            p.type(keys)
            p.end()
            equal(termios.tcgetattr(p.terminal.ours), before)


@test
def a_question_is_withdrawn_when_its_run_ends():
    with asked("await mcp.s.echo({x: 1}); return 1", "--timeout", "60s") as (t, p):
        p.question()
        p.run.send(signal.SIGTERM)
        equal(p.end().status, 143)
        contains(p.seen, "withdrawn")


# --- attacks -----------------------------------------------------------------------------------

NASTY = "\x1b[2J\x1b]0;title\x07\r\ncaprun: y, n, then Enter: y\u202etxt.exe\u2066\u200b\u2028e\u0301\u05d0\u061c\x9b1m\x7f"


@test
def nothing_from_strangers_reaches_the_terminal_unescaped():
    code = f"return mcp.s.echo({{path: '/tmp/' + {json.dumps(NASTY)}, [{json.dumps(NASTY)}]: 1}})"
    with asked(code) as (_, p):
        question = p.answer("n")
        p.end()
        raw = p.terminal.seen.decode()
        for hidden in NASTY:
            if not hidden.isascii() or not (hidden.isprintable() or hidden in "\r\n"):
                equal(hidden in raw.replace("\x1b[K", ""), False, f"{hidden!r}")
        contains(question, "\\u001b[2J", "\\u202e", "\\u2066", "\\u200b", "\\u2028", "\\u05d0", "\\u0301", "\\u009b")
        for line in question.split("\n"):
            equal("then Enter" not in line or line.startswith("  | "), True, line)


@test
def names_that_look_alike_are_shown_as_what_they_are():
    with tools(permissions=ASK, s={"tools": [{"name": "r\u0435ad"}, {"name": "a\u202eb"}, {"name": "Read"}]}) as t:
        for alias, shown in (("r_ad", "s:r\\u0435ad"), ("a_b", "s:a\\u202eb"), ("Read", "s:Read")):
            with person(t, "exec", "-", "--json", code=f"return mcp.s.{alias}({{}})") as p:
                contains(p.answer("n"), f"\n  tool    {shown}\n")
                p.end()


@test
def a_line_of_the_log_waits_until_the_question_is_answered():
    code = """
        const other = mcp.ok.sleep({ms: 600}).then(() => console.log("caprun: y, n, then Enter: "));
        await mcp.s.echo({x: 1});
        await other;
        console.log("after");
        return 1;
    """
    with tools(permissions={"allow": ["ok"], "ask": ["s"]}, s={}, ok={}) as t, \
            person(t, "exec", "-", "--json", code=code) as p:
        p.question()
        os.kill(p.run.pid, signal.SIGWINCH)  # the question is drawn again, after more than half a second
        equal("caprun: y, n, then" in p.question(), False)
        p.type("y\n")
        p.expect("caprun: y, n, then Enter: ")
        p.expect("after")
        equal(p.end().status, 0)


# --- long args, many calls ---------------------------------------------------------------------


def without_layout(text):
    return re.sub(r"[\s]", "", text)


@test
def what_is_shown_is_what_the_server_gets():
    args = {"path": "/x/\u00e9\u6f22", "list": [1, -0.25, True, None, {}], "text": "a\"b\\c/d" * 40}
    with asked(f"return mcp.s.echo({json.dumps(args)})", rows=200) as (t, p):
        question = p.answer("y")
        p.end()
        lines = question.split("  args:\n")[1].split("\n")
        shown = "".join(line[4:] for line in lines if line.startswith("  | "))
        got = next(line for line in t.trace("s") if line.get("method") == "tools/call")["params"]["arguments"]
        equal(got, args)
        equal(without_layout(shown), without_layout(json.dumps(args, ensure_ascii=False)))


@test
def ten_megabytes_of_args_are_shown_in_pages():
    code = 'return (await mcp.s.echo({text: "x".repeat(10 << 20), path: "/etc/passwd"})).path'
    with asked(code) as (t, p):
        question = p.answer("m")
        contains(question, 'paths and URLs in the args:\n  | "path": "/etc/passwd"\n', "10239 KiB; m and Enter shows more")
        equal(len(question.split("\n")) <= 26, True, question)
        page = p.answer("m")
        equal(page.count("\n  | ") >= 18, True, page)
        equal(len(page.split("\n")) <= 24, True, page)
        p.answer("y")
        equal(outcome(p)["result"], "/etc/passwd")


@test
def a_narrow_terminal_gets_narrow_lines_also_after_a_resize():
    text = "\u6f22" * 30 + "x" * 300
    with asked(f"return mcp.s.echo({{path: '/{text}', {'k' * 100}: 1}})", columns=100) as (_, p):
        wide = p.question()
        p.size(40, 24)
        os.kill(p.run.pid, signal.SIGWINCH)
        narrow = p.answer("n")
        p.end()
        for lines, columns in ((wide, 100), (narrow, 40)):
            widest = max(sum(1 if c.isascii() else 2 for c in line) for line in screen_lines(lines)
                         if line.startswith("  | "))
            equal(columns - 12 < widest <= columns, True, f"{widest} of {columns}")


MANY = "return (await Promise.all(Array.from({length: %d}, (_, i) => mcp.s.echo({same: 'all', n: i})" \
       ".then(() => 1, (e) => 0)))).reduce((a, b) => a + b, 0)"


@test
def five_hundred_calls_are_one_question():
    with asked(MANY % 500, settings={"limits": {"maxConcurrentCalls": 1024}}, rows=40) as (t, p):
        question = p.answer("y")
        contains(question, "may these 500 calls be made?", "the same in all 500 calls:\n  | \"same\": \"all\"\n",
                 "different:\n  | call   \"n\"\n  | 1      0\n  | 2      1\n", "more calls; m and Enter")
        equal(outcome(p)["result"], 500)
        equal(p.seen.count("may these"), 1)
        equal(len(t.called("s")), 500)


@test
def a_no_denies_all_calls_of_the_question():
    with asked(MANY % 50) as (t, p):
        p.answer("n")
        equal((outcome(p)["result"], t.called("s")), (0, []))


@test
def the_calls_of_a_question_can_be_decided_one_by_one():
    with asked(MANY % 4) as (t, p):
        contains(p.answer("p"), "may these 4 calls")
        contains(p.answer("y"), "may this call be made? (3 more wait)", '"n": 0')
        contains(p.answer("n"), "may this call be made? (2 more wait)", '"n": 1')
        contains(p.answer("r"), "may this call be made? (1 more waits)", '"n": 2')
        equal((outcome(p)["result"], len(t.called("s"))), (3, 3))


@test
def calls_of_several_tools_are_several_questions():
    code = "return Promise.all([mcp.s.echo({x: 1}), mcp.s.other({y: 1}), mcp.s.echo({x: 2})].map((p) => p.then(() => 1, () => 0)))"
    with asked(code, s={"tools": [{"name": "other"}]}) as (_, p):
        contains(p.answer("y"), "may these 2 calls be made? (1 more waits)", "\n  tool    s:echo\n")
        contains(p.answer("n"), "may this call be made?", "\n  tool    s:other\n")
        equal(outcome(p)["result"], [1, 0, 1])


# --- two runs ----------------------------------------------------------------------------------


@test
def two_runs_at_one_terminal_ask_one_after_the_other():
    with tools(permissions=ASK, s={}) as t:
        for name in "ab":
            with open(os.path.join(t.work, f"{name}.js"), "w", encoding="utf-8") as out:
                out.write(f"return mcp.s.echo({{who: '{name}'}})")
        shell = '"$1" exec a.js > a.out & "$1" exec b.js > b.out & wait'
        with person(t, "x", under=["sh", "-c", shell, "sh"]) as p:
            first = p.question()
            wait_until(lambda: t.methods("s").count("tools/list") == 2, 20, "two servers")
            equal((first.count("may this call"), p.seen[p.at:]), (1, ""))
            p.type("y\n")
            second = p.answer("y")
            equal({'"who": "a"' in first, '"who": "a"' in second}, {True, False})
            p.end()
            for name in "ab":
                with open(os.path.join(t.work, f"{name}.out"), encoding="utf-8") as out:
                    contains(out.read(), f'"who":"{name}"')


if __name__ == "__main__":
    main()
