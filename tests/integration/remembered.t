#!/usr/bin/env python3
"""remembered.t - "always": the rules that a person lets caprun remember, what they cover, and how they end."""

import contextlib
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from at_terminal import accept
from harness import contains, each, equal, main, test, write_file
from people import person
from tools import tools

ASK = {"ask": ["*"]}
WRITE = "return mcp.s.echo({path: 'out/a.txt', n: 1})"
TWO = "return [await mcp.s.echo({path: 'out/a.txt', n: 1}), await mcp.s.echo({path: 'out/b.txt', n: 2})]"


@contextlib.contextmanager
def place(permissions=ASK, code=WRITE, **servers):
    with tools(permissions=permissions, **(servers or {"s": {}})) as t:
        t.state = os.path.join(t.root, "state")
        t.env["XDG_STATE_HOME"] = t.state
        t.grants = os.path.join(t.state, "caprun/grants.json")
        t.config = os.path.join(t.work, ".caprun.json")
        t.write = lambda code: write_file(os.path.join(t.work, "code.js"), code)
        t.write(code)
        yield t


def answered(t, *answers, words=("exec", "code.js"), status=0):
    """Runs caprun at a terminal, with an answer for each question. Returns (envelope, questions)."""
    with person(t, *words, "--json", rows=60) as p:
        questions = [p.answer(answer) for answer in answers]
        done = p.end()
        equal(done.status, status, f"status; {p.seen[p.at:]!r}")
        return done.envelope, questions + [p.seen[p.at:]]


def deciders(envelope):
    return [call.get("by") for call in envelope["calls"]]


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def rules(path):
    return json.loads(read(path))["permissions"]["rules"]


# --- from the answer to the next question ------------------------------------------------------


@test
def always_is_not_asked_again_until_the_code_changes():
    with place() as t:
        envelope, questions = answered(t, "a", "3")
        equal(deciders(envelope), ["human:tty"])
        contains(questions[1], '\n  1       {"for": "exec", "tool": "s:echo", "when": ', '\n  3       {"for": "exec", "tool"')
        contains(questions[2], "remembered as 1; to take it back: caprun policy withdraw 1")
        for _ in range(2):
            equal(deciders(answered(t)[0]), ["remembered:1"])
        t.write(WRITE + ";")
        equal(deciders(answered(t, "y")[0]), ["human:tty"])
        t.write(WRITE)
        equal(deciders(answered(t)[0]), ["remembered:1"])


@test
def the_file_is_the_users_alone_and_says_when_and_by_whom():
    with place() as t:
        answered(t, "a", "3")
        equal(os.stat(t.grants).st_mode & 0o777, 0o600)
        rule, = rules(t.grants)
        equal((rule["id"], rule["for"], rule["tool"], rule["then"]), ("1", "exec", "s:echo", "allow"))
        equal(sorted(rule["remembered"]), ["at", "by", "pin", "serverPin", "toolPin"])
        equal(rule["remembered"]["by"], "human:tty")


@test
def a_rule_counts_at_once_for_the_rest_of_the_run():
    with place(code=TWO) as t:
        equal(deciders(answered(t, "a", "2")[0]), ["human:tty", "remembered:1"])
        contains(rules(t.grants)[0]["when"]["/path"]["under"], f"{t.work}/out")


@test
def a_rule_for_these_args_is_not_for_others():
    with place(code=TWO) as t:
        equal(deciders(answered(t, "a", "1", "y")[0]), ["human:tty", "human:tty"])
        equal(deciders(answered(t, "y")[0]), ["remembered:1", "human:tty"])


@test
def a_changed_tool_is_asked_about_again():
    with place(s={"tools": [{"name": "t"}]}) as t:
        t.write("return mcp.s.t({})")
        answered(t, "a", "2")
        equal(deciders(answered(t)[0]), ["remembered:1"])
        t.serve({"s": {"tools": [{"name": "t", "description": "changed"}]}}, ASK)
        os.remove(t.lockfile)
        # the command of the server has changed, too; with the old pin of the server the tool alone decides
        equal(deciders(answered(t, "y")[0]), ["human:tty"])


