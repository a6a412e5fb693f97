#!/usr/bin/env python3
"""calls.t - calls that an application answers: at once, later, wrongly, too late, hundreds at the same time."""

import ctypes
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import between, contains, each, equal, main, test
from library import Library

E_INVAL, E_TOOBIG, E_STATE = -2, -3, -5
TEXT = '{"content":[{"type":"text","text":%s}]}'


def run(code, answer, **options):
    with Library(answer) as library:
        return library.execute(code, **options)


def result_of(code, answer, **options):
    envelope = run(code, answer, **options)
    assert envelope["success"], envelope["error"]
    return envelope["result"]


@each({
    "an object": ('{"a":[1,2,{"b":null}]}', {"a": [1, 2, {"b": None}]}),
    "a string": ('"x"', "x"),
    "null": ("null", None),
    "false": (" false ", False),
    "a key called __proto__": ('{"__proto__":{"x":1}}', {"__proto__": {"x": 1}}),
    "equal keys": ('{"a":1,"a":2}', {"a": 2}),
    "what looks like a tool's result": ('{"content":[],"isError":true}', {"content": [], "isError": True}),
})
def an_answer_arrives_unchanged(case):
    text, value = case
    equal(result_of("return mcp.a.b({x: 1})", lambda call: equal(call.reply(text), 0)), value)
    equal(result_of("return mcp.a.b.raw({x: 1})", lambda call: equal(call.reply(text), 0)), value)


@each({
    "a text": (TEXT % '"hello"', "hello"),
    "a text that is a JSON object": (TEXT % r'"{\"a\": 1}"', {"a": 1}),
    "a text that is a JSON array": (TEXT % '" [1] "', [1]),
    "a text that is a JSON number": (TEXT % '"1"', "1"),
    "a text that is nearly JSON": (TEXT % '"{a: 1}"', "{a: 1}"),
    "structured content": ('{"content":[{"type":"text","text":"x"}],"structuredContent":{"s":1}}', {"s": 1}),
    "two items": ('{"content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}',
                  [{"type": "text", "text": "x"}, {"type": "text", "text": "y"}]),
    "an image": ('{"content":[{"type":"image","data":"AA==","mimeType":"image/png"}]}',
                 [{"type": "image", "data": "AA==", "mimeType": "image/png"}]),
    "nothing": ('{"content":[]}', []),
})
def a_tools_result_is_unwrapped_and_raw_is_not(case):
    text, value = case
    equal(result_of("return mcp.a.b()", lambda call: equal(call.reply_tool(text), 0)), value)
    equal(result_of("return mcp.a.b.raw()", lambda call: equal(call.reply_tool(text), 0)), json.loads(text))


FAILED = '{"content":[{"type":"text","text":"no such file"}],"structuredContent":{"why":2},"isError":true}'


@test
def a_tool_that_failed_is_an_error_that_can_be_caught():
    caught = result_of("try { await mcp.files.read({}) } catch (e) { return [e.name, e.code, e.message,"
                       "e.toolName, e.data, e instanceof Error, /cap:\\w+:1:/.test(e.stack)] }",
                       lambda call: call.reply_tool(FAILED))
    equal(caught, ["MCPToolError", "TOOL_ERROR", "no such file", "files:read", {"why": 2}, True, True])


@test
def a_tool_that_failed_and_is_not_caught_ends_the_run():
    envelope = run("await mcp.files.read({})", lambda call: call.reply_tool(FAILED))
    error = envelope["error"]
    equal([error["type"], error["code"], error["toolName"]], ["MCPToolError", "TOOL_ERROR", "files:read"])
    contains(error["message"], "no such file")
    contains(error["stack"], "cap:", ":1:")
    equal([envelope["calls"][0][key] for key in ("n", "method", "state", "decision", "by")],
          [1, "files:read", "done", "allow", "application"])


@test
def the_handler_gets_method_and_the_very_bytes_of_the_args():
    got = []
    result_of('await mcp["a-b"]["c.d/e"]({s: "\\u2028é\\n", n: -0, d: new Date(0)}); await mcp.x.y();'
              'await mcp.x.y.raw([1])',
              lambda call: got.append((call.number, call.method, call.args)) or call.reply("1"))
    equal(got, [(1, "a-b:c.d/e", '{"s":"\u2028é\\n","n":0,"d":"1970-01-01T00:00:00.000Z"}'.encode()),
                (2, "x:y", b"{}"), (3, "x:y", b"[1]")])


@test
def a_failure_has_its_message_and_its_line():
    equal(result_of("try { await mcp.a.b() } catch (e) { return [e.message, e.code, e.name] }",
                    lambda call: call.fail("connect timeout")), ["connect timeout", "RPC_ERROR", "Error"])
    envelope = run("\n  await mcp.a.b()", lambda call: call.fail("down"))
    equal([envelope["error"][key] for key in ("code", "message", "toolName")], ["RPC_ERROR", "down", "a:b"])
    contains(envelope["error"]["stack"], ":2:15)")
    equal(envelope["calls"][0]["state"], "failed")


@test
def answers_may_come_later_and_in_any_order():
    waiting = []

    def answer(call):
        waiting.append(call)
        if len(waiting) == 5:
            for later in reversed(waiting):
                equal(later.reply(later.args), 0)

    equal(result_of("const seen = []; await Promise.all([0, 1, 2, 3, 4].map(async (i) =>"
                    "seen.push(await mcp.a.b(i)))); return seen", answer), [4, 3, 2, 1, 0])


@test
def a_call_is_answered_once():
    def answer(call):
        equal(call.reply("{"), E_INVAL)  # the call can still be answered
        equal(call.reply("1"), 0)
        equal(call.reply("2"), E_STATE)
        equal(call.fail("3"), E_STATE)
        contains(call.library.error(), "call 1 waits for no answer")
        call.number = 7
        equal(call.reply("4"), E_STATE)

    equal(result_of("return mcp.a.b()", answer), 1)


