#!/usr/bin/env python3
"""memory.t - heap and stack: no code exceeds its limit, and no code is ended below it."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import MULTIPLIER, between, contains, each, equal, main, run_json, test, value_of

MIB = 1 << 20

BOMBS = {
    "objects": "const a = []; for (;;) a.push({})",
    "a doubling array": "let a = [1]; for (;;) a = a.concat(a)",
    "a doubling array that is spread": "let a = [1]; for (;;) a = [...a, ...a]",
    "a doubling string": "let s = 'x'; for (;;) { s += s; s.charCodeAt(s.length - 1) }",
    "many strings": "const a = []; for (let i = 0; ; i++) a.push(('x' + i).repeat(100))",
    "repeat": "'x'.repeat(2**29)",
    "repeat of a wide letter": "'\\u20ac'.repeat(2**28)",
    "padStart": "'x'.padStart(2**29)",
    "one buffer": "new ArrayBuffer(2**30)",
    "buffers": "const a = []; for (;;) a.push(new ArrayBuffer(1e6))",
    "buffers that are written": "const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))",
    "a filled array": "new Array(2**32 - 1).fill(0)",
    "Map": "const m = new Map(); for (let i = 0; ; i++) m.set(i, i)",
    "Set": "const s = new Set(); for (let i = 0; ; i++) s.add('' + i)",
    "WeakMap": "const m = new WeakMap(), a = []; for (;;) { const k = {}; a.push(k); m.set(k, {}) }",
    "closures": "const a = []; for (let i = 0; ; i++) a.push(() => i)",
    "properties": "const o = {}; for (let i = 0; ; i++) o['p' + i] = i",
    "symbols": "const a = []; for (;;) a.push(Symbol('x'))",
    "fragmentation": "const a = []; for (let i = 0; ; i++) { a.push('x'.repeat(20 + i * 7919 % 5000));"
                     "if (i % 3 === 0) a[i >> 1] = null }",
    "growing pieces": "let a = []; for (let n = 1; ; n *= 1.1) { a.push(new Uint8Array(n).fill(1)) }",
    "cyclic garbage kept alive": "let a = null; for (;;) { const o = {a}; o.self = o; a = o }",
    "promises": "const a = []; for (;;) a.push(new Promise(() => 0))",
    "a promise chain": "let p = Promise.resolve(); for (;;) p = p.then(() => p)",
    "a promise that waits for itself": "const f = () => Promise.resolve().then(f); await f()",
    "microtasks": "for (;;) queueMicrotask(() => 0)",
    "timers": "for (;;) setTimeout(() => 0, 1e6)",
    "generators": "const a = []; for (;;) { const g = (function* () { yield 1 })(); g.next(); a.push(g) }",
    "split": "'x,'.repeat(1e7).split(',')",
    "JSON.parse": "JSON.parse('[' + '{},'.repeat(1e6) + '1]')",
    "JSON.stringify": "const o = {a: 'x'.repeat(1e6)}; JSON.stringify(new Array(100).fill(o))",
    "a regular expression": "/(?:(a)|b)*$/.exec('a'.repeat(2e7))",
    "matches": "[...'a'.repeat(1e6).matchAll(/a/g)]",
    "errors": "const a = []; for (;;) a.push(new Error('x'))",
    "BigInts": "const a = []; for (let i = 1n; ; i++) a.push(i << 5000n)",
    "console": "console.log('x'.repeat(2**29))",
}


def check_memory(code):
    envelope = run_json(code, "--memory", "64m", "--timeout", f"{int(20 * MULTIPLIER)}s")
    assert not envelope["success"], f"it ended by itself: {str(envelope['result'])[:300]}"
    error = envelope["error"]
    equal((envelope["status"], error["type"], error["code"]), (5, "MemoryError", "MEMORY_LIMIT"),
          str(error)[:300])
    contains(error["message"], "64 MiB")
    between(envelope["metrics"]["memoryUsedMB"], 1, 80, "memoryUsedMB")
    between(envelope["process"].max_rss / MIB, 1, 80, "peak resident MiB of any process")


@each(BOMBS)
def a_memory_bomb_ends_at_the_limit(code):
    check_memory(code)


@each({
    "catch": "for (;;) try { const a = []; for (;;) a.push({}) } catch {}",
    "finally": "try { 'x'.repeat(2**29) } finally { return 1 }",
    "a promise": "await new Promise(() => new ArrayBuffer(2**30)).catch(() => 0); return 1",
})
def the_limit_cannot_be_caught(code):
    check_memory(code)


@each({
    "40 MB of bytes": "return new Uint8Array(40e6).fill(1).length > 0",
    "40 MB of text": "return 'x'.repeat(40e6).length > 0",
    "buffers": "const a = []; for (let i = 0; i < 40; i++) a.push(new Uint8Array(1e6).fill(1)); return true",
    "objects": "const a = []; for (let i = 0; i < 2e5; i++) a.push({i}); return true",
    "much in all, little at a time": "for (let i = 0; i < 500; i++) new Uint8Array(1e6).fill(1); return true",
    "cyclic garbage": "for (let i = 0; i < 1e6; i++) { const o = {}; o.o = o } return true",
    "long arrays that are let go": "for (let i = 0; i < 2000; i++) new Array(50000).fill(i); return true",
    "long arrays of long arrays": "for (let i = 0; i < 200; i++) Array.from({length: 600}, () => new Array(600).fill(i));"
                                  "return true",
    "texts after a long array": "let a = new Array(900000).fill(1); a = null; let s = 'x'.repeat(12e6); s += 'y'.repeat(8e6);"
                                "return s.charCodeAt(15e6) === 121",
    "long arrays as keys": "const m = new WeakMap(); for (let i = 0; i < 3000; i++) { const a = new Array(600).fill(i);"
                           "m.set(a, {a: [i]}); a.push({}) } return true",
    "long arrays in circles": "for (let i = 0; i < 3000; i++) { const a = new Array(600).fill({}); a[5] = a; a[6] = {a} }"
                              "return true",
    "an answer that is dropped and made again": "let n = 0; for (let i = 0; i < 300; i++)"
                                                "n += JSON.parse('[' + '{\"a\":1},'.repeat(3000) + '1]').length;"
                                                "return n === 300 * 3001",
    "a long text after an array of texts": "let a = Array.from({length: 600}, (_, i) => 'x'.repeat(9000) + i);"
                                           "a = null; return 'z'.repeat(60 * 1024 * 1024).length > 0",
    "circles of what was parsed": "const text = JSON.stringify(Array.from({length: 200}, (_, id) => ({id, name: 'row ' + id})));"
                                  "for (let i = 0; i < 9000; i++) { const a = JSON.parse(text); a.push(a) } return true",
    "rows that know their table": "const text = JSON.stringify(Array.from({length: 20}, (_, id) => ({id, tags: [{}, {}]})));"
                                  "for (let i = 0; i < 40000; i++) { const rows = JSON.parse(text);"
                                  "for (const row of rows) for (const tag of row.tags) tag.row = row } return true",
    "strings that are let go": "let s; for (let i = 0; i < 300; i++) s = 'x'.repeat(1e6 + i); return true",
})
def data_below_the_limit_is_fine(code):
    equal(value_of(code, "--memory", "64m"), True)


@each({
# calls that cannot be sent yet wait in the worker's memory
    "calls": ("const a = 'x'.repeat(1e6); for (;;) mcp.a.b({a, b: a}).catch(() => 0)", "MEMORY_LIMIT"),
    "calls that are waited for": ("const a = 'x'.repeat(1e6); for (;;) await mcp.a.b({a, b: a}).catch(() => 0)",
                                  "EXECUTION_TIMEOUT"),
    "logs": ("const a = 'x'.repeat(1e6); for (;;) console.log(a)", "EXECUTION_TIMEOUT"),
    "errors": ("const a = 'x'.repeat(1e6); for (;;) await mcp[a].b().catch(() => 0)", "EXECUTION_TIMEOUT"),
})
def a_flood_does_not_fill_the_host(case):
    code, outcome = case
    time = "500ms" if outcome == "EXECUTION_TIMEOUT" else "20s"
    envelope = run_json(code, "--memory", "64m", "--timeout", time)
    equal(envelope["error"]["code"], outcome, str(envelope["error"]))
    between(envelope["process"].max_rss / MIB, 1, 80, "peak resident MiB of any process")


@test
def a_tiny_limit_is_a_clear_end():
    for size in ("1k", "64k", "1m"):
        assert run_json("return 1", "--memory", size)["status"] in (0, 5), size
        equal(run_json("'x'.repeat(2e6)", "--memory", size)["error"]["code"], "MEMORY_LIMIT", size)


@test
def the_host_can_be_asked_again_after_a_bomb():
    for _ in range(5):
        check_memory("'x'.repeat(2**29)")
        equal(value_of("return 1", "--memory", "64m"), 1)


# --- stack -----------------------------------------------------------------------------------


@each({
    "a function": "(function f() { f() })()",
    "arguments": "(function f(...a) { f(...a, 1) })()",
    "a getter": "const o = {get a() { return this.a }}; o.a",
    "a proxy": "const p = new Proxy({}, {get: (t, k, r) => r[k]}); p.x",
    "toString": "const o = {toString() { return '' + o }}; '' + o",
    "a replacer": "const f = () => 'x'.replace(/x/, f); f()",
    "sort": "const f = () => [1, 2].sort(f); f()",
    "toJSON": "const o = {toJSON() { return JSON.stringify(o) }}; JSON.stringify(o)",
    "nested arrays": "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)",
    "nested flat": "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity)",
    "deep JSON": "JSON.parse('['.repeat(1e6) + ']'.repeat(1e6))",
    "deep JSON without an end": "JSON.parse('['.repeat(1e7))",
    "a class": "class A { constructor() { new A() } } new A()",
})
def endless_recursion_is_an_error_that_code_can_catch(code):
    equal(value_of(f"try {{ {code} }} catch (e) {{ return e instanceof RangeError }}"), True)


@each({
    "code of many parentheses": "return " + "(" * 50000 + "1" + ")" * 50000,
    "code of many brackets": "return " + "[" * 50000 + "]" * 50000,
    "code of many functions": "(()=>" * 20000 + "1" + ")" * 20000,
})
def deep_code_is_an_error_and_no_crash(code):
    envelope = run_json(code)
    equal((envelope["status"], envelope["error"]["code"]), (1, "CODE_ERROR"))


@test
def a_deep_regular_expression_is_no_crash():
    code = "try { new RegExp('('.repeat(1e5) + ')'.repeat(1e5)); return 1 } catch (e) { return 1 }"
    equal(value_of(code), 1)


@each({
    "recursion of 1,000": "return (function f(n) { return n ? f(n - 1) : true })(1000)",
    "JSON of 1,000 levels":
        "return JSON.stringify(JSON.parse('['.repeat(1e3) + ']'.repeat(1e3))).length === 2000",
    "JSON of 100,000 levels that is only read": "JSON.parse('['.repeat(1e5) + ']'.repeat(1e5)); return true",
    "code of 100 parentheses": "return " + "(" * 100 + "true" + ")" * 100,
})
def moderate_depth_is_fine(code):
    equal(value_of(code), True)


@test
def a_result_that_is_too_deep_is_an_error_with_words():
    envelope = run_json("let a = []; for (let i = 0; i < 1500; i++) a = [a]; return a")
    assert envelope["status"] in (0, 1), envelope.get("error")
    envelope = run_json("let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a")
    equal((envelope["status"], envelope["error"]["code"]), (1, "CODE_ERROR"))


main()
