#!/usr/bin/env python3
"""policy.t - `caprun policy`: the list, `explain` and `test`. None of them starts a server."""

import contextlib
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, Terminal, caprun, contains, each, equal, main, test, write_file
from tools import unrecorded_tools as tools

NAME = "acme.tools.report.weekly"
OWN = {"id": "own", "for": NAME, "tool": "a:echo", "when": {"/path": {"under": "./out"}}, "maxCalls": 2, "then": "allow"}
PERMISSIONS = {
    "allow": ["a:read_*", "a:exact"],
    "ask": ["a"],
    "deny": ["*", "a:exact"],
    "rules": [OWN, {"tool": "a:read_*", "when": {"/n": {"max": 3}, "/mode": {"in": ["x", "y"]}}, "then": "deny"},
              {"id": "some", "tool": "a:some", "rate": {"calls": 1, "perMs": 5}, "then": "allow"}],
}


def lines_of(path):
    """{text of a line: its number}"""
    with open(path, encoding="utf-8") as file:
        return {line.strip().rstrip(","): number for number, line in enumerate(file, 1)}


@contextlib.contextmanager
def placed(permissions=PERMISSIONS):
    """Tools, the path of their configuration, one value a line, and the path of the user's own file."""
    with tools(permissions=permissions, a={}) as t:
        os.makedirs(f"{t.root}/user/caprun")
        user = write_file(f"{t.root}/user/caprun/config.json", '{"permissions":\n{"deny": ["b:*"], "rules": [\n'
                          '{"id": "mine", "tool": "c", "then": "ask"}]}}')
        t.env["XDG_CONFIG_HOME"] = f"{t.root}/user"
        with open(f"{t.work}/.caprun.json", encoding="utf-8") as file:
            config = json.load(file)
        yield t, write_file(f"{t.work}/.caprun.json", json.dumps(config, indent=1)), user


# --- the list ---------------------------------------------------------------------------------


@test
def the_list_has_the_strongest_first_and_each_with_its_place():
    with placed() as (t, path, user):
        at = lines_of(path)
        listed = json.loads(t.run("policy", "--json", "--deny", "z", "--allow", "y:*").out)
        equal(listed["default"], "ask")
        equal([(rule["answer"], rule["tools"], rule.get("rule"), rule.get("option"), rule.get("file"), rule.get("line"))
               for rule in listed["rules"]],
              [("deny", "b:*", None, None, user, 2), ("deny", "z", None, "--deny", None, None),
               ("deny", "a:read_*", "#2", None, path, at['"id": "own"'] + 11),
               ("allow", "a:echo", "own", None, path, at['"id": "own"'] - 1),
               ("deny", "a:exact", None, None, path, at['"a:exact"']),
               ("allow", "a:exact", None, None, path, at['"a:read_*"'] + 1),
               ("allow", "a:some", "some", None, path, at['"id": "some"'] - 1),
               ("allow", "a:read_*", None, None, path, at['"a:read_*"']),
               ("ask", "a", None, None, path, at['"a"']), ("ask", "c", "mine", None, user, 3),
               ("allow", "y:*", None, "--allow", None, None),
               ("deny", "*", None, None, path, at['"*"'])])
        own = next(rule for rule in listed["rules"] if rule.get("rule") == "own")
        equal({key: own[key] for key in ("for", "when", "maxCalls")}, {key: OWN[key] for key in ("for", "when", "maxCalls")})
        equal(t.starts("a"), [])


@test
def the_list_fits_a_terminal_of_80_columns():
    with placed() as (t, path, _):
        terminal = Terminal(80)
        t.run("policy", stdout=terminal.theirs, env={"NO_COLOR": "1", "TERM": "xterm"})
        text = terminal.text()
        line = lines_of(path)['"id": "own"'] - 1
        contains(" ".join(text.split()), f"allow a:echo .caprun.json:{line}", f"rule own, only for {NAME}, 2 calls in a run, when", "ask everything else default", "1 call in 5 ms")
        assert all(len(line) <= 80 for line in text.splitlines() if "/user/" not in line), text


