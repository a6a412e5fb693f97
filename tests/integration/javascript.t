#!/usr/bin/env python3
"""javascript.t - the language as seen by code: body, errors, time, timers, globals."""

import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, failure_of, main, run_json, test, value_of

SLEEP = "const sleep = ms => new Promise(r => setTimeout(r, ms));"

# name: (code, its result)
VALUES = {
    # the body of an async function
    "await at the top": ("return await Promise.resolve(1)", 1),
    "no return": ("1 + 1", None),
    "undefined": ("return undefined", None),
    "undefined within": ("return {a: undefined, b: [undefined]}", {"b": [None]}),
    "strict mode": ("return this === undefined", True),
    "strict mode in functions": ("return (function () { return this })() === undefined", True),
    "strict assignments": ("try { x = 1 } catch (e) { return e.name }", "ReferenceError"),
    "two parameters": ("return [typeof mcp, typeof args, arguments.length]", ["object", "object", 2]),
    "declared functions": ("return f(); function f() { return 1 }", 1),
    "a comment at the end": ("return 1 // the end", 1),
    "a closed comment at the end": ("return 1 /* the end */", 1),
    "a template at the end": ("return `}`", "}"),
    "an HTML comment at the end": ("return 1\n--> x", 1),
    "braces in strings": ("return '})' + /}\\)/.source + `})`", "})}\\)})"),
    "a directive in the body": ("'use strict'; return 1", 1),
    "a hashbang inside": ("return '#!'.length", 2),
    "Windows lines": ("const a = 1\r\nreturn a\r\n", 1),
    "a sub-function that awaits": ("return (async () => { await 0; return 2 })()", 2),
    "lone surrogates in results": (r"return ['a\ud800', {'\udfff': 1}, '\ud83d\ude00']",
                                   ["a\ufffd", {"\ufffd": 1}, "\U0001f600"]),
    "lone surrogates that JSON.rawJSON lets in": (
        r"""return [JSON.rawJSON('"\ud800"'), JSON.rawJSON('"\\ud83d\\ude00"')]""",
        ["\ufffd", "\U0001f600"]),
    "backslashes before what looks like one": (r"return '\\ud800'", "\\ud800"),
    # no code from text
    "Function": ("try { new Function('return 1') } catch (e) { return 'no' }", "no"),
    "constructors of each kind": (
        "return [() => {}, async () => {}, function* () {}, async function* () {}, class {}.constructor]"
        ".map(f => { try { return typeof f.constructor('return 1') } catch { return 'no' } })",
        ["no"] * 5),
    "Reflect.construct": (
        "try { Reflect.construct(Function, ['1'], Object) } catch { return 'no' }", "no"),
    "bound and proxied": (
        "return [Function.bind(null, '1'), new Proxy(Function, {})]"
        ".map(f => { try { return typeof f('1') } catch { return 'no' } })", ["no", "no"]),
    "mcp.constructor.constructor": (
        "try { mcp.constructor.constructor('1') } catch { return 'no' }", "no"),
    # time
    "time stands still while code computes": (
        "const a = [Date.now(), performance.now()]; for (let i = 0; i < 1e6; i++);"
        "return Date.now() === a[0] && performance.now() === a[1] && +new Date() === a[0]", True),
    "time moves with messages": (
        SLEEP + "const a = [Date.now(), performance.now()]; await sleep(20);"
        "return Date.now() - a[0] >= 20 && performance.now() - a[1] >= 20", True),
    "time moves with the answers of calls": (
        "const t = performance.now(); await mcp.a.b().catch(() => 0); return performance.now() > t", True),
    "performance.now starts near 0": ("return performance.now() >= 0 && performance.now() < 1000", True),
    "UTC": ("return [new Date(2020, 6, 1).toISOString(), new Date(0).getTimezoneOffset(),"
            "new Date(0).toString()]",
            ["2020-07-01T00:00:00.000Z", 0, "Thu Jan 01 1970 00:00:00 GMT+0000"]),
    "a timer is never early": (
        SLEEP + "for (const d of [0, 0.5, 1, 2, 7.3, 20]) { const t = performance.now();"
        "const u = Date.now(); await sleep(d);"
        "if (performance.now() < t + d || Date.now() < u + Math.floor(d)) return d } return 'ok'", "ok"),
    "waiting in small steps ends": (
        SLEEP + "const t0 = Date.now(); let n = 0;"
        "while (Date.now() < t0 + 20) { await sleep(0); n++ } return n > 0", True),
    # timers
    "timers at the same time fire in order": (
        "const out = []; for (let i = 0; i < 20; i++) setTimeout(() => out.push(i), 5);"
        "await new Promise(r => setTimeout(r, 5)); return out", list(range(20))),
    "timers fire by time": (
        "const out = []; for (const d of [30, 10, 20, 0]) setTimeout(() => out.push(d), d);"
        "await new Promise(r => setTimeout(r, 40)); return out", [0, 10, 20, 30]),
    "microtasks run between timers": (
        "const out = []; for (const i of [1, 2]) setTimeout(() => { out.push(i);"
        "Promise.resolve().then(() => out.push(-i)) }, 1);"
        "await new Promise(r => setTimeout(r, 5)); return out", [1, -1, 2, -2]),
    "an interval repeats until it is cleared": (
        "let n = 0; return new Promise(r => { const t = setInterval(() => {"
        "if (++n === 5) { clearInterval(t); setTimeout(() => r(n), 20) } }, 1) })", 5),
    "an interval without a delay does not starve others": (
        "let n = 0; const t = setInterval(() => n++); await new Promise(r => setTimeout(r, 10));"
        "clearInterval(t); return n > 0 && n < 100", True),
    "cleared timers do not fire": (
        "let n = 0; const t = [1, 2, 3].map(d => setTimeout(() => n++, d)); clearTimeout(t[1]);"
        "clearInterval(t[2]); await new Promise(r => setTimeout(r, 20)); return n", 1),
    "a timer may clear another that is due": (
        "let n = 0, b; const a = setTimeout(() => clearTimeout(b), 1); b = setTimeout(() => n++, 1);"
        "await new Promise(r => setTimeout(r, 20)); return n", 0),
    "clearing nonsense does nothing": (
        "for (const x of [undefined, null, -1, 1e9, 'x', {}, Symbol()]) clearTimeout(x); return 1", 1),
    "callbacks get their arguments": (
        "return new Promise(r => setTimeout((...a) => r(a), 1, 1, 'b', [3]))", [1, "b", [3]]),
    "odd delays are 0": (
        "for (const d of [undefined, null, NaN, -5, -Infinity, 'x', {}])"
        "await new Promise(r => setTimeout(r, d)); return 1", 1),
    "queueMicrotask": (
        "const out = []; queueMicrotask(() => out.push(1)); out.push(0); await 0; await 0; return out",
        [0, 1]),
}


