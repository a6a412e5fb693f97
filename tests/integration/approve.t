#!/usr/bin/env python3
"""approve.t - without a terminal a run is suspended; `caprun approve` and `caprun deny` go on with it."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, equal, main, test, write_file
from journals import lines_of, recorder

ASK = {"ask": ["s:*"], "allow": ["free:*"]}
CODE = """
    const seen = [Math.random(), await mcp.free.echo({n: 1})];
    for (const path of ["a\\u202e", "b"])
        seen.push(await mcp.s.echo({path}).catch((e) => e.code));
    return [...seen, await mcp.free.echo({n: 2})];
"""


def waiting(r, code=CODE):
    """A suspended run: its id."""
    r.serve({"s": {}, "free": {}}, permissions=ASK)
    done = r.start("exec", "-", "--json", code=code).end(60)
    equal((done.status, done.envelope["error"]["code"], done.envelope["error"]["type"]),
          (7, "APPROVAL_REQUIRED", "Suspended"), str(done.envelope))
    return done.envelope["runId"]


def let_scripts_approve(r):
    config = os.path.join(r.root, "home-config")
    os.makedirs(f"{config}/caprun", exist_ok=True)
    write_file(f"{config}/caprun/config.json", json.dumps({"approvals": {"scripts": True}}))
    r.env["XDG_CONFIG_HOME"] = config


def command(r, *words, status=0):
    done = r.start(*words).end(60)
    equal(done.status, status, done.err)
    return done


@test
def without_a_terminal_the_run_is_suspended_and_says_what_to_type():
    with recorder(s={}, free={}) as r:
        r.serve({"s": {}, "free": {}}, permissions=ASK)
        done = r.start("exec", "-", code=CODE).end(60)
        equal((done.status, done.out), (7, ""))
        contains(done.err, "Suspended (APPROVAL_REQUIRED)", "s:echo", "caprun approve ", "caprun deny ")
        equal((r.called("s"), r.called("free")), ([], ["echo"]))


@test
def a_suspended_run_is_listed_until_it_is_decided():
    with recorder(s={}, free={}) as r:
        equal(command(r, "runs", "--waiting").out, "")
        run = waiting(r)
        r.start("exec", "-", code="return 1").end(60)
        listed = json.loads(command(r, "runs", "--waiting", "--json").out)["runs"]
        equal([(one["runId"], one["outcome"], one["resumable"]) for one in listed], [(run, "APPROVAL_REQUIRED", True)])
        contains(command(r, "runs", "--waiting").out, "caprun approve RUN")
        command(r, "deny", run, "--run")
        equal(json.loads(command(r, "runs", "--waiting", "--json").out)["runs"], [])


@test
def deny_lets_the_code_go_on_to_the_result_as_the_first_command_would_have_printed_it():
    with recorder(s={}, free={}) as r:
        run = waiting(r)
        done = command(r, "deny", run, "--run")
        result = json.loads(done.out)
        equal(result[1:], [{"n": 1}, "PERMISSION_DENIED", "PERMISSION_DENIED", {"n": 2}])
        contains(done.err, 'denied: call 2, s:echo {"path":"a\\u202e"}')  # in full, and escaped
        equal((r.called("s"), r.called("free")), ([], ["echo"] * 2))
        equal([call["by"] for call in json.loads(command(r, "runs", run, "--json").out)["calls"]][1], "script")


@test
def a_later_question_suspends_the_run_again():
    with recorder(s={}, free={}) as r:
        run = waiting(r)
        command(r, "deny", run, status=7)
        equal(json.loads(command(r, "deny", run).out)[1:],
              [{"n": 1}, "PERMISSION_DENIED", "PERMISSION_DENIED", {"n": 2}])


@test
def yes_does_nothing_unless_the_user_s_own_file_permits_it():
    with recorder(s={}, free={}) as r:
        run = waiting(r)
        done = command(r, "approve", run, "--yes", status=3)
        contains(done.err, "PERMISSION_DENIED", "own configuration", '"scripts": true')
        equal(r.called("s"), [])
        let_scripts_approve(r)
        done = command(r, "approve", run, "--yes", "--run")
        equal(json.loads(done.out)[1:], [{"n": 1}, {"path": "a\u202e"}, {"path": "b"}, {"n": 2}])
        equal((r.called("s"), r.called("free")), (["echo"] * 2, ["echo"] * 2))  # nothing twice
        calls = json.loads(command(r, "runs", run, "--json").out)["calls"]
        equal([call["by"] for call in calls], ["rule:free:*", "script", "script", "rule:free:*"])


@test
def a_project_s_file_cannot_permit_it():
    with recorder(s={}, free={}) as r:
        run = waiting(r)
        r.serve({"s": {}, "free": {}}, permissions=ASK, approvals={"scripts": True})
        contains(command(r, "approve", run, "--yes", status=2).err, "CONFIG_ERROR", '"scripts"')


@test
def approve_without_a_terminal_says_what_is_missing_and_decides_nothing():
    with recorder(s={}, free={}) as r:
        run = waiting(r)
        for words in (("approve", run), ("approve", run, "--call", "2"), ("approve", run, "--run")):
            contains(command(r, *words, status=2).err, "USAGE")
        contains(command(r, "deny", run, "--yes", status=2).err, "does not take '--yes'")
        equal([one["runId"] for one in json.loads(command(r, "runs", "--waiting", "--json").out)["runs"]], [run])


@test
def some_of_the_calls_are_approved():
    code = "return (await Promise.allSettled([1, 2, 3].map((x) => mcp.s.echo({x})))).map((a) => a.status)"
    with recorder(s={}, free={}) as r:
        run = waiting(r, code)
        let_scripts_approve(r)
        done = command(r, "approve", run, "--yes", "--call", "1", "--call", "3", status=7)
        contains(done.err, "approved: call 1", "left to decide: call 2", "approved: call 3")
        equal(len(r.called("s")), 2)
        contains(command(r, "approve", run, "--yes", "--call", "9", status=7).err, "nothing is decided")
        equal(json.loads(command(r, "deny", run).out), ["fulfilled", "rejected", "fulfilled"])


@test
def what_the_approved_run_did_is_replayed_exactly():
    with recorder(s={}, free={}) as r:
        run = waiting(r)
        let_scripts_approve(r)
        done = command(r, "approve", run, "--yes", "--run", "--json")
        command(r, "replay", run)
        equal(done.envelope["error"] if not done.envelope["success"] else None, None)


@test
def a_suspended_run_says_what_would_allow_its_first_call():
    with recorder(s={}, free={}) as r:
        r.serve({"s": {}, "free": {}}, permissions={"allow": ["free:*"]})
        done = r.start("exec", "-", "--json", code="await mcp.free.echo({}); return mcp.s.echo({n: 1})").end(60)
        error = done.envelope["error"]
        equal((done.status, error["toolName"], error["grant"]["permissions"]), (7, "s:echo", {"allow": ["s:echo"]}))
        contains(done.err, "+++ .caprun.json", "s:echo")


@test
def a_run_that_is_not_recorded_is_denied_and_starts_nothing():
    with recorder(s={}, free={}) as r:
        r.serve({"s": {}, "free": {}}, permissions=ASK, record="none")
        envelope = r.execute("return mcp.s.echo({})")
        equal((envelope["status"], envelope["calls"][0]["by"]), (3, "no_channel"))
        equal(r.starts("s"), [])


@test
def a_journal_at_a_path_is_approved_by_its_path():
    with recorder(s={}, free={}) as r:
        r.serve({"s": {}, "free": {}}, permissions=ASK)
        journal = r.fresh()
        done = r.start("exec", "-", "--record", journal, code=CODE).end(60)
        contains(done.err, f"caprun deny {journal}")
        equal(lines_of(journal)[-1]["end"], "APPROVAL_REQUIRED")


main()
