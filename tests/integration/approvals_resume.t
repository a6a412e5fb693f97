#!/usr/bin/env python3
"""approvals_resume.t - suspended runs, and runs that died while a person was asked: resumed and replayed."""

import ctypes
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from asking import asking, deciding, suspending, tools_of
from harness import equal, main, test
from journals import lines_of
from tools import tools

ASK = {"ask": ["s:*"], "allow": ["free:*"]}
# three effects before the question, one call to decide, one effect after it; clocks and chance are in the result
CODE = """
    const seen = [Math.random()];
    for (const x of [1, 2, 3]) seen.push(await mcp.free.echo({ x }));
    const start = performance.now();
    seen.push(await mcp.s.echo({ path: "a" }).catch((e) => e.code));
    seen.push(performance.now() - start < 5000, await mcp.free.echo({ x: 4 }));
    return seen;
"""


def servers(permissions=None):
    return tools(permissions=permissions or ASK, s={}, free={})


def kinds(journal):
    return [next(key for key in line if key != "at") for line in lines_of(journal)[1:]]


def suspended(t, journal, code=CODE):
    """The envelope of a run that is suspended at its first question."""
    with asking(t, suspending) as app:
        return app.execute(code, journal)


def resumed(t, journal, person):
    """(envelope, questions) of the resumed run, in another runtime."""
    with asking(t, person) as app:
        return app.json_of(app.resume(journal)), app.questions


def replayed(t, journal):
    with asking(t) as app:
        run = ctypes.c_void_p()
        equal(app.lib.caprun_run_new(app.runtime, ctypes.byref(run)), 0)
        equal(app.lib.caprun_run_replay(run, str(journal).encode()), 0, app.error())
        app.events[run.value] = run.events = []
        equal(app.lib.caprun_start(run), 0)
        return app.json_of(run)


@test
def a_recorded_run_with_a_decision_is_replayed_exactly():
    with servers() as t:
        journal = f"{t.root}/j"
        with asking(t) as app:
            run = app.begin(CODE, journal)
            question = app.wait_for_question()
            app.step(20)
            equal(app.decide(run, question, {"allow": True}), 0)
            envelope = app.json_of(run)
        again = replayed(t, journal)
        equal(again["result"], envelope["result"])
        equal([call["by"] for call in again["calls"]], [call["by"] for call in envelope["calls"]])
        lines = lines_of(journal)
        asked, = [line for line in lines if "ask" in line]
        decided, = [line for line in lines if "decide" in line]
        equal((asked["ask"], [call["n"] for call in asked["calls"]], asked["calls"][0]["tool"]), (1, [4], "s:echo"))
        equal([decided[key] for key in ("decide", "calls", "decision", "for", "by")],
              [1, [4], "allow", "calls", "human:application"])
        assert decided["waited"] >= 100000, decided


@test
def date_jumps_and_is_replayed():
    code = "const d = Date.now(); await mcp.s.echo({}); const e = Date.now(); await mcp.free.echo({}); return [d, e, Date.now()]"
    with servers() as t:
        journal = f"{t.root}/j"
        with asking(t) as app:
            run = app.begin(code, journal)
            question = app.wait_for_question()
            app.step(30)
            equal(app.decide(run, question, {"allow": True}), 0)
            envelope = app.json_of(run)
        before, after, last = envelope["result"]
        assert after - before >= 500 and last >= after, envelope["result"]
        equal(replayed(t, journal)["result"], envelope["result"])


@test
def a_suspended_run_ends_with_the_calls_that_wait_and_what_to_do():
    with servers() as t:
        journal = f"{t.root}/j"
        envelope = suspended(t, journal)
        equal([envelope["error"][key] for key in ("type", "code")], ["Suspended", "APPROVAL_REQUIRED"])
        assert "s:echo" in envelope["error"]["message"], envelope["error"]
        assert envelope["runId"] in envelope["error"]["hint"], envelope["error"]
        equal([call["state"] for call in envelope["calls"]], ["done"] * 3 + ["waiting"])
        equal(t.called("s"), [])
        equal(lines_of(journal)[-1]["end"], "APPROVAL_REQUIRED")


@test
def a_suspended_run_is_approved_in_another_process_and_returns_what_an_undisturbed_run_does():
    with servers() as t:
        journal = f"{t.root}/j"
        suspended(t, journal)
        envelope, questions = resumed(t, journal, deciding(allow=True))
        equal(envelope["result"][1:], [{"x": 1}, {"x": 2}, {"x": 3}, {"path": "a"}, True, {"x": 4}])
        equal(tools_of(questions[0]), {"s:echo": [{"path": "a"}]})
        equal(questions[0]["id"], 2)  # its numbers go on
        equal((t.called("free"), t.called("s")), (["echo"] * 4, ["echo"]))  # nothing twice
        equal(replayed(t, journal)["result"], envelope["result"])


@test
def a_suspended_run_is_denied_and_the_code_goes_on():
    with servers() as t:
        journal = f"{t.root}/j"
        suspended(t, journal)
        envelope, _ = resumed(t, journal, deciding(allow=False))
        equal(envelope["result"][4], "PERMISSION_DENIED")
        equal((t.called("free"), t.called("s")), (["echo"] * 4, []))


@test
def a_run_is_suspended_again_and_again():
    with servers() as t:
        journal = f"{t.root}/j"
        suspended(t, journal)
        for _ in range(3):
            envelope, questions = resumed(t, journal, suspending)
            equal((envelope["error"]["code"], len(questions)), ("APPROVAL_REQUIRED", 1))
        envelope, _ = resumed(t, journal, deciding(allow=True))
        assert envelope["success"], envelope
        equal((t.called("free"), t.called("s")), (["echo"] * 4, ["echo"]))