@each(VALUES)
def code_returns_what_it_should(case):
    code, value = case
    equal(value_of(code), value)


@test
def args_arrive_as_they_were():
    args = {"a": [1, -0.5, 1e300, None, True, "\u20ac\n\"\\"], "b": {"": {}}, "__proto__": 1}
    equal(value_of("return args", args=json.dumps(args)), args)
    equal(value_of("args.x = 1; return args", args="{}"), {"x": 1})


@each({
    "a brace too many": "}",
    "a function closed early": "}); (function () {",
    "an async function closed early": "})(); (async function () {",
    "an expression after it": "}, async () => {",
    "a call of it": "})(), (function () { return 1",
    "an unclosed template": "return `",
    "an unclosed comment": "return 1 /*",
    "an unclosed string": "return '",
    "an unclosed brace": "if (1) {",
    "an octal number": "return 010",
    "with": "with (args) {}",
    "await in a plain function": "function f() { await 0 }",
    "args declared again": "'use strict'; let mcp",
})
def code_that_does_not_parse_is_a_syntax_error(code):
    equal(failure_of(code)[:3], (1, "SyntaxError", "CODE_ERROR"))


# --- errors ----------------------------------------------------------------------------------


def code_name(code):
    return "cap:" + hashlib.sha256(code.encode()).hexdigest()[:8]


