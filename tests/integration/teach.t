#!/usr/bin/env python3
"""teach.t - a denial says what to add: run, be denied, apply the diff, be allowed; in files of every form."""

import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, need_program, test, write_file
from registries import NAME
from tools import tools

CALL = "return mcp.a.echo(args)"


def diff_of(text):
    """The diff that caprun prints last on standard error."""
    start = text.rfind("\n--- ") + 1
    assert start, f"there is no diff in {text!r:.500}"
    return text[start:]


def read(path):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def apply_strictly(diff, before):
    """Applies a diff of one hunk: each line that it shows has to be in its place. |before| may be None."""
    lines = re.split(r"(?<=\n)", before or "")[:None if before and not before.endswith("\n") else -1]
    head, _, *body = re.split(r"(?<=\n)", diff)
    equal(head.startswith("--- /dev/null"), before is None, "a new file")
    first, old, _, new = map(int, re.fullmatch(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n", body.pop(0)).groups())
    made, at = lines[:max(first - 1, 0)], max(first - 1, 0)
    counted = {" ": 0, "-": 0, "+": 0}
    for line in body:
        if line.startswith("\\"):
            taken = taken[:-1]  # the line before has no line feed
            if sign != "-":
                made[-1] = taken
        elif line:
            sign, taken = line[0], line[1:]
            counted[sign] += 1
            if sign != "+":
                equal(lines[at].rstrip("\n"), taken.rstrip("\n"), f"line {at + 1}")
                at += 1
            if sign != "-":
                made.append(taken)
    equal((counted[" "] + counted["-"], counted[" "] + counted["+"]), (old, new), "lines in the head")
    return "".join(made + lines[at:])


def patch(t, diff):
    """Applies |diff| to the configuration, strictly and with patch, which have to agree."""
    path = os.path.join(t.work, ".caprun.json")
    wanted = apply_strictly(diff, read(path))
    done = subprocess.run(["patch", "-p0", "--binary", "--no-backup-if-mismatch"], cwd=t.work, input=diff.encode(),
                          capture_output=True, check=False)
    equal((done.returncode, b"offset" in done.stdout, b"fuzz" in done.stdout), (0, False, False), done.stdout + done.stderr)
    equal(read(path), wanted, "the file that patch made")
    json.loads(wanted)


# --- the cycle, in files of every form --------------------------------------------------------


def indented(indent, end="\n", last="\n"):
    return lambda config: json.dumps(config, indent=indent).replace("\n", end) + last


FORMS = {
    "two spaces": indented(2),
    "tabs": indented("\t"),
    "no line feed at the end": indented(4, last=""),
    "CRLF": indented(2, end="\r\n", last="\r\n"),
    "one line": json.dumps,
    "no blanks": lambda config: json.dumps(config, separators=(",", ":")) + "\n",
    "half on one line": lambda config: '{"mcpServers": %s,\n   "permissions": %s\n}\n' % tuple(
        json.dumps(config.get(key, {})) for key in ("mcpServers", "permissions")),
}


def rule(**keys):
    return {"tool": "a:echo", "then": "allow", **keys}


OWN = {"id": "own", "when": {"/path": {"under": "./out"}}}

# (the permissions, args of calls that are allowed, args of the call that is denied, what the grant adds)
CYCLES = {
    "a pattern": ({"allow": ["a:sleep"]}, [], {"n": 1}, {"allow": ["a:echo"]}),
    "a pattern, from nothing": (None, [], {"n": 1}, {"allow": ["a:echo"]}),
    "a pattern, from empty permissions": ({}, [], {}, {"allow": ["a:echo"]}),
    "a pattern, against the default": ({"deny": ["*"]}, [], {}, {"allow": ["a:echo"]}),
    "a rule with a path": ({"rules": [rule(**OWN)]}, [{"path": "out/x"}], {"path": "in/y"},
                           {"rules": [{"for": "exec", **rule(when={"/path": {"under": "./in"}})}]}),
    "a rule with a host": ({"rules": [rule(when={"/url": {"host": "a.example"}})]}, [{"url": "https://a.example/"}],
                           {"url": "https://B.example:8080/x"},
                           {"rules": [{"for": "exec", **rule(when={"/url": {"host": "b.example:8080"}})}]}),
    "a rule with these args": ({"ask": ["a:echo"]}, [], {"n": [1, {"x": None}]},
                               {"rules": [{"for": "exec", **rule(when={"": {"equals": {"n": [1, {"x": None}]}}})}]}),
    "a budget": ({"rules": [{"tool": "a:sleep", "then": "allow"}, rule(maxCalls=2)]}, [{}, {}], {},
                 {"rules": [{"maxCalls": 4}]}),
    "a rate": ({"rules": [rule(rate={"calls": 1, "perMs": 3600000})]}, [{}], {},
               {"rules": [{"rate": {"calls": 2, "perMs": 3600000}}]}),
}


def user_file(t, **settings):
    """Writes the user's own configuration. Returns its path, and the environment."""
    os.makedirs(f"{t.root}/user/caprun", exist_ok=True)
    path = write_file(f"{t.root}/user/caprun/config.json", json.dumps(settings))
    return path, {"XDG_CONFIG_HOME": f"{t.root}/user"}


def check_cycle(cycle, form):
    need_program("patch")
    permissions, allowed, denied, granted = CYCLES[cycle]
    with tools(a={}) as t:
        config = {"mcpServers": {"a": t.fake("a")}, **({} if permissions is None else {"permissions": permissions})}
        path = write_file(f"{t.work}/.caprun.json", FORMS[form](config))
        code = f"for (const a of {json.dumps(allowed)}) await mcp.a.echo(a); {CALL}"
        words = ("exec", "-", write_file(f"{t.root}/args.json", json.dumps(denied)))
        done = t.run(*words, "--json", code=code)
        error = done.envelope["error"]
        equal((done.status, error["code"], len(t.called("a"))), (3, "PERMISSION_DENIED", len(allowed)))
        equal((error["grant"]["file"], error["grant"]["permissions"]), (path, granted))
        diff = diff_of(done.err)
        equal(diff_of(t.run(*words, code=code).err), diff, "the diff without --json")
        patch(t, diff)
        done = t.run(*words, code=code)
        equal((done.status, json.loads(done.out or "null")), (0, denied), done.err)


@each({f"{cycle}, in a file with {form}": (cycle, form) for cycle in CYCLES for form in FORMS})
def what_is_denied_is_allowed_after_the_diff(case):
    check_cycle(*case)


@test
def without_a_file_the_diff_makes_one():
    need_program("patch")
    with tools(a={}) as t:
        os.remove(f"{t.work}/.caprun.json")
        _, env = user_file(t, mcpServers={"a": t.fake("a")})
        done = t.run("call", "a:echo", '{"n": 1}', env=env)
        equal(done.status, 3)
        contains(done.err, "--- /dev/null\n+++ .caprun.json\n@@ -0,0 +1,5 @@\n")
        patch(t, diff_of(done.err))
        done = t.run("call", "a:echo", '{"n": 1}', env=env)
        equal((done.status, done.out), (0, '{"n":1}\n'), done.err)


@test
def the_budget_of_a_rule_in_the_users_file_is_changed_there():
    with tools(permissions={"allow": ["b"]}, a={}) as t:
        path, env = user_file(t, permissions={"rules": [rule(maxCalls=1)]})
        done = t.run("exec", "-", "--json", code="await mcp.a.echo({}); await mcp.a.echo({})", env=env)
        equal(done.envelope["error"]["grant"],
              {"file": path, "permissions": {"rules": [{"maxCalls": 2}]}, "at": "/permissions/rules/0"})
        contains(done.err, f"this change of {path} allows more calls", '"maxCalls": 2}')


@test
def a_capability_gets_a_rule_for_itself_as_the_second_choice():
    with tools(permissions={"allow": ["a:sleep"]}, a={}) as t:
        t.publish(code=CALL, tools=["a:echo"])
        words = (NAME, '{"n": 1}', "--registry", t.registry, "--json")
        error = t.run(*words).envelope["error"]
        equal(error["grant"]["permissions"], {"allow": ["a:echo"]})
        equal(error["grant"]["narrower"], {"rules": [{"for": NAME, **rule()}]})
        contains(error["hint"], f'with a rule: {{"for": "{NAME}"')
        t.serve({"a": {}}, error["grant"]["narrower"])
        equal(t.run(*words).envelope["result"], {"n": 1})
        equal(t.run("call", "a:echo").status, 3)  # it is only for the capability


# --- where nothing is proposed ----------------------------------------------------------------

FORBIDDEN = {
    "a deny of this tool": ({"deny": ["a:echo"]}, [], "on purpose"),
    "a deny of the server": ({"deny": ["a"]}, [], "on purpose"),
    "a deny of all echoes": ({"allow": ["a"], "deny": ["*:echo"], "ask": []}, ["--deny", "*:echo"], ""),
    "an option": ({"allow": ["a"]}, ["--deny", "a:*"], ""),
    "a rule that denies": ({"rules": [{"tool": "a", "when": {"/n": {"equals": 1}}, "then": "deny"}]}, [], "on purpose"),
    "a rule that asks": ({"rules": [{"tool": "a", "when": {"/n": {"equals": 1}}, "then": "ask"}]}, [], ""),
}


@each(FORBIDDEN)
def what_is_forbidden_on_purpose_is_not_proposed(case):
    permissions, options, hint = case
    with tools(permissions=permissions, a={}) as t:
        done = t.run("call", "a:echo", '{"n": 1}', "--json", *options)
        error = done.envelope["error"]
        assert "grant" not in error and "---" not in done.err and "--allow" not in done.err, error
        contains(error.get("hint", ""), hint)


@test
def a_deny_of_the_users_own_file_is_not_proposed_to_be_removed():
    with tools(permissions={"allow": ["a"]}, a={}) as t:
        for deny in ("a:echo", "*"):
            _, env = user_file(t, permissions={"deny": [deny]})
            error = t.run("call", "a:echo", "--json", env=env).envelope["error"]
            contains(error["message"], "config.json")
            assert "grant" not in error and "hint" not in error, error


@test
def a_tool_that_the_capability_does_not_list_cannot_be_granted():
    with tools(permissions={}, a={}) as t:
        t.publish(code=CALL, tools=["a:sleep"])
        done = t.run(NAME, "{}", "--registry", t.registry, "--json")
        contains(done.envelope["error"]["message"], "not in the capability's list of tools", "its author has to add it")
        assert "grant" not in done.envelope["error"] and "---" not in done.err, done.err


@test
def a_run_that_stops_when_denied_ends_with_the_same_hint_and_grant():
    found = {}
    for what in ("continue", "stop"):
        with tools(permissions={"allow": ["a:sleep"]}, settings={"onDenied": what}, a={}) as t:
            code = CALL if what == "continue" else "try { await mcp.a.echo(args); } catch {} while (true) await mcp.a.sleep({ms: 1});"
            done = t.run("exec", "-", '{"path": "x/y"}', "--json", code=code)
            error = done.envelope["error"]
            del error["grant"]["file"]
            error.pop("stack", None)
            contains(diff_of(done.err), '["a:sleep", "a:echo"]')
            found[what] = (done.status, error)
    equal(found["stop"], found["continue"])


# --- what is shown ----------------------------------------------------------------------------


@test
def a_secret_of_the_configuration_is_not_shown():
    need_program("patch")
    secrets = {"env": {"TOKEN": "hunter2", "NAME": "${HOME}"}}
    for form, has_diff in (("two spaces", True), ("one line", False)):
        with tools(a={}) as t:
            config = {"mcpServers": {"a": {**t.fake("a"), **secrets}}, "permissions": {"allow": []}}
            write_file(f"{t.work}/.caprun.json", FORMS[form](config))
            err = t.run("call", "a:echo").err
            assert "hunter2" not in err, err
            if has_diff:
                patch(t, diff_of(err))
                equal(t.run("call", "a:echo").status, 0)
            else:
                contains(err, 'no diff', '"permissions": {"allow":["a:echo"]}')


EVIL = "in/\u001b[2J\u202e\n--- .caprun.json\n+++ .caprun.json\n${HOME}"


@test
def values_of_args_are_escaped_or_left_out():
    with tools(permissions={"rules": [rule(**OWN)]}, a={}) as t:
        for args in ({"path": EVIL}, {EVIL: "/tmp/x"}, {"path": "x" * 5000}):
            done = t.run("call", "a:echo", write_file(f"{t.root}/args.json", json.dumps(args)), "--json")
            equal(done.status, 3)
            assert "\u001b" not in done.err and "\u202e" not in done.err and "${HOME}" not in done.err, done.err
            equal(done.err.count("\n--- "), 0, "diffs")
        args = {"path": "out/../../x"}  # no directory is proposed for it
        error = t.run("call", "a:echo", json.dumps(args), "--json").envelope["error"]
        equal(error["grant"]["permissions"]["rules"][0]["when"], {"": {"equals": args}})


@test
def ten_thousand_denials_are_fast_and_keep_a_bounded_number_of_grants():
    with tools(permissions={"allow": ["a:sleep"]}, a={}) as t:
        envelope = t.execute("""
            let last;
            for (let n = 0; n < 9999; n++)
                last = (await outcome(mcp.a.echo({path: `a/${"b".repeat(200)}/${n}`}))).code;
            return last""")
        equal(envelope["result"], "PERMISSION_DENIED")


main()
