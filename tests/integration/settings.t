#!/usr/bin/env python3
"""settings.t - settings of a single run: its limits, and the tools that it may call."""

import ctypes
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import BUILD, caprun, contains, each, equal, main, test
from library import E_INVAL, E_STATE, E_TOOBIG, WARM_NONE, Library, ignore

MIB = 1 << 20
MOST = {"result": 64 * MIB, "log": 16 * MIB, "calls": 100000, "calls_at_once": 1024}


def echo(call):
    equal(call.reply(call.args), 0)


def end_of(code, answer=echo, tools=None, **limits):
    """The envelope of a run of |code|, and the methods that its handler was called with."""
    heard = []

    def hear(call):
        heard.append(call.method)
        answer(call)

    with Library(hear, warm=WARM_NONE) as library:
        run = library.run(code, timeout_ms=limits.pop("timeout_ms", 0))
        for name, value in limits.items():
            equal(library.limit(run, name, value), 0, name)
        if tools is not None:
            equal(library.set_tools(run, *tools), 0)
        equal(library.lib.caprun_start(run), 0)
        while not library.lib.caprun_done(run):
            library.step(1)
        library.wait_for(run, "ENDED")
        events = list(run.events)
        envelope = library.json_of(run)
    return envelope, heard, events


def error_of(code, **options):
    error = end_of(code, **options)[0]["error"]
    return error["code"], error["message"], error.get("hint")


def result_of(code, **options):
    envelope = end_of(code, **options)[0]
    assert envelope["success"], envelope["error"]
    return envelope["result"]


# --- limits ----------------------------------------------------------------------------------


@test
def a_result_may_be_as_long_as_the_run_says():
    hint = "raise it with caprun_run_set_max_result(); or return less: a summary, or a part"
    equal(error_of("return 'x'.repeat(65535)", result=65536),
          ("OUTPUT_LIMIT", "The result is over 64 KiB", hint))
    equal(len(result_of("return 'x'.repeat(65534)", result=65536)), 65534)
    equal(error_of("return 12", result=1)[1], "The result is over 1 bytes")
    equal(result_of("return 1", result=1), 1)
    equal(len(result_of("return 'x'.repeat(2 ** 26 - 2)", result=64 * MIB)), 64 * MIB - 2)
    equal(error_of("return 'x'.repeat(2 ** 26 - 1)", result=64 * MIB)[1], "The result is over 64 MiB")
    equal(error_of("return 'x'.repeat(2 ** 24)")[1], "The result is over 16 MiB")


@test
def errors_are_reported_even_if_the_result_limit_is_small():
    equal(error_of("throw {reason: 'no row'}", result=1)[:2], ("CODE_ERROR", '{"reason":"no row"}'))


CUT = "[log cut here: it may have 10,000 lines, and %s]"


@each({
    "one long line": ("console.log('x'.repeat(70000))", 65536, ["x" * 65536, CUT % "64 KiB"]),
    "several lines": ("for (let i = 0; i < 5; i++) console.log('abc')", 10, ["abc"] * 3 + ["a", CUT % "10 bytes"]),
    "just enough": ("console.log('abc'); console.log('def')", 6, ["abc", "def"]),
    "a single byte": ("console.log('abc')", 1, ["a", CUT % "1 bytes"]),
    "a value": ("console.log({a: 1})", 4, ["{ a:", CUT % "4 bytes"]),
    "a table": ("console.table([[1]])", 2, None),
    "deep groups": ("for (let i = 0; i < 60; i++) console.group(); console.log('abc')", 7,
                    [" " * 7, CUT % "7 bytes"]),
    "a label": ("console.count('x'.repeat(300)); console.count('y')", 5, ["xxxxx", CUT % "5 bytes"]),
    "a timer that is not there": ("console.timeEnd('z'.repeat(300))", 3, ["No ", CUT % "3 bytes"]),
    "more than usual": ("console.log('x'.repeat(2 ** 21))", 1 << 22, ["x" * (1 << 21)]),
})
def a_log_may_be_as_long_as_the_run_says(case):
    code, most, lines = case
    envelope = end_of(code + "; return 'on'", log=most)[0]
    equal(envelope.get("result"), "on", str(envelope.get("error")))
    if lines:
        equal(envelope["logs"], lines)
    contains(envelope["logs"][-1], "log cut here" if most < 1 << 22 and len(envelope["logs"]) > 2 else "")