# name: (code, [(function, line, column)...]) of the stack, innermost first; a column is where `new`,
# or the name of what is called, begins
STACKS = {
    "line 1": ("throw new Error('x')", [("<anonymous>", 1, 7)]),
    "indented": ("\n\n   throw new Error('x')", [("<anonymous>", 3, 10)]),
    "a function": ("function f() {\n  throw new Error('x')\n}\n\nf()",
                   [("f", 2, 9), ("<anonymous>", 5, 1)]),
    "after await": ("await 0\nthrow new TypeError('x')", [("<anonymous>", 2, 7)]),
    "in a timer": ("setTimeout(function late() {\n throw new Error('x') }, 1)\n"
                   "await new Promise(r => setTimeout(r, 1000))", [("late", 2, 8)]),
    "in a microtask": ("queueMicrotask(() => {\n throw new Error('x') })\n"
                       "await new Promise(r => setTimeout(r, 1000))", [("<anonymous>", 2, 8)]),
    "a name like a position": ("const o = {['x:0:y']() {\n throw new Error('x') }}\no['x:0:y']()",
                               [("x:0:y", 2, 8), ("<anonymous>", 3, 1)]),
    "on the last line without a newline": ("//\n//\nthrow new Error('x')", [("<anonymous>", 3, 7)]),
}


@each(STACKS)
def a_stack_has_the_lines_of_the_code_and_no_others(case):
    code, frames = case
    error = run_json(code)["error"]
    equal((error["code"], error["type"]), ("CODE_ERROR", "RuntimeError"))
    found = re.findall(r"^    at (\S+) \((cap:[0-9a-f]{8}):(\d+):(\d+)\)$", error["stack"], re.M)
    equal(len(found), len(error["stack"].splitlines()), f"frames of the code in {error['stack']}")
    equal([(f, int(l), int(c)) for f, _, l, c in found], frames)
    equal({name for _, name, _, _ in found}, {code_name(code)}, "name of the code")


@test
def a_lone_surrogate_in_an_error_is_the_replacement_character():
    equal(failure_of(r"throw new Error('a\ud800b')")[3], "a\ufffdb")


@test
def a_stack_cannot_be_forged():
    for code in ("const e = new Error('x'); e.stack = 'forged'; throw e",
                 "Object.defineProperty(Error.prototype, 'stack', {get: () => 'forged'}); throw new Error('x')"):
        assert "forged" not in run_json(code)["error"]["stack"], code


@test
def a_syntax_error_says_where_it_is():
    code = "const a = 1\nreturn a +* 2"
    contains(run_json(code)["error"]["stack"], f"{code_name(code)}:2:")


@test
def a_timeout_says_where_it_was():
    stack = run_json("function spin() {\n  for (;;) ;\n}\nspin()", "--timeout", "100ms")["error"]["stack"]
    contains(stack, "at spin (cap:", ":4:")


@each({
    "an error": "return new Error('x').stack",
    "an error of the engine": "try { null.x } catch (e) { return e.stack }",
    "an error of a call": "try { await mcp.a.b() } catch (e) { return e.stack + e.message }",
    "an error of a name": "try { await mcp['/'].b() } catch (e) { return e.stack + e.message }",
    "an error of a value": "try { await mcp.a.b(1n) } catch (e) { return e.stack + e.message }",
    "an error in a log": "console.log({get a() { throw 1 }}, new Error('x'))",
    "a getter called by us": "let s; console.log({get a() { s = new Error('x').stack }}); return s",
    "a toJSON called by us":
        "let s; await mcp.a.b({toJSON() { s = new Error('x').stack }}).catch(() => 0); return s",
    "a stack overflow": "try { (function f() { f() })() } catch (e) { return e.stack }",
    "a function's source": "return [setTimeout, console.log, mcp.a.b, performance.now].join()",
})
def nothing_of_ours_is_seen(code):
    envelope = run_json(code)
    seen = json.dumps([envelope.get("result"), envelope.get("error"), envelope["logs"]])
    for word in ("prelude", "/work", "/home", "/tmp", "/usr", "caprun:", ".js", ".c:", "0x7f"):
        assert word not in seen, f"{word} is in {seen:.500}"