@test
def without_a_configuration_everything_asks():
    with tools() as t:
        os.remove(f"{t.work}/.caprun.json")
        equal(json.loads(t.run("policy", "--json").out), {"rules": [], "default": "ask"})
        contains(t.run("policy").out, "everything else")


@test
def the_values_of_variables_are_not_shown():
    rule = {"tool": "a:echo", "when": {"/token": {"equals": "${SECRET}"}}, "then": "allow"}
    with tools(permissions={"rules": [rule]}, a={}) as t:
        for words in (["policy"], ["policy", "--json"], ["policy", "explain", "a:echo", '{"token": "x"}']):
            done = t.run(*words, env={"SECRET": "hunter2"})
            contains(done.out, "${SECRET}")
            assert "hunter2" not in done.out + done.err, done


# --- explain ----------------------------------------------------------------------------------

# name: (call, args, --for, the answer, what decides, {what: why not})
EXPLAINED = {
    "a rule whose path fits": ("a:echo", {"path": "out/x"}, NAME, "allow", "own", {"a": "is weaker than own", "*": "is weaker than own"}),
    "a path elsewhere": ("a:echo", {"path": "/etc/passwd"}, NAME, "ask", "a", {"own": '/path is not under "./out": it is "/etc/passwd"'}),
    "a path that is unclear": ("a:echo", {"path": "~/x"}, NAME, "ask", "a", {"own": '/path is unclear for "under": it is "~/x"'}),
    "no path": ("a:echo", {}, NAME, "ask", "a", {"own": "there is no /path"}),
    "a key that differs in case": ("a:echo", {"path": "out/x", "Path": "y"}, NAME, "ask", "a",
                                   {"own": "/path is unclear: another key differs only in case"}),
    "another capability": ("a:echo", {"path": "out/x"}, "acme.tools.report.daily", "ask", "a", {"own": f"is only for {NAME}"}),
    "code in no registry": ("a:echo", {"path": "out/x"}, None, "ask", "a", {"own": f"is only for {NAME}"}),
    "a deny by two conditions": ("a:read_x", {"n": 3, "mode": "y"}, None, "deny", "#2", {"a:read_*": "is weaker than #2"}),
    "a number that is too large": ("a:read_x", {"n": 4, "mode": "y"}, None, "allow", "a:read_*", {"#2": "/n is more than 3: it is 4"}),
    "a value of no list": ("a:read_x", {"n": 1, "mode": "z"}, None, "allow", "a:read_*", {"#2": "/mode is not one of the rule's values: it is \"z\""}),
    "what is unclear denies": ("a:read_x", {"n": 9007199254740993, "mode": "y"}, None, "deny", "#2", {"a": "is weaker than #2"}),
    "a deny of the same level": ("a:exact", {}, None, "deny", "a:exact", {"own": "is for other tools"}),
    "a budget at the beginning": ("a:some", {}, None, "allow", "some", {"a": "is weaker than some"}),
    "nothing but the default": ("other:x", {}, None, "deny", "*", {"a": "is for other tools"}),
    "the user's own file": ("b:x", {}, None, "deny", "b:*", {"*": "is weaker than b:*"}),
}


@each(EXPLAINED)
def explain_says_what_decides_and_why_not_the_others(case):
    call, args, caller, answer, by, reasons = case
    with placed() as (t, _, _):
        words = ["policy", "explain", call, write_file(f"{t.root}/args.json", json.dumps(args))]
        words += ["--for", caller] if caller else []
        told = json.loads(t.run(*words, "--json").out)
        equal((told["call"], told["for"], told["answer"], told["by"]), (call, caller or "exec", answer, by))
        found = {}
        for rule in told["rules"]:
            found.setdefault(rule.get("rule") or rule["tools"], rule["why"])
            equal(rule["decides"], rule["why"] == "decides")
        equal({key: found[key] for key in reasons}, reasons)
        equal(sum(rule["decides"] for rule in told["rules"]), 1)
        text = " ".join(t.run(*words).out.split())
        contains(text, f"{call}, called by {caller or 'exec'}: {answer}, because of the", "=> decides", *reasons.values())
        equal(t.starts("a"), [])