@test
def another_server_of_the_same_name_is_asked_about():
    with place() as t:
        answered(t, "a", "3")
        t.serve({"s": {"config": {"cwd": t.root}}}, ASK)
        _, questions = answered(t, "y")
        contains(questions[0], f"\n  in      {t.root}\n"[:60])


@test
def a_capability_is_asked_about_again_when_its_code_has_changed():
    with place() as t:
        words = ("acme.tools.text.upper", "--registry", t.registry)
        t.publish(code=WRITE, tools=["s:echo"])
        equal(deciders(answered(t, "a", "3", words=words)[0]), ["human:tty"])
        contains(rules(t.grants)[0]["for"], "acme.tools.text.upper")
        equal(deciders(answered(t, words=words)[0]), ["remembered:1"])
        equal(deciders(answered(t, "y")[0]), ["human:tty"])  # exec is another caller
        t.publish(code=WRITE + "// new", tools=["s:echo"])
        os.remove(t.lockfile)
        equal(deciders(answered(t, "y", words=words)[0]), ["human:tty"])


# --- what is offered ---------------------------------------------------------------------------

OFFERS = {
    # permissions: the rules that are offered
    "nothing matches": ({"allow": []}, 3),
    "a weaker pattern asks": ({"ask": ["s:*"]}, 3),
    "the exact name asks": ({"ask": ["s:echo"]}, 2),
    "a rule with conditions asks": ({"rules": [{"tool": "s:echo", "then": "ask", "when": {"/n": {"min": 1}}}]}, 0),
}


@each(OFFERS)
def only_what_would_win_is_offered(row):
    permissions, count = row
    with place(permissions=permissions) as t:
        question = answered(t, "a", *(["b", "n"] if count else ["n"]), status=3)[1]
        equal("\n  a  always" in question[0], count > 0)
        equal(len([line for line in question[1].split("\n") if line[2:3].isdigit() and line[3] != "p"]), count)
        equal(os.path.exists(t.grants), False)


@test
def a_deny_wins_over_what_is_remembered():
    with place() as t:
        answered(t, "a", "3")
        t.serve({"s": {}}, {"ask": ["*"], "deny": ["s:echo"]})
        envelope, _ = answered(t, status=3)
        equal((envelope["error"]["code"], deciders(envelope)), ("PERMISSION_DENIED", ["rule:s:echo"]))


# --- the file of the project -------------------------------------------------------------------


@test
def the_projects_file_keeps_every_other_byte():
    with place() as t:
        before = read(t.config).replace('"permissions": {"ask": ["*"]}', '"permissions":\t{"ask": ["*"],\n\t"rules":   []\n}')
        write_file(t.config, before)
        os.chmod(t.config, 0o640)
        _, questions = answered(t, "a", "2p")
        contains(questions[1].replace("\n          ", ""), '"when": {"/path": {"under": "./out"}}')
        after = read(t.config)
        rule, = rules(t.config)
        start = after.index('{"id": "remembered-1"')
        end = after.index("}}", after.index('"serverPin"')) + 2
        equal((after[:start].rstrip() + after[end:].lstrip()).replace(" ", "").replace("\t", "").replace("\n", ""),
              before.replace(" ", "").replace("\t", "").replace("\n", ""))
        equal((rule["when"], os.stat(t.config).st_mode & 0o777), ({"/path": {"under": "./out"}}, 0o640))
        equal(os.path.exists(t.grants), False)
        equal(deciders(answered(t)[0]), ["rule:remembered-1"])


@test
def a_project_file_that_has_changed_meanwhile_stays_as_it_is():
    with place() as t, person(t, "exec", "code.js", "--json", rows=60) as p:
        p.answer("a")
        p.question()
        changed = read(t.config) + "\n"
        write_file(t.config, changed)
        p.type("3p\n")
        contains(p.answer("b"), "nothing is decided", "has changed since")
        p.answer("y")
        equal((deciders(p.end().envelope), read(t.config)), (["human:tty"], changed))


@test
def two_rules_can_be_added_to_the_project_in_one_run():
    with place(code=TWO) as t:
        equal(deciders(answered(t, "a", "1p", "a", "1p")[0]), ["human:tty", "human:tty"])
        equal([rule["id"] for rule in rules(t.config)], ["remembered-1", "remembered-2"])