@each({
    "a timer": "setTimeout(() => { throw new Error('late') }, 1)",
    "an interval": "setInterval(() => { throw new Error('late') }, 1)",
    "a microtask": "queueMicrotask(() => { throw new Error('late') })",
})
def an_error_that_code_cannot_catch_ends_the_run(code):
    status, kind, code, message = failure_of(
        "try {" + code + "} catch {} await new Promise(r => setTimeout(r, 5000)); return 'on'")
    equal((status, kind, code, message), (1, "RuntimeError", "CODE_ERROR", "late"))


# --- globals ---------------------------------------------------------------------------------

ABSENT = """SharedArrayBuffer Atomics WeakRef FinalizationRegistry DisposableStack
    AsyncDisposableStack std os bjson scriptArgs print gc navigator __loadScript
    Error.prepareStackTrace Error.captureStackTrace ArrayBuffer.prototype.resize
    ArrayBuffer.prototype.transfer ArrayBuffer.prototype.transferToFixedLength
    ArrayBuffer.prototype.resizable ArrayBuffer.prototype.maxByteLength
    ArrayBuffer.prototype.detached performance.timeOrigin""".split()
PRESENT = """Array.fromAsync Promise.try Map.groupBy Iterator.from Proxy Reflect BigInt Symbol WeakMap
    JSON.stringify console.log console.info console.warn console.error console.debug
    console.table console.dir console.assert console.count console.time setTimeout setInterval
    clearTimeout clearInterval queueMicrotask performance.now atob btoa self globalThis""".split()


@test
def globals_that_must_be_absent_are_absent():
    code = """return args.names.filter(n => {
        const keys = n.split('.'), last = keys.pop(), o = keys.reduce((o, k) => o?.[k], globalThis);
        return o !== undefined && last in o })"""
    equal(value_of(code, args=json.dumps({"names": ABSENT})), [])


@test
def globals_that_must_be_there_are_there():
    code = "return args.names.filter(n => n.split('.').reduce((o, k) => o?.[k], globalThis) === undefined)"
    equal(value_of(code, args=json.dumps({"names": PRESENT})), [])


@test
def a_buffer_cannot_be_resized_by_an_option():
    equal(value_of("const b = new ArrayBuffer(8, {maxByteLength: 64}); return [b.byteLength, "
                   "'resize' in b, 'transfer' in b]"), [8, False, False])


@test
def random_numbers_differ_between_runs_and_within_one():
    code = "return Array.from({length: 5}, Math.random)"
    seen = {n for _ in range(10) for n in value_of(code)}
    equal(len(seen), 50)
    assert all(0 <= n < 1 for n in seen)



# The engine calls these without checking its stack; each of them once overran the stack.
ITERATOR_CHAINS = {name: f"let i = [1, 2].values(); for (let k = 0; k < 50000; k++) {step}; "
                         "try { [...i]; return 'done' } catch (e) { return e.name }"
                   for name, step in {
                       "map": "i = i.map(x => x)", "filter": "i = i.filter(x => true)",
                       "take": "i = i.take(5)", "drop": "i = i.drop(0)",
                       "flatMap": "i = i.flatMap(x => [x])",
                       "from": "i = Iterator.from({next: i.next.bind(i)})",
                       "concat": "i = Iterator.concat({[Symbol.iterator]: (j => () => j)(i)})",
                   }.items()}


@each(ITERATOR_CHAINS)
def a_long_chain_of_iterators_is_a_range_error(code):
    equal(value_of(code), "RangeError")


@test
def a_short_chain_of_iterators_works():
    equal(value_of("return [...[1, 2, 3].values().map(x => x * 2).filter(x => x > 2).take(1)]"), [4])


@test
def a_timer_that_is_set_while_another_is_being_set_keeps_its_own_id():
    equal(value_of("""
        const fired = [];
        let inner;
        const delay = {valueOf() { inner = setTimeout(() => fired.push("inner"), 1); return 1 }};
        clearTimeout(setTimeout(() => fired.push("outer"), delay));
        await new Promise(r => setTimeout(r, 20));
        return fired"""), ["inner"])


@test
def a_timer_takes_a_hundred_arguments_and_not_one_more():
    count = "await new Promise(r => setTimeout((...a) => r(a.length), 1, ...new Array({})))"
    equal(value_of("return " + count.replace("{}", "100")), 100)
    contains(run_json(count.replace("{}", "101"))["error"]["message"], "RangeError")


main()