@test
def explain_agrees_with_what_a_run_does():
    with placed({**PERMISSIONS, "deny": ["a:exact"]}) as (t, _, _):
        for call, args, *_ in EXPLAINED.values():
            if call in ("a:echo", "a:read_x", "a:exact", "a:some"):
                text = json.dumps(args)
                told = json.loads(t.run("policy", "explain", call, text, "--json").out)
                calls = t.run("call", call, text, "--json").envelope["calls"]
                equal(calls[0]["by"], f"rule:{told['by']}" if told["answer"] != "ask" else "no_channel", f"{call} {text}")


@test
def args_come_from_a_file_or_standard_input_or_the_command_line():
    with placed() as (t, _, _):
        path = write_file(f"{t.root}/args.json", '{"path": "out/x"}')
        for args, stdin in ((path, ""), ("-", '{"path": "out/x"}'), ('{"path": "out/x"}', "")):
            equal(json.loads(t.run("policy", "explain", "a:echo", args, "--for", NAME, "--json", code=stdin).out)["by"], "own")
        for args, code, words in (("[1", "USAGE", "[1"), ('{"a":1,"a":2}', "VALIDATION_ERROR", "duplicate")):
            done = t.run("policy", "explain", "a:echo", args, "--json")
            equal((done.status, done.envelope["error"]["code"]), (2, code))
            contains(done.envelope["error"]["message"], words)


@test
def an_alias_is_noted_and_a_missing_server_too():
    with tools(permissions={"allow": ["my-server:do_it"], "deny": ["my-server:a-b"]}, **{"my-server": {}}) as t:
        done = t.run("policy", "explain", "my_server:do_it", "--json")
        equal((json.loads(done.out)["call"], json.loads(done.out)["answer"], done.err), ("my-server:do_it", "allow", ""))
        done = t.run("policy", "explain", "my-server:a_b")
        contains(done.err, "no server was asked")
        contains(done.out, 'is for a tool with another character instead of a "_"')
        contains(t.run("policy", "explain", "gone:x").err, 'no server "gone" in mcpServers')


@test
def names_and_values_are_escaped():
    evil = "\u001b[2J\u202e\n=> decides"
    with tools(permissions={"rules": [{"tool": "a:echo", "when": {"/p": {"equals": "x"}}, "then": "allow"}]}, a={}) as t:
        done = t.run("policy", "explain", "a:echo", json.dumps({"p": evil}))
        contains(done.out, "/p is not the rule's value: it is")
        assert "\u001b" not in done.out and "\u202e" not in done.out and "\n=> decides" not in done.out, done.out
        equal(t.run("policy", "explain", "a:" + evil).status, 2)
        cases = {"cases": [{"name": evil, "call": "a:echo", "args": {"p": evil}, "expect": "deny", "by": evil}]}
        done = t.run("policy", "test", write_file(f"{t.root}/cases.json", json.dumps(cases)))
        assert "\u001b" not in done.out and "\u202e" not in done.out, done.out
        equal(len(done.out.splitlines()), 4)


WRONG = {
    "a word too many": (["explain", "a:x", "{}", "{}"], "one word too many"),
    "no tool": (["explain"], "needs a tool"),
    "a pattern": (["explain", "a:*"], "not the name of a tool"),
    "no server": (["explain", "a"], "not the name of a tool"),
    "another word": (["list"], "explain, test and withdraw"),
    "a caller of three parts": (["explain", "a:x", "--for", "a.b.c"], "--for has to be"),
    "a caller without explain": (["--for", "exec"], "policy explain"),
    "no cases": (["test"], "one file"),
}


@each(WRONG)
def what_is_wrong_is_refused(case):
    words, message = case
    with tools(a={}) as t:
        done = t.run("policy", *words)
        equal(done.status, 2)
        contains(done.err, message)


# --- test -------------------------------------------------------------------------------------


@test
def the_sample_passes():
    folder = os.path.join(ROOT, "samples/policy")
    done = caprun("policy", "test", f"{folder}/cases.json", "--config", f"{folder}/caprun.json")
    lines = done.out.splitlines()
    equal((done.status, lines[0]), (0, f"1..{len(lines) - 1}"))
    assert len(lines) > 5 and all(line.startswith("ok ") for line in lines[1:]), done.out


