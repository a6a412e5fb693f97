#!/usr/bin/env python3
"""mcp_faults.t - MCP servers with realistic faults, and worse ones: each causes a clear error in bounded time and
memory, or does no harm; and another server of the same run works normally meanwhile."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import SANITIZED, TORTURE, between, contains, each, equal, main, stretched, test, write_file
from tools import tools

MIB = 1 << 20
SHORT = ["--rpc-timeout", f"{int(stretched(400))}ms"]  # for calls to a server that has started
ECHO = 'bad.echo({x: "y"})'
ECHOED = {"x": "y"}
WARM = "await outcome(mcp.bad.echo());"  # so that the measured call does not include the start

# Closes its input at the first call, and then sends a request.
LEAVES_ITS_INPUT = """#!PYTHON
import json, os, sys, time
while True:
    message = json.loads(sys.stdin.readline())
    if message["method"] == "tools/call":
        break
    result = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {}},
              "tools/list": {"tools": [{"name": "x", "inputSchema": {"type": "object"}}]}}.get(message["method"])
    if result:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
os.close(0)
print('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', flush=True)
time.sleep(60)
"""


def beside_a_good_one(t, call, *options, warm="", seconds=30):
    """Returns the outcome of |call| to the server "bad"; "good" must answer before, during and after."""
    result = t.value(f"""
        const first = await mcp.good.echo({{ n: 1 }});
        {warm}
        const during = mcp.good.sleep({{ ms: 20, n: 2 }});
        const bad = await outcome(mcp.{call});
        return [bad, first, await during, await mcp.good.echo({{ n: 3 }})]""", *options, seconds=seconds)
    equal(result[1:], [{"n": 1}, {"ms": 20, "n": 2}, {"n": 3}], "what the good server answered")
    equal(len(t.starts("good")), 1, "starts of the good server")
    return result[0]


# --- harmless faults -------------------------------------------------------------------------

# name: (options of the fake, the call, its value)
HARMLESS = {
    "nothing": ({}, ECHO, ECHOED),
    "banner lines": ({"banner": True}, ECHO, ECHOED),
    "lines between the answers": ({"noise": True}, ECHO, ECHOED),
    "lines that end in CR LF": ({"crlf": True}, ECHO, ECHOED),
    "characters in pieces": ({}, "bad.split()", "a\u00e9\u20ac\U0001f600z"),
    "answers to calls that are not there": ({}, "bad.wrong_id()", "right"),
    "several answers to a call": ({}, "bad.twice()", "first"),
    "a ping before anything": ({"pingFirst": True}, ECHO, ECHOED),
    "an exit on a method that it does not know": ({"exitOnUnknown": True}, ECHO, ECHOED),
    "an exit at the first start": ({"bootExitOnce": "once"}, ECHO, ECHOED),
    "a slow boot": ({"bootMs": 1500}, ECHO, ECHOED),
    "talk on standard error": ({"words": "x" * 60000 + "\n"}, "bad.talk({bytes: 3000000})", "said"),
    "thousands of tools": ({"count": 3000, "page": 100}, "bad.t2999({x: 1})", {"name": "t2999", "args": {"x": 1}}),
    "an empty cursor": ({"count": 60, "page": 20, "cursors": "empty"}, "bad.t59()", {"name": "t59", "args": {}}),
    "an older version": ({"version": "2024-11-05"}, ECHO, ECHOED),
    "a modern server": ({"era": "modern"}, ECHO, ECHOED),
    "a modern server with a banner": ({"era": "modern", "banner": True}, ECHO, ECHOED),
    "a server of both eras": ({"era": "both"}, ECHO, ECHOED),
    "a line of many megabytes": ({}, f"bad.long_line({{bytes: {(1024 if TORTURE else 200) * MIB}}})", "after the line"),
    "progress on and on": ({}, "bad.progress({count: 2000, ms: 0})", "done"),
    "an image": ({}, "bad.image().then((items) => items.map((item) => item.type))", ["image", "text"]),
    "a grandchild with the pipes, and a hang at the end": ({"grandchild": "pid", "hangAtEnd": True}, ECHO, ECHOED),
}


@each(HARMLESS)
def it_does_no_harm(case):
    script, call, value = case
    with tools(good={}, bad=script) as t:
        equal(beside_a_good_one(t, call), {"value": value})


@test
def structured_content_may_be_anything():
    values = [1.5, 0, "text", "", [], [1, {}], {}, True, False, {"a": {"b": [None]}}]
    with tools(bad={"era": "modern"}) as t:
        got = t.value(f"return Promise.all({json.dumps(values)}.map((value) => mcp.bad.structured({{ value }})))")
        equal(json.dumps(got), json.dumps(values))


@test
def sixty_megabytes_arrive():
    with tools(bad={}) as t:
        envelope = t.execute(f"return (await mcp.bad.big({{bytes: {60 * MIB}}})).length", "--memory", "1g")
        equal(envelope.get("result"), 60 * MIB, str(envelope.get("error")))
        if not SANITIZED:
            between(envelope["process"].max_rss, 0, 450 * MIB, "bytes")


# --- faults that are errors ------------------------------------------------------------------

TIMEOUT, FAILED = "RPC_TIMEOUT", "RPC_ERROR"

# name: (options of the fake, the call, options, code, parts of the message)
HARMFUL = {
    "no answer": ({}, "bad.never()", SHORT, TIMEOUT, ["timeout", "bad:never"]),
    "an answer after the cancel": ({}, "bad.late()", SHORT, TIMEOUT, ["timeout"]),
    "only wrong ids": ({}, "bad.wrong_id({answer: false})", SHORT, TIMEOUT, ["timeout"]),
    "notifications without end": ({}, "bad.flood()", SHORT, TIMEOUT, ["timeout"]),
    "no reader": ({"deaf": ["notifications/initialized"]}, ECHO, SHORT, None, ["bad"]),
    "a crash": ({}, "bad.crash({status: 3})", [], FAILED, ["bad", "status 3"]),
    "a signal": ({}, "bad.crash({signal: 11})", [], FAILED, ["bad", "signal 11"]),
    "a kill": ({}, "bad.crash({signal: 9})", [], FAILED, ["bad", "signal 9"]),
    "an end with status 0": ({}, "bad.crash({status: 0})", [], FAILED, ["bad", "status 0"]),
    "a closed output": ({}, "bad.close()", ["--rpc-timeout", "5s"], FAILED, ["bad"]),
    "an exit at every start": ({"bootExit": 7, "words": "no key\n"}, ECHO, [], FAILED, ["bad", "status 7"]),
    "silence before initialize": ({"silent": ["initialize"]}, ECHO, SHORT, None, ["bad"]),
    "no list of tools": ({"silent": ["tools/list"]}, ECHO, SHORT, None, ["bad"]),
    "an exit on tools/list": ({"exitOn": ["tools/list"]}, ECHO, [], FAILED, ["bad", "status 1"]),
    "the same cursor again": ({"cursors": "loop"}, ECHO, [], FAILED, ["bad", "nextCursor"]),
    "two cursors in turn": ({"cursors": "cycle"}, ECHO, [], FAILED, ["bad", "nextCursor"]),
    "cursors without end": ({"cursors": "endless"}, ECHO, [], FAILED, ["bad", "1000"]),
    "a name twice": ({"tools": [{"name": "echo"}]}, ECHO, [], FAILED, ["bad", "echo"]),
    "an unknown version": ({"version": "1999-01-01"}, ECHO, [], FAILED, ["1999-01-01"]),
    "an unknown modern version": ({"era": "modern", "version": "2031-01-01"}, ECHO, [], FAILED, ["2031-01-01"]),
    "seventy megabytes": ({}, f"bad.big({{bytes: {70 * MIB}}})", [], FAILED, ["64 MiB"]),
    "a question back": ({"era": "modern"}, "bad.confirm()", [], FAILED, ["input"]),
}


@each(HARMFUL)
def it_is_a_clear_error(case):
    script, call, options, code, parts = case
    with tools(good={}, bad=script) as t:
        warm = WARM if options == SHORT and not script else ""
        outcome = beside_a_good_one(t, call, *options, warm=warm)
        equal(sorted(outcome), ["code", "message", "name"], str(outcome))
        assert outcome["code"] in ([code] if code else [TIMEOUT, FAILED]), outcome
        contains(outcome["message"], *parts)


@test
def a_json_rpc_error_keeps_its_code_and_words():
    numbers = [-32700, -32601, -32602, -32603, -32000, 2147483647, 0]
    with tools(bad={}) as t:
        caught = t.value(f"return Promise.all({numbers}.map((code) =>"
                         "outcome(mcp.bad.error({ code, message: 'disk full' }))))")
        for number, error in zip(numbers, caught, strict=True):
            equal((error["code"], error["name"]), (FAILED, "Error"))
            contains(error["message"], "disk full", str(number))


@test
def an_invalid_answer_ends_its_call_one_way_or_the_other():
    members = ['"result":1', '"result":null', '"result":"x"', '"result":{}', '"result":{"content":5}', '"error":"x"',
               '"error":{}', '"error":null', '"x":1', '"result":{},"error":{"code":1}', '"result":{"a":1,"a":2}']
    with tools(good={}, bad={}) as t:
        each_of_them = f"{json.dumps(members)}.map((member) => outcome(mcp.bad.malformed({{ members: [member] }})))"
        call = f"bad.echo().then(() => Promise.all({each_of_them}))"
        outcomes = beside_a_good_one(t, call, *SHORT, warm=WARM)["value"]
        for member, outcome in zip(members, outcomes, strict=True):
            assert outcome.get("code") in (None, FAILED, TIMEOUT), f"{member}: {outcome}"
        assert "code" in outcomes[5] and "code" in outcomes[6], "an error is no success"


@test
def a_command_that_is_not_there_is_told_by_its_name():
    with tools(good={}, bad={"command": "no-such-program-at-all"}) as t:
        outcome = beside_a_good_one(t, ECHO)
        equal(outcome["code"], FAILED)
        contains(outcome["message"], "bad", "could not be started")
        assert "no-such-program" not in outcome["message"], "the code need not know"
        contains(t.error("await mcp.bad.echo()")[1]["hint"], "no-such-program-at-all", "No such file")


@test
def a_directory_that_is_not_there_is_told_by_its_name():
    with tools(good={}, bad={"config": {"cwd": "nowhere"}}) as t:
        equal(beside_a_good_one(t, ECHO)["code"], FAILED)
        contains(t.error("await mcp.bad.echo()")[1]["hint"], "nowhere")


@test
def the_code_does_not_see_where_a_server_is():
    with tools(bad={"command": "./leaves-its-input", "era": "legacy"}) as t:
        path = f"{t.work}/leaves-its-input"
        write_file(path, LEAVES_ITS_INPUT.replace("PYTHON", sys.executable))
        os.chmod(path, 0o755)
        outcome = t.value("return outcome(mcp.bad.x())")
        equal(outcome["code"], FAILED)
        assert "leaves-its-input" not in outcome["message"], outcome


@test
def last_words_are_for_the_person_and_not_for_the_code():
    with tools(bad={}) as t:
        words = "cannot open \x1b[31mthe cellar\x1b[0m\nsecret=hunter2\n"
        code = f"await mcp.bad.crash({{status: 5, words: {words!r}}})"
        status, error = t.error(code)
        equal((status, error["code"], error["toolName"]), (1, FAILED, "bad:crash"))
        contains(error["message"], "status 5")
        contains(error["hint"], "the cellar", "hunter2")
        assert "\x1b" not in error["hint"] and "hunter2" not in error["message"], error
        caught = t.value(f"try {{ {code} }} catch (e) {{ return [e.message, e.hint ?? null, e.stack, {{...e}}] }}")
        assert "hunter2" not in str(caught), caught


@test
def a_crash_rejects_all_calls_at_once_and_the_server_is_started_again():
    with tools(bad={}) as t:
        result = t.value("""
            await mcp.bad.echo();
            const start = performance.now();
            const calls = [1, 2, 3].map(() => outcome(mcp.bad.never()));
            calls.push(outcome(mcp.bad.crash({ status: 9 })));
            const codes = (await Promise.all(calls)).map((o) => o.code);
            const took = performance.now() - start;
            for (let i = 0; i < 40; i++) {
                const again = await outcome(mcp.bad.echo({ again: true }));
                if (again.value) return [codes, took, again.value];
                await new Promise((r) => setTimeout(r, 250));
            }
            return "never again" """)
        equal((result[0], result[2]), ([FAILED] * 4, {"again": True}))
        between(result[1], 0, stretched(2000), "ms")
        equal(len(t.starts("bad")), 2)


@test
def a_server_that_keeps_crashing_is_not_started_without_end():
    with tools(bad={"bootExit": 1}) as t:
        t.value("for (let i = 0; i < 50; i++) await outcome(mcp.bad.echo()); return 1", seconds=60)
        between(len(t.starts("bad")), 1, 10, "starts")


@test
def a_line_without_an_end_does_not_fill_the_host():
    size = (1024 if TORTURE else 300) * MIB
    with tools(good={}, bad={}) as t:
        envelope = t.execute(f"""
            const bad = outcome(mcp.bad.big({{ bytes: {size} }}));
            const good = await mcp.good.echo({{ n: 1 }});
            return [(await bad).code, good, await mcp.bad.echo({{ after: 1 }})]""")
        equal(envelope.get("result"), [FAILED, {"n": 1}, {"after": 1}], str(envelope.get("error")))
        if not SANITIZED:
            between(envelope["process"].max_rss, 0, 200 * MIB, "bytes")


@test
def large_args_to_a_server_that_does_not_read_block_nothing():
    with tools(good={}, bad={}) as t:
        result = t.value("""
            await mcp.bad.deaf();
            const text = "x".repeat(8 << 20);
            const calls = [1, 2, 3].map((n) => outcome(mcp.bad.echo({ n, text })));
            const good = await mcp.good.echo({ n: 1 });
            return [(await Promise.all(calls)).map((o) => o.code), good]""", *SHORT)
        equal(result, [[TIMEOUT] * 3, {"n": 1}])


@test
def sixteen_mebibytes_of_args_arrive_as_they_are_and_in_their_order():
    with tools(a={}) as t:
        equal(t.value("""
            const list = Array.from({ length: 7 << 20 }, (_, i) => i % 7), text = "y".repeat((16 << 20) - 100);
            const [first, second, third] = await Promise.all([
                mcp.a.echo({ list, n: 1 }), mcp.a.echo({ text, n: 2 }), mcp.a.echo({ n: 3 })]);
            return [first.list.length, first.list.every((value, i) => value == i % 7), second.text == text,
                first.n, second.n, third.n, (await mcp.a.echo({ n: 4 })).n]""", seconds=60),
              [7 << 20, True, True, 1, 2, 3, 4])
        equal([call["params"]["arguments"]["n"] for call in sent(t, "a", "tools/call")], [1, 2, 3, 4])


@each({"short": (100, 1), "of 20 MB": (20_000_000, 0)})
def a_question_with_an_id_is_answered_if_the_id_is_no_longer_than_it_may_be(case):
    size, answers = case
    with tools(a={}) as t:
        equal(t.value(f"const asked = await mcp.a.long_id({{ bytes: {size} }}); await mcp.a.echo({{}}); return asked"),
              "asked")
        equal(len([line for line in t.trace("a") if line.get("id") == "x" * size]), answers)


# --- the protocol ----------------------------------------------------------------------------


def sent(t, name, method):
    return [line for line in t.trace(name) if line.get("method") == method]


@test
def a_legacy_server_is_greeted_as_it_expects():
    with tools(a={}) as t:
        t.value("await mcp.a.echo({x: 1})")
        equal(t.methods("a"),
              ["server/discover", "initialize", "notifications/initialized", "tools/list", "tools/call"])
        hello = sent(t, "a", "initialize")[0]["params"]
        equal((hello["protocolVersion"], hello["clientInfo"]["name"]), ("2025-11-25", "caprun"))
        assert "sampling" not in hello["capabilities"] and "elicitation" not in hello["capabilities"], hello
        call = sent(t, "a", "tools/call")[0]["params"]
        equal((call["name"], call["arguments"]), ("echo", {"x": 1}))
        assert isinstance(call["_meta"]["progressToken"], (int, str)), call


@test
def a_modern_server_is_told_everything_in_every_request():
    with tools(a={"era": "modern"}) as t:
        t.value("await mcp.a.echo({x: 1}); await mcp.a.echo({x: 2})")
        equal(t.methods("a"), ["server/discover", "tools/list", "tools/call", "tools/call"])
        for request in t.trace("a")[1:]:
            meta = request["params"]["_meta"]
            equal(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28")
            equal(meta["io.modelcontextprotocol/clientInfo"]["name"], "caprun")
            equal(type(meta["io.modelcontextprotocol/clientCapabilities"]), dict)
        tokens = [call["params"]["_meta"]["progressToken"] for call in sent(t, "a", "tools/call")]
        equal(len(set(map(str, tokens))), 2, "different tokens")


@test
def the_era_is_remembered_and_can_be_forced():
    with tools(a={}) as t:
        t.value("await mcp.a.echo()")
        t.value("await mcp.a.echo()")
        equal((len(sent(t, "a", "server/discover")), len(sent(t, "a", "initialize"))), (1, 2))
    for era, script, wanted in (("legacy", {"era": "both"}, "initialize"), ("modern", {"era": "both"}, "tools/list")):
        with tools(a={**script, "config": {"era": era}}) as t:
            t.value("await mcp.a.echo()")
            equal([method for method in t.methods("a") if method != "server/discover"][0], wanted, era)
            if era == "legacy":
                equal(sent(t, "a", "server/discover"), [])


@test
def a_server_that_has_changed_its_era_since_is_found_out():
    with tools(a={"era": "legacy"}) as t:
        t.value("await mcp.a.echo()")
        t.serve({"a": {"era": "modern"}})
        equal(t.value("return mcp.a.echo({x: 1})"), {"x": 1})


@test
def silence_to_discover_means_legacy_and_meanwhile_other_runs_leave_nothing():
    with tools(bad={"silent": ["server/discover"]}) as t, tools(a={}, b={"era": "modern"}) as u:
        silent = t.start("exec", "-", code=f"return mcp.{ECHO}")
        for n in range(1000 if TORTURE else 20):
            equal(u.value("return Promise.all([mcp.a.echo({n: 1}), mcp.b.echo({n: 2})])"), [{"n": 1}, {"n": 2}], n)
        equal((silent.end(60).status, silent.out), (0, '{"x":"y"}\n'), silent.err)
        equal(t.value("return mcp.bad.echo({x: 1})", "--timeout", f"{int(stretched(6000))}ms"), {"x": 1})
        equal(len(sent(t, "bad", "server/discover")), 1, "questions about the era")


@test
def requests_of_a_server_are_answered():
    asked = ["ping", "roots/list", "sampling/createMessage", "elicitation/create", "no/such"]
    with tools(a={}) as t:
        ping, *others = t.value(f"return Promise.all({asked}.map((method) => mcp.a.ask({{ method }})))")
        equal(ping.get("result"), {})
        equal([answer["error"]["code"] for answer in others], [-32601] * 4)


@test
def a_call_given_up_on_is_cancelled_at_the_server():
    with tools(a={}) as t:
        t.value("await mcp.a.echo(); await outcome(mcp.a.never())", *SHORT)
        ids = [call["id"] for call in sent(t, "a", "tools/call")]
        equal([note["params"]["requestId"] for note in sent(t, "a", "notifications/cancelled")], ids[1:])
    with tools(a={}) as t:
        t.value("await mcp.a.echo(); mcp.a.never(); await mcp.a.echo(); return 1")
        ids = [call["id"] for call in sent(t, "a", "tools/call")]
        equal([note["params"]["requestId"] for note in sent(t, "a", "notifications/cancelled")], [ids[1]])


@test
def progress_puts_off_the_end_of_a_call_but_not_of_the_run():
    with tools(a={}) as t:
        limit = ["--rpc-timeout", f"{int(stretched(800))}ms"]
        ms = int(stretched(100))
        equal(t.value(f"await mcp.a.echo(); return mcp.a.progress({{count: 12, ms: {ms}}})", *limit), "done")
        status, error = t.error(f"await mcp.a.echo(); await mcp.a.progress({{count: 1e6, ms: {ms}}})",
                                *limit, "--timeout", f"{int(stretched(2000))}ms")
        equal((status, error["code"]), (4, "EXECUTION_TIMEOUT"))


# --- many at once ----------------------------------------------------------------------------


@test
def fifty_calls_of_a_tenth_of_a_second_take_little_more():
    with tools(a={}) as t:
        took = t.value("""
            await mcp.a.echo();
            const start = performance.now();
            await Promise.all(Array.from({ length: 50 }, (_, n) => mcp.a.sleep({ ms: 100, n })));
            return performance.now() - start""")
        between(took, 100, 100 + stretched(150), "ms")


@test
def a_server_gets_no_more_at_once_than_its_config_says():
    with tools(a={"config": {"maxConcurrent": 2}}) as t:
        result = t.value("""
            await mcp.a.echo();
            const start = performance.now();
            const all = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => mcp.a.sleep({ ms: 50, n })));
            return [all.map((a) => a.n), performance.now() - start]""")
        equal(result[0], [1, 2, 3, 4, 5, 6])
        between(result[1], 150, stretched(2000), "ms")


@test
def hundreds_of_calls_each_get_their_own_answer():
    with tools(a={}, b={"era": "modern"}) as t:
        equal(t.value("""
            const all = await Promise.all(Array.from({ length: 600 }, (_, n) => mcp[n % 2 ? "a" : "b"].echo({ n })));
            return all.every((answer, n) => answer.n === n)"""), True)
        equal((len(t.called("a")), len(t.called("b"))), (300, 300))


@test
def calls_of_a_run_whose_time_is_over_are_released():
    """Calls wait at the server, and are admitted while the host waits for the run's stack."""
    code = ("await mcp.s.echo({}); for (let i = 0; i < 300; i++) mcp.s.sleep({ms: 100 + (i * 37) % 300}).catch(() => 0);"
            "await new Promise((r) => setTimeout(r, 60)); for (;;);")
    with tools(s={"config": {"maxConcurrent": 8}}) as t:
        for ms in range(300, 303):
            status, error = t.error(code, "--timeout", f"{ms}ms")
            equal((status, error["code"]), (4, "EXECUTION_TIMEOUT"))


main()
