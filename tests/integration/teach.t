#!/usr/bin/env python3
"""teach.t - a denial says what to add: run, be denied, apply the diff, be allowed; in files of every form."""

import json
import os
import re
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, need_program, reap_orphans, test, wait_until, write_file
from registries import NAME
from tools import unrecorded_tools as tools

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


# --- before a capability starts ----------------------------------------------------------------

COPES = "try { await mcp.a.echo(args) } catch { return 'without' } return 'with';"


def capability(t, code=CALL, called=("a:echo", "a:sleep", "a:big"), **metadata):
    """Publishes a capability that declares tools. Returns the words that run it."""
    t.publish(code=code, tools=[*called], **metadata)
    return (NAME, "{}", "--registry", t.registry)


@test
def one_note_names_all_permissions_that_a_capability_lacks():
    need_program("patch")
    with tools(permissions={"allow": ["a:big"]}, a={}) as t:
        words = capability(t, COPES, ("a:echo", "a:sleep", "a:big", "gone:x"))
        done = t.run(*words)
        equal((done.status, done.out), (0, '"without"\n'))  # the code copes
        contains(done.err, f"{NAME} lacks permissions; these calls will be denied: a:echo, a:sleep; --allow-declared")
        contains(done.err, "allows all calls of them:", '"allow": ["a:big", "a:echo", "a:sleep"]')
        assert "gone" not in done.err, done.err
        equal(t.run(*words, "-q").err, "")
        patch(t, diff_of(done.err))
        done = t.run(*words)
        equal((done.status, done.out, done.err.count("lacks")), (0, '"with"\n', 0), done.err)


@test
def the_diff_is_shown_once_if_the_denial_that_ends_the_run_is_in_it():
    with tools(permissions={"allow": []}, a={}) as t:
        done = t.run(*capability(t), "--json")
        equal((done.status, done.err.count("\n--- ")), (3, 1), done.err)
        equal(done.envelope["error"]["grant"]["permissions"], {"allow": ["a:echo"]})
        contains(done.err, '"a:echo", "a:sleep", "a:big"')


@test
def tools_that_rules_decide_about_are_not_foreseen():
    with tools(permissions={"rules": [rule(**OWN)]}, a={}) as t:
        words = capability(t, 'return mcp.a.echo({path: "out/x"})', ["a:echo"])
        done = t.run(*words)
        equal((done.status, "lacks" in done.err), (0, False), done.err)


@test
def what_is_denied_on_purpose_is_named_but_not_proposed():
    with tools(permissions={"deny": ["a:sleep"]}, a={}) as t:
        words = capability(t, COPES, ["a:echo", "a:sleep"])
        err = t.run(*words).err
        contains(err, "a:echo, a:sleep (forbidden)", '"allow": ["a:echo"]')
        err = t.run(*words, "--allow", "a:echo").err
        assert "lacks" not in err, err
        contains(t.run(*words, "--allow", "a:echo", "-v").err, "denied: a:sleep (forbidden)")


@test
def names_of_tools_in_metadata_are_escaped():
    with tools(permissions={"allow": ["b"]}, a={}) as t:
        t.publish(code="return 1", tools=["a:x", "a:\u001b[2J"])
        done = t.run(NAME, "{}", "--registry", t.registry)
        assert "\u001b" not in done.err, done.err


@test
def allow_declared_allows_what_would_ask_and_nothing_else():
    permissions = {"ask": ["a:echo"], "deny": ["a:big"], "rules": [{"tool": "a:x", "then": "allow", "maxCalls": 1}]}
    code = """
        const outcome = (call) => call.then(() => "ok", (e) => e.code);
        return [await outcome(mcp.a.echo({})), await outcome(mcp.a.sleep({ms: 1})), await outcome(mcp.a.big({})),
                await outcome(mcp.a.x({})), await outcome(mcp.a.x({})), await outcome(mcp.a.unlisted({}))];"""
    fake = {"tools": [{"name": name} for name in ("x", "unlisted")]}
    with tools(permissions=permissions, a=fake) as t:
        words = (*capability(t, code, ("a:echo", "a:sleep", "a:big", "a:x")), "--json")
        no, yes, rule_x = ("denied", "no_channel"), ("done", "rule:--allow-declared"), ("done", "rule:#1")
        for options, first in (([], no), (["--allow-declared"], yes)):
            done = t.run(*words, *options)
            equal([(call["state"], call["by"]) for call in done.envelope["calls"]],
                  [first, first, ("denied", "rule:a:big"), rule_x, no, ("denied", "rule:tools")])
        equal("--allow-declared" in done.err, False, done.err)
        equal(t.run(*words, "--allow-declared", "--deny", "a").envelope["result"], ["PERMISSION_DENIED"] * 6)
        for command in (["exec", "-"], ["call", "a:echo"]):
            done = t.run(*command, "--allow-declared", code="return 1")
            equal(done.status, 2)
            contains(done.err, "does not take '--allow-declared'")


@test
def a_resumed_run_needs_allow_declared_again():
    code = "await mcp.a.never().catch(() => 0); return mcp.a.echo({n: 1}).then((o) => o.n, (e) => e.code)"
    for options, wanted in (([], (None, "APPROVAL_REQUIRED")), (["--allow-declared"], (1, None))):
        with tools(permissions={"allow": ["a:never"]}, a={}) as t:
            journal = f"{t.root}/run.jsonl"
            running = t.start(*capability(t, code, ["a:never", "a:echo"]), "--allow-declared", "--record", journal)
            wait_until(lambda: "never" in t.called("a"), 10, "the call that is never answered")
            running.send(signal.SIGKILL)
            running.end()
            wait_until(lambda: not reap_orphans(), 10, "the end of its processes")
            done = t.run("resume", journal, "--fail-unknown", "--json", "--registry", t.registry, *options)
            equal((done.envelope.get("result"), done.envelope.get("error", {}).get("code")), wanted)


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
    secrets = ({"env": {"TOKEN": "hunter2", "NAME": "${HOME}"}}, {"--token": "hunter2"}, {"--token=hunter2": None},
               {"postgresql://me:hunter2@db/x": None})
    for form, has_diff, secret in ((form, form == "two spaces", secret) for form in ("two spaces", "one line") for secret in secrets):
        with tools(a={}) as t:
            server = {**t.fake("a"), **({} if "env" not in secret else secret)}
            if "env" not in secret:
                server["args"] += [word for pair in secret.items() for word in pair if word]
            config = {"mcpServers": {"a": server}, "permissions": {"allow": []}}
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