@test
def a_run_waits_for_calls_under_way_before_it_is_suspended():
    code = "return Promise.all([mcp.s.echo({x: 1}), mcp.free.sleep({ms: 700})])"
    with servers() as t:
        journal = f"{t.root}/j"
        envelope = suspended(t, journal, code)
        equal([call["state"] for call in envelope["calls"]], ["waiting", "done"])
        envelope, _ = resumed(t, journal, deciding(allow=True))
        equal(envelope["result"], [{"x": 1}, {"ms": 700}])
        equal(t.called("free"), ["sleep"])


@test
def denies_of_today_win_over_what_was_asked_before():
    with servers() as t:
        journal = f"{t.root}/j"
        suspended(t, journal)
        config = json.loads(open(f"{t.work}/.caprun.json", encoding="utf-8").read())
        t.configure(**{**config, "permissions": {"deny": ["s:*"], "allow": ["free:*"]}})
        envelope, questions = resumed(t, journal, deciding(allow=True))
        equal((envelope["result"][4], questions), ("PERMISSION_DENIED", []))
        equal(t.called("s"), [])


def half_decided(t, journal, decision, code):
    """A run that dies after a decision about call 1, while call 2 still waits: only its journal is left."""
    with asking(t) as app:
        run = app.begin(code, journal)
        question = app.wait_for_question()
        equal(app.decide(run, question, decision), 0)
        with open(journal, "rb") as file:
            written = file.read()  # the decision is there before it has any effect
        app.cancel(run)
        app.json_of(run)
    os.unlink(journal)
    with open(journal, "wb") as file:
        file.write(written)
    return written


def resumed_copy(t, journal, person):
    with asking(t, person) as app:
        run = ctypes.c_void_p()
        equal(app.lib.caprun_run_new(app.runtime, ctypes.byref(run)), 0)
        app.events[run.value] = run.events = []
        equal(app.lib.caprun_run_resume(run, str(journal).encode()), 0, app.error())
        equal(app.lib.caprun_run_retry(run, ctypes.c_uint32(0)), 0)
        equal(app.lib.caprun_start(run), 0)
        return app.json_of(run), app.questions


@test
def a_decision_is_not_lost_when_the_host_dies_before_it_has_an_effect():
    code = "return (await Promise.allSettled([1, 2].map((x) => mcp.s.echo({x})))).map((a) => a.status)"
    for allow, status in ((True, "fulfilled"), (False, "rejected")):
        with servers() as t:
            journal = f"{t.root}/j"
            half_decided(t, journal, {"allow": allow, "calls": [1]}, code)
            before = len(t.called("s"))
            envelope, questions = resumed_copy(t, journal, deciding(allow=True))
            equal(envelope["result"], [status, "fulfilled"])
            equal([tools_of(question) for question in questions], [{"s:echo": [{"x": 2}]}])
            equal(len(t.called("s")) - before, 2 if allow else 1)


@test
def a_decision_for_the_run_is_not_lost_either_and_its_number_of_calls_goes_on():
    code = "for (const x of [1, 2, 3, 4]) await mcp.s.echo({x}); return 'ok'"
    with servers() as t:
        journal = f"{t.root}/j"
        half_decided(t, journal, {"allow": True, "for": "run", "maxCalls": 1}, code)
        envelope, questions = resumed_copy(t, journal, deciding(allow=True))
        equal(envelope["result"], "ok")
        equal([tools_of(question)["s:echo"][0]["x"] for question in questions], [3, 4])


@test
def a_decision_about_another_definition_of_the_tool_or_another_server_does_not_count():
    code = "return mcp.s.echo({x: 1})"
    for change in ("definition", "server"):
        with tools(permissions=ASK, s={}, free={}) as t:
            journal, words = f"{t.root}/j", f"{t.root}/words"
            with open(words, "w", encoding="utf-8") as file:
                file.write("{}")
            t.serve({"s": {"descriptions": words}, "free": {}}, permissions=ASK)
            half_decided(t, journal, {"allow": True}, code)
            if change == "definition":
                with open(words, "w", encoding="utf-8") as file:
                    json.dump({"echo": "Another."}, file)
            else:
                t.serve({"s": {"descriptions": words, "words": "moved"}, "free": {}}, permissions=ASK)
            envelope, questions = resumed_copy(t, journal, deciding(allow=False))
            equal(len(questions), 1, change)
            equal(envelope["error"]["code"], "PERMISSION_DENIED")


@test
def a_resumed_run_that_nobody_can_be_asked_about_applies_old_decisions_only():
    code = "return (await Promise.allSettled([1, 2].map((x) => mcp.s.echo({x})))).map((a) => a.status)"
    with servers() as t:
        journal = f"{t.root}/j"
        half_decided(t, journal, {"allow": True, "calls": [1]}, code)
        with asking(t) as app:
            app.lib.caprun_set_ask(app.runtime, None, None)
            run = ctypes.c_void_p()
            equal(app.lib.caprun_run_new(app.runtime, ctypes.byref(run)), 0)
            app.events[run.value] = run.events = []
            equal(app.lib.caprun_run_resume(run, journal.encode()), 0, app.error())
            equal(app.lib.caprun_run_retry(run, ctypes.c_uint32(0)), 0)
            equal(app.lib.caprun_start(run), 0)
            envelope = app.json_of(run)
        equal(envelope["result"], ["fulfilled", "rejected"])
        equal([call["by"] for call in envelope["calls"]], ["human:application", "no_channel"])


main()