@test
def attempts_are_listed_although_the_log_is_full():
    envelope = end_of("try { eval('1') } catch {} return 1", log=5)[0]
    equal((envelope["logs"], len(envelope["blocked"])), (["[bloc", CUT % "5 bytes"], 1))


@test
def a_run_may_make_as_many_calls_as_it_says():
    code = "for (let i = 0; i < %d; i++) await mcp.a.b(); return 'on'"
    equal(error_of(code % 6, calls=5),
          ("CALL_LIMIT", "More than 5 calls in one run", "raise it with caprun_run_set_max_calls()"))
    equal(result_of(code % 5, calls=5), "on")
    equal(error_of("try { mcp.a.b(); mcp.a.b() } catch {} return 1", calls=1)[1], "More than 1 call in one run")
    equal(result_of("await mcp.a.b(); return 1", calls=1), 1)
    equal(result_of(code % 10001, calls=10001), "on")


@test
def as_many_calls_wait_at_once_as_the_run_says():
    """Further calls are held back in the worker, and come in order."""
    code = "return (await Promise.all(Array.from({length: %d}, (_, n) => mcp.a.b({n})))).map((a) => a.n).join()"
    for most in (1, 3, 300):
        waiting, largest = [], []

        def answer(call, most=most, waiting=waiting, largest=largest):
            waiting.append(call)
            largest.append(len(waiting))
            if len(waiting) == most:
                while waiting:
                    echo(waiting.pop())

        equal(result_of(code % (most * 4), answer=answer, calls_at_once=most), ",".join(map(str, range(most * 4))))
        equal(max(largest), most)
    envelope = end_of("await Promise.all([1, 2, 3, 4].map(() => mcp.a.b()))", answer=ignore, calls_at_once=3,
                      timeout_ms=300)[0]
    equal([call["state"] for call in envelope["calls"]], ["in_flight_unknown"] * 3)


@each(MOST)
def a_limit_has_a_most_and_0_is_the_default(most):
    name = next(name for name, value in MOST.items() if value == most)
    with Library(warm=WARM_NONE) as library:
        run = library.run("return 1")
        for value in (1, most, 0):
            equal(library.limit(run, name, value), 0, str(value))
        for value in (most + 1, 1 << 32, (1 << 64) - 1):
            equal(library.limit(run, name, value), E_TOOBIG, str(value))
            contains(library.error(), str(value), f"{most} at most")
        equal(library.lib.caprun_start(run), 0)
        equal(library.limit(run, name, 1), E_STATE)
        contains(library.finish(run), '"result":1')


# --- tools -----------------------------------------------------------------------------------

TOOLS = ["text:upper", "text:lower"]
DENIED = ('acme:wipe is not in the capability\'s list of tools ("text:upper", "text:lower"); '
          'its author has to add it to "tools" in the metadata')


@test
def a_call_outside_the_list_of_tools_is_denied_without_asking():
    envelope, heard, events = end_of("await mcp.acme.wipe({all: true})", tools=TOOLS)
    error = envelope["error"]
    equal((error["type"], error["code"], error["message"], error["toolName"]),
          ("PermissionError", "PERMISSION_DENIED", DENIED, "acme:wipe"))
    (call,) = envelope["calls"]
    equal({key: call[key] for key in call if key != "ms"},
          {"n": 1, "method": "acme:wipe", "state": "denied", "decision": "deny", "by": "rule:tools"})
    equal(heard, [])
    equal(events, ["STARTED", ("CALL", 1), ("CALL_DONE", 1), "ENDED"])


@test
def code_can_catch_a_denied_call_and_go_on():
    code = """try { await mcp.acme.wipe() } catch (e) {
                  return [e instanceof Error, e.code, e.message, e.toolName, await mcp.text.upper({a: 1})]
              }"""
    envelope, heard, _ = end_of(code, tools=TOOLS)
    equal(envelope["result"], [True, "PERMISSION_DENIED", DENIED, "acme:wipe", {"a": 1}])
    equal(heard, ["text:upper"])
    equal([(call["state"], call["decision"], call["by"]) for call in envelope["calls"]],
          [("denied", "deny", "rule:tools"), ("done", "allow", "application")])


@test
def an_empty_list_denies_every_call_and_without_a_list_calls_are_allowed():
    equal(error_of("await mcp.text.upper()", tools=[])[1],
          "text:upper is not in the capability's list of tools, which is empty; "
          'its author has to add it to "tools" in the metadata')
    equal(result_of("return await mcp.text.upper({a: 2})"), {"a": 2})