@test
def a_project_file_that_was_accepted_stays_accepted():
    with place() as t:
        del t.env["CAPRUN_TRUST"]
        equal(accept(t.work, t.state)[0].status, 0)
        equal(deciders(answered(t, "a", "3p")[0]), ["human:tty"])
        equal(deciders(answered(t)[0]), ["rule:remembered-1"])
        t.run("policy", "withdraw", "remembered-1")
        equal(deciders(answered(t, "y")[0]), ["human:tty"])
        write_file(t.config, read(t.config).replace('"ask"', '"allow"'))  # by somebody else
        equal(t.run("exec", "code.js", "--json", "--no-input").envelope["error"]["code"], "CONFIG_ERROR")


# --- taking back -------------------------------------------------------------------------------


@test
def a_rule_can_be_listed_and_taken_back():
    with place(code=TWO) as t:
        answered(t, "a", "1", "a", "1")
        listed = t.run("policy").out
        contains(listed, "remembered rule 1, only for exec, when", "remembered rule 2", "grants.json:4")
        done = t.run("policy", "withdraw", "1")
        equal((done.status, done.err), (0, "caprun: withdrawn: 1\n"))
        equal([rule["id"] for rule in rules(t.grants)], ["2"])
        equal(deciders(answered(t, "y")[0]), ["human:tty", "remembered:2"])
        equal(t.run("policy", "withdraw", "2").status, 0)
        equal(rules(t.grants), [])


@test
def only_remembered_rules_can_be_taken_back():
    with place(permissions={"rules": [{"id": "mine", "tool": "s:echo", "then": "allow"}]}) as t:
        before = read(t.config)
        for id in ("1", "mine", "remembered-1"):
            done = t.run("policy", "withdraw", id)
            equal(done.status, 2, id)
            contains(done.err, f'no rule is remembered as "{id}"')
        equal(read(t.config), before)


# --- files that cannot be used -----------------------------------------------------------------

RULE = {"id": "1", "for": "exec", "tool": "s:echo", "then": "allow"}
PINS = {"at": "x", "by": "y", "pin": "0" * 64, "toolPin": "0" * 64, "serverPin": "0" * 64}
BAD = {
    "not JSON": "{",
    "a pattern": json.dumps({"permissions": {"allow": ["*"]}}),
    "a rule without pins": json.dumps({"permissions": {"rules": [RULE]}}),
    "a rule for everybody": json.dumps({"permissions": {"rules": [
        {"id": "1", "tool": "*", "then": "allow", "remembered": PINS}]}}),
    "a setting": json.dumps({"onDenied": "continue"}),
    "a short pin": json.dumps({"permissions": {"rules": [{**RULE, "remembered": {**PINS, "pin": "00"}}]}}),
}


@each(BAD)
def a_bad_file_is_an_error_and_allows_nothing(text):
    with place(permissions={"allow": ["*"]}) as t:
        os.makedirs(os.path.dirname(t.grants))
        write_file(t.grants, text)
        done = t.run("exec", "code.js", "--json")
        equal((done.status, done.envelope["error"]["code"], t.called("s")), (2, "CONFIG_ERROR", []))
        contains(done.envelope["error"]["message"], "grants.json")


@test
def a_file_that_others_can_write_is_an_error():
    with place() as t:
        answered(t, "a", "3")
        os.chmod(t.grants, 0o620)
        done = t.run("exec", "code.js", "--json")
        equal((done.status, done.envelope["error"]["code"]), (2, "CONFIG_ERROR"))
        os.chmod(t.grants, 0o600)
        equal(deciders(answered(t)[0]), ["remembered:1"])


@test
def a_link_instead_of_the_file_is_an_error():
    with place() as t:
        answered(t, "a", "3")
        os.rename(t.grants, t.grants + ".x")
        os.symlink(t.grants + ".x", t.grants)
        equal(t.run("exec", "code.js", "--json").envelope["error"]["code"], "CONFIG_ERROR")


if __name__ == "__main__":
    main()