def run_cases(t, cases, *words):
    text = cases if isinstance(cases, str) else json.dumps({"cases": cases})
    return t.run("policy", "test", write_file(f"{t.root}/cases.json", text), *words)


@test
def a_case_that_differs_is_not_ok_and_says_how():
    with placed() as (t, _, _):
        cases = [{"name": "right # really", "call": "a:echo", "args": {"path": "out/x"}, "for": NAME, "expect": "allow", "by": "own"},
                 {"call": "a:echo", "args": {"path": "in/x"}, "for": NAME, "expect": "allow"},
                 {"name": "by", "call": "a:exact", "expect": "deny", "by": None},
                 {"call": "a:exact", "expect": "deny"}]
        done = run_cases(t, cases)
        equal(done.status, 8)
        equal(done.out, '1..4\nok 1 - right \\# really\nnot ok 2 - a:echo {"path":"in/x"}\n# expected allow\n# got ask by a\n'
                        "not ok 3 - by\n# expected deny, because nothing matches\n# got deny by a:exact\nok 4 - a:exact\n")
        done = run_cases(t, cases, "--json")
        told = json.loads(done.out)
        equal((done.status, told["failed"], [case["ok"] for case in told["cases"]]), (8, 2, [True, False, False, True]))
        equal((told["cases"][1]["answer"], told["cases"][1]["by"]), ("ask", "a"))
        done = run_cases(t, cases[:1])
        equal((done.status, t.starts("a")), (0, []))


@test
def options_take_part():
    with placed() as (t, _, _):
        cases = [{"call": "a:exact", "expect": "deny", "by": "a:*"}, {"call": "n:x", "expect": "allow", "by": "n"}]
        equal(run_cases(t, cases, "--deny", "a:*", "--allow", "n").status, 0)
        equal(run_cases(t, cases).status, 8)


BAD = {
    "no JSON": ("{", "line 1, column 2"),
    "an array": ("[]", ":1:1: this has to be an object"),
    "another key": ('{"cases": [],\n "case": 1}', ':2:2: unknown key "case"; did you mean "cases"?'),
    "no case": ('{"cases": []}', ":1:2: \"cases\" has to be an array"),
    "a key of a case": ('{"cases": [\n {"call": "a:x", "expects": "ask"}]}', ':2:18: unknown key "expects"; did you mean "expect"?'),
    "no call": ('{"cases": [\n {"expect": "ask"}]}', ':2:2: a case needs "call"'),
    "no expectation": ('{"cases": [\n {"call": "a:x"}]}', ':2:2: a case needs "expect"'),
    "a pattern": ('{"cases": [\n {"call": "a:*", "expect": "ask"}]}', ":2:3: 'a:*' is not the name of a tool"),
    "another answer": ('{"cases": [\n {"call": "a:x", "expect": "yes"}]}', ':2:18: "expect" has to be "allow"'),
    "args": ('{"cases": [\n {"call": "a:x", "expect": "ask", "args": []}]}', ':2:35: "args" has to be an object'),
    "a caller": ('{"cases": [\n {"call": "a:x", "expect": "ask", "for": "a.b"}]}', ':2:35: "for" has to be'),
    "by": ('{"cases": [\n {"call": "a:x", "expect": "ask", "by": 1}]}', ':2:35: "by" has to be'),
    "a duplicate key": ('{"cases": [\n {"call": "a:x", "call": "a:y", "expect": "ask"}]}', "line 2, column 18"),
}


@each(BAD)
def a_bad_file_is_refused_with_line_and_column(case):
    text, message = case
    with tools(a={}) as t:
        done = run_cases(t, text, "--json")
        equal((done.status, done.envelope["error"]["code"]), (2, "VALIDATION_ERROR"))
        contains(done.envelope["error"]["message"], message, "cases.json")


@test
def a_missing_file_is_a_usage_error():
    with tools(a={}) as t:
        done = t.run("policy", "test", "gone.json", "--json")
        equal((done.status, done.envelope["error"]["code"]), (2, "USAGE"))


main()