@test
def an_answer_that_is_too_long_fails_the_call():
    def answer(call):
        equal(call.reply(b'"' + b"x" * (64 << 20) + b'"'), E_TOOBIG)

    equal(result_of("try { await mcp.a.b() } catch (e) { return [e.code, e.message] }", answer),
          ["RPC_ERROR", "The answer is over 64 MiB"])


@test
def answers_of_the_maximal_length_arrive_and_several_at_once():
    waiting = []
    text = b'"' + b"x" * ((64 << 20) - 2) + b'"'

    def answer(call):
        waiting.append(call)
        if len(waiting) == 6:
            equal([one.reply(text) for one in waiting], [0, 0, 0, 0, E_TOOBIG, E_TOOBIG])

    envelope = run("const got = await Promise.allSettled([1, 2, 3, 4, 5, 6].map((i) => mcp.a.b(i)"
                   ".then((text) => text.length))); return got.map((g) => g.value ?? g.reason.message)",
                   answer, memory_mib=1024)
    waits = "Too much waits for the worker to read it"
    equal(envelope.get("result"), [(64 << 20) - 2] * 4 + [waits] * 2, str(envelope.get("error")))


@test
def a_call_without_an_answer_times_out_and_the_run_goes_on():
    late = []
    with Library(lambda call: late.append(call)) as library:
        envelope = library.execute("const t = performance.now();"
                                   "try { await mcp.a.b() } catch (e) {"
                                   "return [e.code, e.message, performance.now() - t] }", call_timeout_ms=50)
        equal(envelope["result"][:2], ["RPC_TIMEOUT", "RPC timeout: no answer from a:b after 50 ms"])
        between(envelope["result"][2], 50, 5000)
        envelope = library.execute("await mcp.a.b()", call_timeout_ms=50)
        equal([envelope["error"][key] for key in ("type", "code")], ["TimeoutError", "RPC_TIMEOUT"])
        contains(envelope["error"]["message"], "timeout")


@test
def timers_go_on_while_calls_wait():
    equal(result_of("const slow = mcp.a.b(); await new Promise((r) => setTimeout(r, 20)); return 1",
                    lambda call: None), 1)


@test
def hundreds_of_calls_queue_in_order():
    waiting, most, methods = [], 0, []

    def answer(call):
        nonlocal most
        waiting.append(call)
        methods.append(int(call.args))
        most = max(most, len(waiting))
        if len(waiting) == 256 or call.number > 744:
            while waiting:
                waiting.pop().reply(b"1")

    total = result_of("const all = await Promise.all(Array.from({length: 1000}, (_, i) => mcp.a.b(i)));"
                      "return all.reduce((a, b) => a + b)", answer)
    equal([total, most, methods == list(range(1000))], [1000, 256, True])


@test
def too_many_calls_end_the_run_even_without_answers():
    envelope = run("for (let i = 0; i < 10001; i++) mcp.a.b(i); await mcp.c.d()", lambda call: None)
    equal(envelope["error"]["code"], "CALL_LIMIT")
    equal(len(envelope["calls"]), 256)
    equal({call["state"] for call in envelope["calls"]}, {"in_flight_unknown"})


@test
def a_run_that_waits_for_nothing_is_stalled_only_when_no_call_waits():
    equal(run("mcp.a.b(); await new Promise(() => {})", lambda call: call.reply("1"))["error"]["code"],
          "STALLED")


@test
def the_args_are_there_until_the_handler_returns_whatever_it_does():
    def answer(call):
        call.library.lib.caprun_cancel(ctypes.c_void_p(call.run))
        equal(ctypes.string_at(*call.where), call.args)

    equal(run("await mcp.a.b({x: 'y'.repeat(1e5)})", answer)["error"]["code"], "CANCELLED")


@test
def long_messages_of_many_failures_are_not_all_kept():
    between(run("for (let i = 0; i < 3000; i++) await mcp.a.b().catch((e) => 0);"
                "try { await mcp.a.b() } catch (e) { return e.message.length }",
                lambda call: call.fail("x" * 65536))["result"], 65536, 65536)
    with open("/proc/self/status", encoding="ascii") as status:
        resident = int(next(line for line in status if line.startswith("VmRSS")).split()[1])
    between(resident, 0, 150 * 1024, "KiB")


@test
def the_first_denial_ends_a_run_that_must_not_try():
    code = "try { eval('1') } catch {} return 1"
    with Library() as library:
        run = library.run(code)
        library.lib.caprun_run_set_stop_when_denied(run, 1)
        equal(library.lib.caprun_start(run), 0)
        envelope = json.loads(library.finish(run))
        equal(envelope["error"]["code"], "PERMISSION_DENIED")
        contains(envelope["error"]["message"], "Requires eval access")
        equal(envelope["blocked"], [{"api": "eval", "access": "eval"}])
        equal(library.execute(code)["result"], 1)


@each({"that may be": ("\\n", 30_000, 1), "of escapes": ("\\n", 8_388_000, 0), "of letters": ("x", 8_388_000, 0)})
def keys_in_args_have_a_limited_length(case):
    """A key of megabytes of escapes would be unescaped in one turn of the loop: the watchdog would report it."""
    text, count, asked = case
    calls = []

    def answer(call):
        calls.append(call)
        call.reply("1")

    value = result_of(f"return mcp.a.b({{['{text}'.repeat({count})]: 1}}).then((v) => v, (e) => e.message)", answer)
    equal(len(calls), asked)
    if not asked:
        contains(value, "a key of more than 65536 bytes")


main()
