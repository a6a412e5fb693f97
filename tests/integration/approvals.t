#!/usr/bin/env python3
"""approvals.t - an application decides about calls: questions, decisions, the clock meanwhile, withdrawal."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from asking import asking, deciding, tools_of
from harness import equal, main, test
from library import E_INVAL, E_STATE
from tools import tools

ASK = {"ask": ["s:*"], "allow": ["free:*"]}
ALL = "return Promise.all(args.list.map((x) => mcp.s.echo({x})))"


def servers():
    return tools(permissions=ASK, s={}, free={})


@test
def a_call_is_made_when_the_application_allows_it():
    with servers() as t, asking(t, deciding(allow=True)) as app:
        envelope = app.execute("return mcp.s.echo({x: 1})")
        equal(envelope["result"], {"x": 1})
        equal([envelope["calls"][0][key] for key in ("state", "decision", "by")], ["done", "allow", "human:application"])
        equal(t.called("s"), ["echo"])
        equal(app.withdrawn, [])


@test
def a_call_that_is_denied_is_not_made_and_the_message_says_who_denied_it():
    for by, words in {"human:application": "a person said no", "script": "a script decided so",
                      "timeout": "nobody decided about it in time", "no_channel": "nobody can be asked"}.items():
        with servers() as t, asking(t, deciding(allow=False, by=by)) as app:
            envelope = app.execute("return mcp.s.echo({x: 1})")
            equal(envelope["error"]["code"], "PERMISSION_DENIED")
            assert words in envelope["error"]["message"], envelope["error"]["message"]
            equal([envelope["calls"][0][key] for key in ("state", "decision", "by")], ["denied", "deny", by])
            equal(t.called("s"), [])


@test
def the_question_says_who_asks_what_is_called_and_where():
    with servers() as t, asking(t, deciding(allow=True)) as app:
        envelope = app.execute("return mcp.s.echo({path: 'a\\u202eb'})")
        question, = app.questions
        tool, = question["tools"]
        equal(question["run"], envelope["runId"])
        equal(question["waiting"], 1)
        equal(question["canSuspend"], False)  # it is not recorded
        assert question["asker"]["code"].startswith("cap:") and len(question["asker"]["pin"]) == 64, question["asker"]
        equal((tool["tool"], tool["server"]["command"][0], tool["server"]["cwd"]), ("s:echo", sys.executable, t.work))
        equal(len(tool["pin"]), 64)
        assert "\"ask\": [\"s:*\"]" in tool["because"], tool["because"]
        equal(tool["calls"], [{"n": 1, "method": "s:echo", "argsBytes": 16, "args": {"path": "a\u202eb"}}])


@test
def fifty_calls_are_one_question_and_need_one_answer():
    with servers() as t, asking(t, deciding(allow=True)) as app:
        envelope = app.execute(ALL, args=json.dumps({"list": list(range(50))}))
        equal(len(envelope["result"]), 50)
        equal([question["waiting"] for question in app.questions], [50])
        equal(tools_of(app.questions[0]), {"s:echo": [{"x": x} for x in range(50)]})
        equal({call["by"] for call in envelope["calls"]}, {"human:application"})


@test
def calls_of_several_servers_and_tools_are_one_question():
    with tools(permissions={"ask": ["*"]}, s={}, other={"bootMs": 200}) as t, asking(t, deciding(allow=True)) as app:
        app.execute("return Promise.all([mcp.s.echo({}), mcp.other.echo({}), mcp.s.structured({value: 1})])")
        equal([set(tools_of(question)) for question in app.questions], [{"s:echo", "s:structured", "other:echo"}])


@test
def calls_that_are_not_decided_are_in_the_next_question():
    def person(app, run, question):
        first = question["tools"][0]["calls"][0]["n"]
        equal(app.decide(run, question, {"allow": first != 2, "calls": [first]}), 0, app.error())

    with servers() as t, asking(t, person) as app:
        code = "return Promise.allSettled([1, 2, 3].map((x) => mcp.s.echo({x}))).then((all) => all.map((a) => a.status))"
        envelope = app.execute(code)
        equal(envelope["result"], ["fulfilled", "rejected", "fulfilled"])
        equal([question["waiting"] for question in app.questions], [3, 2, 1])
        equal([question["id"] for question in app.questions], [1, 2, 3])
        equal(t.called("s"), ["echo"] * 2)


@test
def a_decision_for_the_run_holds_for_further_calls_of_that_tool_only():
    code = "for (const x of [1, 2, 3]) await mcp.s.echo({x}); await mcp.s.structured({value: 1}); return 'ok'"
    with servers() as t, asking(t, deciding(allow=True, **{"for": "run"})) as app:
        equal(app.execute(code)["result"], "ok")
        equal([list(tools_of(question)) for question in app.questions], [["s:echo"], ["s:structured"]])
        equal(app.execute("return mcp.s.echo({})")["result"], {})  # another run
        equal(len(app.questions), 3)


@test
def a_decision_for_so_many_calls_is_asked_again_when_they_are_used_up():
    code = "for (const x of [1, 2, 3, 4, 5, 6, 7]) await mcp.s.echo({x}); return 'ok'"
    with servers() as t, asking(t, deciding(allow=True, **{"for": "run", "maxCalls": 2})) as app:
        equal(app.execute(code)["result"], "ok")
        equal([tools_of(question)["s:echo"][0]["x"] for question in app.questions], [1, 4, 7])


@test
def a_no_for_the_run_is_not_asked_about_again():
    code = "let no = 0; for (const x of [1, 2, 3]) await mcp.s.echo({x}).catch(() => no++); return no"
    with servers() as t, asking(t, deciding(allow=False, **{"for": "run"})) as app:
        equal(app.execute(code)["result"], 3)
        equal(len(app.questions), 1)
        equal(t.called("s"), [])


@test
def a_decision_may_come_later_and_that_time_counts_for_no_limit():
    code = """
        const start = performance.now(), date = Date.now();
        await mcp.s.echo({});
        return [performance.now() - start, Date.now() - date];
    """
    with servers() as t, asking(t) as app:
        app.execute("return mcp.free.echo({})")
        run = app.begin(code, timeout_ms=2000, call_timeout_ms=1500)
        question = app.wait_for_question()
        app.step(150)  # 20 ms each: longer than both limits
        equal(app.decide(run, question, {"allow": True}), 0)
        envelope = app.json_of(run)
        assert envelope["success"], envelope
        elapsed, by_date = envelope["result"]
        waited = envelope["metrics"]["waitTimeMs"]
        assert waited >= 2000, envelope["metrics"]
        assert elapsed < 2000 and envelope["metrics"]["executionTimeMs"] < 2000, envelope
        assert by_date >= waited, (by_date, waited)


@test
def a_timer_stands_still_while_only_a_person_is_waited_for():
    code = """
        await mcp.s.structured({value: 1});  // now the server has started
        const late = new Promise((resolve) => setTimeout(() => resolve("timer"), 1500));
        return Promise.race([mcp.s.echo({}).then(() => "person"), late]);
    """
    with tools(permissions={"ask": ["s:echo"], "allow": ["s:*"]}, s={}) as t, asking(t) as app:
        run = app.begin(code)
        question = app.wait_for_question()
        app.step(100)
        equal(app.lib.caprun_done(run), 0)
        equal(app.decide(run, question, {"allow": True}), 0)
        assert app.json_of(run)["success"]


@test
def a_question_is_asked_while_another_call_is_under_way_and_withdrawn_when_the_run_goes_on_without_it():
    with servers() as t, asking(t) as app:
        run = app.begin("return Promise.race([mcp.s.echo({}), mcp.free.sleep({ms: 1500})])")
        question = app.wait_for_question()
        equal(app.lib.caprun_done(run), 0)
        app.wait_for(run, "ENDED")
        equal(app.decide(run, question, {"allow": True}), E_STATE)
        equal(app.withdrawn, [1])
        envelope = app.json_of(run)
        equal(envelope["result"], {"ms": 1500})
        equal([call["state"] for call in envelope["calls"]], ["not_started", "done"])
        equal(t.called("s"), [])


@test
def a_cancelled_run_withdraws_its_question():
    with servers() as t, asking(t) as app:
        run = app.begin("return mcp.s.echo({})")
        app.wait_for_question()
        app.cancel(run)
        app.wait_for(run, "ENDED")
        equal(app.withdrawn, [1])
        equal(app.json_of(run)["error"]["code"], "CANCELLED")


@test
def a_run_is_freed_while_its_question_is_open():
    with servers() as t, asking(t) as app:
        run = app.begin("return mcp.s.echo({})")
        app.wait_for_question()
        app.lib.caprun_run_free(run)
        app.step(5)
        equal(app.withdrawn, [])


@test
def invalid_decisions_are_refused_and_the_question_stays():
    with servers() as t, asking(t) as app:
        run = app.begin("return mcp.s.echo({})")
        question = app.wait_for_question()
        for decision in ("", "true", "[]", "{", "{}", '{"allow": 1}', '{"allow": "true"}', '{"allow": true, "call": [1]}',
                         '{"allow": true, "allow": false}', '{"allow": true, "by": "human:tty"}',
                         '{"allow": true, "by": "timeout"}', '{"allow": true, "by": "no_channel"}',
                         '{"allow": true, "by": "rule:x"}', '{"allow": true, "by": null}',
                         '{"allow": true, "for": "ever"}', '{"allow": true, "maxCalls": 3}',
                         '{"allow": true, "for": "run", "maxCalls": 0}', '{"allow": true, "for": "run", "maxCalls": -1}',
                         '{"allow": true, "calls": []}', '{"allow": true, "calls": [2]}', '{"allow": true, "calls": [1, 1]}',
                         '{"allow": true, "calls": 1}', '{"allow": true, "calls": [1.5]}', '{"allow": true} x'):
            equal(app.decide(run, question, decision), E_INVAL, decision)
        equal(app.decide(run, 2, {"allow": True}), E_STATE)
        equal(app.decide(run, 0, {"allow": True}), E_STATE)
        equal(app.decide(run, question, {"allow": True}), 0)
        equal(app.decide(run, question, {"allow": False}), E_STATE)  # it is decided
        equal(app.json_of(run)["result"], {})


@test
def a_decision_of_one_run_is_not_another_run_s():
    with servers() as t, asking(t) as app:
        first, second = app.begin("return mcp.s.echo({x: 1})"), app.begin("return mcp.s.echo({x: 2})")
        app.wait_for_question(2)
        equal(app.decide(first, 1, {"allow": True}), 0)
        equal(app.json_of(first)["result"], {"x": 1})
        equal(app.lib.caprun_done(second), 0)
        equal(app.decide(second, 1, {"allow": False}), 0)
        equal(app.json_of(second)["error"]["code"], "PERMISSION_DENIED")


@test
def what_policy_denies_is_not_asked_about():
    with tools(permissions={"ask": ["s:*"], "deny": ["s:echo"]}, s={}) as t, asking(t, deciding(allow=True)) as app:
        equal(app.execute("return mcp.s.echo({})")["error"]["code"], "PERMISSION_DENIED")
        equal(app.questions, [])


@test
def a_deny_that_was_added_while_a_person_was_asked_wins():
    with servers() as t, asking(t) as app:
        run = app.begin("return mcp.s.echo({})")
        question = app.wait_for_question()
        equal(app.lib.caprun_permit(app.runtime, 3, b"s:echo"), 0)
        equal(app.decide(run, question, {"allow": True}), 0)
        equal(app.json_of(run)["error"]["code"], "PERMISSION_DENIED")
        equal(t.called("s"), [])


@test
def the_bytes_that_are_shown_are_the_bytes_that_are_sent():
    code = """
        let n = 0;
        const shifty = { toJSON() { n++; return n; }, get x() { return n++; } };
        return mcp.s.echo({ shifty, text: "\\u202e\\u200b\\u0007", long: "y".repeat(1500000), now: n });
    """
    with servers() as t, asking(t) as app:
        run = app.begin(code)
        call, = app.wait_for_question()["tools"][0]["calls"]
        assert "args" not in call, "args of this length are not in the question"
        shown = app.args_of(run, 1)
        equal((len(shown), app.args_of(run, 2)), (call["argsBytes"], None))
        equal(app.decide(run, 1, {"allow": True}), 0)
        assert app.json_of(run)["success"]
        sent = [line["params"]["arguments"] for line in t.trace("s") if line.get("method") == "tools/call"]
        equal(sent, [json.loads(shown)])


@test
def without_an_application_to_ask_the_call_is_denied_and_nothing_is_started():
    with servers() as t, asking(t) as app:
        app.lib.caprun_set_ask(app.runtime, None, None)
        envelope = app.execute("return mcp.s.echo({})")
        equal((envelope["error"]["code"], envelope["calls"][0]["by"]), ("PERMISSION_DENIED", "no_channel"))
        equal(t.starts("s"), [])


@test
def a_question_has_a_time_limit_of_its_own_which_is_not_a_person_s_no():
    with servers() as t:
        t.serve({"s": {}, "free": {}}, permissions=ASK, approvals={"timeoutMs": 300})
        with asking(t) as app:
            run = app.begin("await mcp.s.echo({})")
            question = app.wait_for_question()
            app.wait_for(run, "ENDED")
            equal(app.withdrawn, [1])
            equal(app.decide(run, question, {"allow": True}), E_STATE)
            envelope = app.json_of(run)
            assert "nobody decided about it within 300 ms" in envelope["error"]["message"], envelope["error"]
            equal((envelope["error"]["code"], envelope["calls"][0]["by"]), ("PERMISSION_DENIED", "timeout"))
            assert envelope["metrics"]["waitTimeMs"] >= 300


@test
def a_project_s_file_cannot_let_scripts_approve():
    with servers() as t:
        t.serve({"s": {}, "free": {}}, permissions=ASK, approvals={"scripts": True})
        status, error = t.error("return 1")
        equal((status, error["code"]), (2, "CONFIG_ERROR"))
        assert '"scripts" may only be in your own file' in error["message"], error
        t.serve({"s": {}, "free": {}}, permissions=ASK, approvals={"timeoutMs": 1000})
        equal(t.value("return 1"), 1)


@test
def a_run_that_is_not_recorded_cannot_be_suspended():
    def person(app, run, _question):
        equal(app.suspend(run), 0)

    with servers() as t, asking(t, person) as app:
        envelope = app.execute("return mcp.s.echo({})")
        equal((envelope["error"]["code"], envelope["calls"][0]["by"]), ("PERMISSION_DENIED", "no_channel"))
        assert "a person said no" not in envelope["error"]["message"]


main()