@test
def a_long_list_is_cut_in_the_message_and_not_in_what_it_allows():
    names = [f"{'n' * 64}:{'a' * 124}{n:04}" for n in range(10000)]
    message = error_of("await mcp.acme.wipe()", tools=names)[1]
    contains(message, f'("{names[0]}", "{names[1]}", "{names[2]}" and 9997 more); its author has to')
    last = names[-1].split(":")
    equal(result_of(f"return await mcp.{last[0]}.{last[1]}({{a: 3}})", tools=names), {"a": 3})


@each({"nothing": "", "no colon": "text", "no action": "text:", "no namespace": ":upper", "a pattern": "text:*",
       "two colons": "a:b:c", "a space": "text:up per", "a namespace that is too long": "n" * 65 + ":a",
       "an action that is too long": "n:" + "a" * 129, "a control": "text:\x1b[2J"})
def an_invalid_name_of_a_tool_is_refused(name):
    with Library(warm=WARM_NONE) as library:
        run = library.run("await mcp.acme.wipe()")
        equal(library.set_tools(run, "text:upper"), 0)
        equal(library.set_tools(run, "acme:wipe", name), E_INVAL)
        contains(library.error(), f"'{name[:200]}' is not the name of a tool", "write it like files:read")
        equal(library.lib.caprun_start(run), 0)
        contains(library.finish(run), "PERMISSION_DENIED", "text:upper")  # the list that was set before


@test
def a_list_that_is_too_long_or_too_late_is_refused():
    with Library(warm=WARM_NONE) as library:
        run = library.run("return 1")
        equal(library.set_tools(run, *["a:b"] * 10001), E_TOOBIG)
        contains(library.error(), "10001 tools are too many: 10000 at most")
        equal(library.set_tools(run, "n" * 64 + ":" + "a" * 128, "a:b/c.d_e-f"), 0)
        equal(library.lib.caprun_start(run), 0)
        equal(library.set_tools(run), E_STATE)
        contains(library.finish(run), '"result":1')


# --- messages --------------------------------------------------------------------------------


@test
def a_rejection_has_all_of_its_message_and_hint():
    message, hint = "m" * 65000 + "é", "h" * 509 + "é"
    for more, kept in (("", 65001), ("x" * 5000, 65536 - 2 + 1)):
        with Library(warm=WARM_NONE) as library:
            run = library.run("return 1")
            library.lib.caprun_reject(run, ctypes.c_int(17), (message + more).encode(), hint.encode())
            error = library.json_of(run)["error"]
            equal((error["code"], error["hint"], len(error["message"])), ("NOT_FOUND", hint, kept))


@test
def a_hint_says_which_function_raises_the_limit():
    def hint(code, **options):
        return error_of(code, **options)[2]

    equal(hint("for (;;);", timeout_ms=50), "raise it with caprun_run_set_timeout()")
    with Library(ignore, warm=WARM_NONE) as library:
        envelope = library.execute("await mcp.a.b()", call_timeout_ms=20)
        equal(envelope["error"]["hint"], "raise it with caprun_run_set_call_timeout()")
        envelope = library.execute("for (const a = [];;) a.push(a.length)", memory_mib=16)
        equal(envelope["error"]["hint"], "raise it with caprun_run_set_memory(); or keep less at a time")
        run = library.run("for (;;);")
        equal(library.lib.caprun_run_set_cpu(run, ctypes.c_uint64(20)), 0)
        equal(library.lib.caprun_start(run), 0)
        contains(library.finish(run), "raise it with caprun_run_set_cpu()")


@test
def texts_of_the_library_name_its_functions_and_those_of_the_command_its_options():
    """Except commands to type, which are for every reader, and what `by` says of a call."""
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", caprun("--help").out))
    assert {"--timeout", "--frozen", "--config", "--allow"} <= options, options

    def texts_of(program):
        with open(os.path.join(BUILD, program), "rb") as file:
            return [text.decode() for text in re.findall(rb"[\t\n -~]{4,}", file.read())]

    def with_options(texts):
        return [text for text in texts if "caprun lock --accept" not in text and text != "--allow-declared"
                and options & set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))]

    def with_functions(texts):
        return [text for text in texts if re.search(r"\bcaprun_\w+\(\)", text)]

    library, command = texts_of("libcaprun.so"), texts_of("caprun")
    equal((with_options(library), with_functions(command)), ([], []))
    assert with_functions(library) and with_options(command)


main()
