#!/usr/bin/env python3
"""values.t - results and args as JSON, and the errors for values that have no JSON.

CAPRUN_TORTURE=1 generates values from more seeds.
"""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import (TORTURE, between, caprun, contains, each, equal, failure_of, main, run_json, stretched, test,
                     value_of)

# --- the same as JSON.stringify --------------------------------------------------------------

# Makes `values`, the same for the same SEED. `log` has everything that a value can observe about
# its reader; the last value returns `log`.
GENERATOR = r"""
let state = SEED;
const random = n => (state = Math.imul(state, 1664525) + 1013904223 | 0, (state >>> 8) % n);
const pick = list => list[random(list.length)];
const some = (n, make) => Array.from({length: random(n)}, make);
const log = [];
const say = (...words) => { log.push(words.map(String).join(" ")); };

const PIECES = ["a", "some text", "\"", "\\", "\n\r\t\b\f", "\x01\x0b\x1f", "\x7f\x80\xff", "é", "€",
    "\u2028\u2029", "\ufeff\ufffe\uffff", "😀", "/", "</script>", "x".repeat(300), "0123456", "01234567"];
if (ODD) PIECES.push("\0", "\ud800", "\udc00", "\udfff\ud800", "\ude00\ud83d");
const piece = () => pick(PIECES);
const rope = () => { let s = ""; for (let i = random(40); i >= 0; i--) s += piece().repeat(20); return s; };
const whole = s => ODD ? s : s.toWellFormed();
const string = () => pick([() => some(6, piece).join(""), rope, () => whole(rope().slice(random(50))), piece])();
const bits = () => new Float64Array(new Int32Array([state, random(1 << 24) << 8]).buffer)[0];
const number = () => pick([() => random(100), () => -random(1 << 24), () => random(1000) / 7, bits, bits,
    () => pick([0, -0, NaN, Infinity, -Infinity, 1e21, 1e20, 1e-6, 1e-7, 5e-324, 1.7976931348623157e308,
        2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 53, -(2 ** 53) - 2, 0.1, 123456789.123])])();
const key = () => pick([() => pick(["a", "b", "c", "x-y", "", "0", "7", "12", "4294967294", "4294967295",
    "-1", "01", "1.5", "length", "constructor", "__proto__", "2147483648"]), piece])();
const put = (o, k, d) => Object.defineProperty(o, k, {configurable: true, enumerable: true, ...d});
const data = (o, value) => put(o, key(), {value, writable: true});
const upset = o => pick([
    () => { delete o[key()]; }, () => data(o, "new"), () => { put(o, key(), {enumerable: false}); },
    () => { put(o, "b", {get() { say("new getter"); return 1; }}); }, () => { o.length = random(3); },
    () => { Object.setPrototypeOf(o, {a: "inherited", b: "too"}); }, () => { o[5] = "five"; },
    () => { for (const k of Object.keys(o)) delete o[k]; }, () => { Object.freeze(o); },
    () => { if (Array.isArray(o)) { o.shift(); o.push("pushed"); } }])();
const try_upset = o => { try { upset(o); if (o.length > 50) o.length = 50; } catch { say("could not"); } };
const watched = (o, name) => new Proxy(o, new Proxy({}, {get: (_, trap) => (target, k, ...rest) => {
    say(name, trap, typeof k === "string" ? k : typeof k);
    return Reflect[trap](target, k, ...rest);
}}));
const liar = depth => new Proxy({}, {
    ownKeys: () => { say("ownKeys"); return ["z", "1", Symbol.iterator, "a", "0", "gone"]; },
    getOwnPropertyDescriptor: (_, k) => { say("describe", String(k));
        return k === "gone" ? undefined : {value: 1, configurable: true, enumerable: k !== "a"}; },
    get: (_, k) => { say("get", String(k)); return k === "toJSON" ? undefined : value(depth - 1); }});
const getter = (o, depth) => put(o, key(), {get() { say("get"); if (!random(3)) try_upset(o);
    return value(depth - 1); }});
const replacer = depth => function (k) { say("toJSON", typeof k, k, typeof this);
    if (!random(3) && typeof this === "object") try_upset(this); return value(depth - 1); };
const plain = depth => { const o = {}; some(7, () => data(o, value(depth - 1))); return o; };
const list = depth => some(7, () => value(depth - 1));
class Point { constructor() { this.x = number(); this.y = number(); } get sum() { return 1; } }
class Told extends Point { toJSON(k) { say("told", k); return [this.x, k]; } }
class List extends Array {}

const OBJECTS = [plain, plain, plain, list, list, list,
    depth => { const o = plain(depth); getter(o, depth); data(o, 1); return o; },
    depth => { const a = list(depth); a[random(9)] = 1; return a; },
    depth => { const a = list(depth); if (a.length) put(a, random(a.length), {get: () => value(depth - 1)}); return a; },
    depth => { const o = plain(depth), child = {toJSON() { try_upset(o); return 1; }};
        o.first = child; data(o, value(depth - 1)); o.last = child; some(3, () => data(o, 2)); return o; },
    depth => { const a = [], child = {toJSON() { try_upset(a); return 1; }};
        a.push(value(depth - 1), child, value(depth - 1), child, 4, 5); return a; },
    depth => { const a = list(depth); Object.setPrototypeOf(a, {__proto__: Array.prototype, 2: "below", 8: "b"});
        a.length += 3; return a; },
    depth => { const o = plain(depth); for (const k of some(5, key)) delete o[k]; data(o, 1); return o; },
    depth => { const o = plain(depth); o.toJSON = replacer(depth); return o; },
    depth => { const a = list(depth); a.toJSON = replacer(depth); return a; },
    depth => { const f = () => 1; f.toJSON = replacer(depth); return f; },
    depth => put(plain(depth), "toJSON", {get() { say("get toJSON"); return pick([1, null, replacer(depth)]); }}),
    depth => Object.create(null, Object.getOwnPropertyDescriptors(plain(depth))),
    depth => Object.create({inherited: 1}, Object.getOwnPropertyDescriptors(plain(depth))),
    depth => put(plain(depth), "hidden", {value: 1, enumerable: false}),
    depth => ({...plain(depth), [Symbol("s")]: 1, [Symbol.iterator]: 2}),
    depth => Object.freeze(plain(depth)),
    depth => watched(plain(depth), "object"), depth => watched(list(depth), "array"),
    depth => watched(watched(plain(depth), "inner"), "outer"), () => watched(() => 1, "function"),
    depth => watched(Object.create(watched({toJSON: replacer(depth)}, "prototype")), "object"),
    depth => new Proxy(list(depth), {get: (t, k) => k === "length" ? pick([0, 2, 3.7, "4", -1, NaN, {valueOf() {
        say("valueOf"); return 2; }}]) : t[k]}),
    depth => watched(new Map([[1, 2]]), "map"), liar,
    () => Object(string()), () => Object(number()), () => Object(true), () => Object(Symbol("s")),
    () => Object.assign(Object(1), {valueOf() { say("valueOf"); return 42; }, toString: null}),
    () => Object.assign(Object("s"), {toString() { say("toString"); return "told"; }}),
    () => Object.assign(Object(false), {valueOf() { say("never"); }}),
    () => new Point(), () => new Told(), () => List.from([1, new Told()]), () => new Date(random(1 << 24) * 1e5),
    () => new Date(NaN), () => /x/g, () => new Error("e"), () => new Map([[1, 2]]), () => new Set([1]),
    depth => (function () { return arguments; })(1, value(depth - 1)), () => Promise.resolve(1),
    () => new (pick([Uint8Array, Int8Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array,
        Uint8ClampedArray]))([1, 2.5, -3]), () => new ArrayBuffer(8), () => new DataView(new ArrayBuffer(8)),
    () => Object.assign(new Uint8Array(2), {more: 1}), () => watched(new Uint8Array(2), "bytes"),
    () => JSON.rawJSON(pick(["1e400", "-0", "12345678901234567890", '"r\\u0041w é"', "null", "true", '"\\ud83d\\ude00"'])),
    depth => { const o = plain(depth - 1); return [o, o, {o}]; },
    () => Object.fromEntries(some(200, (_, i) => ["k" + i * 7 % 200, i])), () => new Array(random(20)),
    () => globalThis.Math, () => mcp, () => mcp.a];
const value = depth => depth > 0 && random(3) ? pick(OBJECTS)(depth) : pick([number, number, string, string,
    () => true, () => false, () => null, () => undefined, () => Symbol("s"), () => () => 1])();

BigInt.prototype.toJSON = function (k) { say("BigInt", k, typeof this); return "big"; };
if (SEED % 2) for (const C of [String, Number, Boolean, Symbol])
    C.prototype.toJSON = function (k) { say(typeof this, k); return this.valueOf(); };
const values = Array.from({length: 3000}, () => value(4));
values.push(1n, [2n], {a: Object(3n)}, new BigInt64Array(2), {toJSON: () => log});
"""


def generated(seed, odd, end):
    """Code that generates values. |odd|: also lone surrogates and NUL, which the host refuses in args."""
    return GENERATOR.replace("SEED", str(seed)).replace("ODD", str(odd).lower()) + end


def with_halves_replaced(text):
    """Replaces lone surrogates, the only characters that JSON.stringify writes as \\ud…."""
    pair = r"\\ud83d\\ude00"  # an escaped pair comes from JSON.rawJSON only
    return re.sub(pair + r"|\\(u[0-9a-f]{4}|.)",
                  lambda m: "\ufffd" if m[0].startswith("\\ud") and len(m[0]) == 6 else m[0], text)


@each({f"seed {seed}": seed for seed in range(1, 9 if TORTURE else 4)})
def generated_values_cross_as_json_stringify_has_them(seed):
    wanted = value_of(generated(seed, True, "return JSON.stringify(values)"))
    done = caprun("exec", "-", code=generated(seed, True, "return values"))
    equal(done.status, 0, done.err[:500])
    got, wanted = done.out, with_halves_replaced(wanted) + "\n"
    between(len(wanted), 100_000, 16 << 20, "bytes")
    at = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
    equal(got[max(at - 100, 0):at + 60], wanted[max(at - 100, 0):at + 60], f"text at {at}")
    equal(len(got), len(wanted))


@test
def generated_args_pass_the_strict_scanner():
    message = value_of(generated(9, False, "return mcp.a.b({values}).catch(e => e.message)"))
    contains(message, "No target")


TO_JSON_OF_PRIMITIVES = """for (const C of [String, Number, Boolean, Symbol]) C.prototype.toJSON = () => "asked";
"""


@test
def primitives_are_not_asked_for_tojson_but_their_objects_are():
    equal(value_of(TO_JSON_OF_PRIMITIVES + "return ['s', 1, true, Symbol(), Object('s'), Object(1), Object(false)]"),
          ["s", 1, True, None, "asked", "asked", "asked"])


@test
def nothing_that_was_replaced_is_called():
    code = """
        let called = 0;
        const spy = () => { called++; throw new Error("called"); };
        const value = {a: [1, {b: "x"}], d: new Date(0), n: Object(1.5), set: new Set()};
        JSON.stringify = JSON.parse = JSON.rawJSON = spy;
        Object.keys = Object.entries = Reflect.ownKeys = Reflect.get = Array.isArray = spy;
        for (const C of [Array, Object, String, Map, Set, WeakMap, Promise])
            for (const k of Object.getOwnPropertyNames(C.prototype))
                if (k !== "constructor" && Object.getOwnPropertyDescriptor(C.prototype, k).value)
                    Object.defineProperty(C.prototype, k, {value: spy});
        for (const o of [Array, Object, String])
            Object.defineProperty(o.prototype, Symbol.iterator, {value: spy});
        Object.defineProperty(Object.prototype, "id", {set: spy, get: spy});
        const count = {};
        Object.defineProperty(count, "called", {enumerable: true, get: () => called});
        value.count = count;
        return value"""
    equal(value_of(code), {"a": [1, {"b": "x"}], "d": "1970-01-01T00:00:00.000Z", "n": 1.5, "set": {},
                           "count": {"called": 0}})


# name: (an expression, its text)
ATTACKS = {
    "a getter that changes its answer": ("(n => ({get a() { return n++ }, get b() { return n }}))(0)", '{"a":0,"b":1}'),
    "a proxy that changes its answer": (
        "new Proxy({a: 0}, {n: 0, get(t, k) { return k === 'a' ? ++this.n : undefined }})", '{"a":1}'),
    "a length that grows": ("(a => (a.push({toJSON() { a.push(2); return 1 }}), a))([])", "[1]"),
    "a list that ends early": ("(a => (a.push({toJSON() { a.length = 0; return 1 }}, 2, 3), a))([])", "[1,null,null]"),
    "a key that goes": ("(o => (o.a = {toJSON() { delete o.b; o.c = 3; return 1 }}, o.b = 2, o))({})", '{"a":1}'),
    "a key that comes back inherited": (
        "(o => (o.a = {toJSON() { delete o.b; o.__proto__ = {b: 3}; return 1 }}, o.b = 2, o))({})", '{"a":1,"b":3}'),
    "a value that is freed": (
        "(o => (o.a = {x: {toJSON() { o.a = o.b = null; return 1 }}, y: ['y'.repeat(3)]}, o.b = [2], o))({})",
        '{"a":{"x":1,"y":["yyy"]},"b":null}'),
    "toJSON that calls": ("{a: {toJSON() { mcp.a.b({x: this}).catch(() => 0); return 1 }}}", '{"a":1}'),
    "numbers": ("[NaN, Infinity, -Infinity, -0, 2 ** 53 + 2, 1e21, 1e-7]",
                "[null,null,null,0,9007199254740994,1e+21,1e-7]"),
    "Dates": ("[new Date(0), new Date(NaN)]", '["1970-01-01T00:00:00.000Z",null]'),
    "Maps and Sets": ("[new Map([[1, 2]]), new Set([1])]", "[{},{}]"),
    "sparse arrays": ("[, 1, , undefined]", "[null,1,null,null]"),
    "symbols and functions": ("{a: Symbol(), b() {}, [Symbol()]: 1, c: [Symbol(), () => 1]}", '{"c":[null,null]}'),
    "NUL": (r"{'\0': '\0'}", r'{"\u0000":"\u0000"}'),
    "names with a meaning": ("{['__proto__']: 1, then: 2, constructor: 3, hasOwnProperty: 4}",
                             '{"__proto__":1,"then":2,"constructor":3,"hasOwnProperty":4}'),
    "a polluted prototype": (
        "(Object.prototype.toJSON = function () { return Array.isArray(this) ? this : 'polluted' }, [{a: 1}, [1]])",
        '[{"a":1},[1]]'),
    "indexes on a prototype": ("(Array.prototype[1] = 'below', [1, , 3])", '[1,"below",3]'),
}


@each(ATTACKS)
def hostile_values_are_read_once_and_by_the_book(case):
    expression, text = case
    done = caprun("exec", "-", code=f"return ({expression})")
    equal(done.out, text + "\n")
    assert not done.err or done.err.startswith("[unhandled] "), done.err


# --- errors for values without JSON ------------------------------------------------------------

# name: (an expression, the message; ROOT stands for "result" or "args")
WRONG = {
    "a BigInt": ("1n", "a BigInt has no JSON, at ROOT"),
    "a BigInt within": ("{items: [0, 1, 2, {id: 3n}]}", "a BigInt has no JSON, at ROOT.items[3].id"),
    "a large BigInt": ("[2n ** 200n]", "a BigInt has no JSON, at ROOT[0]"),
    "a boxed BigInt": ("{a: Object(1n)}", "a BigInt has no JSON, at ROOT.a"),
    "a BigInt from toJSON": ("{a: {toJSON: () => 1n}}", "a BigInt has no JSON, at ROOT.a"),
    "a typed array of BigInts": ("{a: new BigInt64Array(1)}", "a BigInt has no JSON, at ROOT.a[0]"),
    "keys that are no names": (
        r"{'x-y': {'': {'1a': {'a\"\n': {'ä': {$_9: 1n}}}}}}",
        r'a BigInt has no JSON, at ROOT["x-y"][""]["1a"]["a\"\n"]["ä"].$_9'),
    "keys that are numbers": ("{5: {'-1': {4294967295: 1n}}}",
                              'a BigInt has no JSON, at ROOT[5]["-1"]["4294967295"]'),
    "a key with half a pair": (r"{a: {'\udc00': {b: [1n]}}}", None),
    "a cycle": ("(() => { const o = {a: {}}; o.a.b = o.a; return o })()",
                "a cycle has no JSON, at ROOT.a.b (it is ROOT.a again)"),
    "a cycle through the root": ("(() => { const o = {a: [1, {}]}; o.a[1].x = o; return o })()",
                                 "a cycle has no JSON, at ROOT.a[1].x (it is ROOT again)"),
    "a cycle of arrays": ("(() => { const a = []; a[0] = [[a]]; return a })()",
                          "a cycle has no JSON, at ROOT[0][0][0] (it is ROOT again)"),
    "a cycle through toJSON": ("(() => { const o = {a: {toJSON: () => o}}; return o })()",
                               "a cycle has no JSON, at ROOT.a (it is ROOT again)"),
    "a cycle of a proxy": ("(() => { const t = {}, p = new Proxy(t, {}); t.p = p; return p })()",
                           "a cycle has no JSON, at ROOT.p (it is ROOT again)"),
    "a deep path": ("(() => { let o = 1n; for (let i = 0; i < 30; i++) o = {['k' + i]: o}; return o })()",
                    "a BigInt has no JSON, at ROOT.k29.k28.k27.k26.k25.k24.k23.k22…"
                    ".k7.k6.k5.k4.k3.k2.k1.k0"),
    "a long key": ("{['k'.repeat(1e6)]: {[' '.repeat(1e6)]: 1n}}",
                   f"a BigInt has no JSON, at ROOT.{'k' * 40}…[\"{' ' * 40}…\"]"),
    "a function": ("() => 1", "a function has no JSON"),
    "a symbol": ("Symbol('x')", "a symbol has no JSON"),
    "a proxy of a function": ("new Proxy(() => 1, {})", "a function has no JSON"),
    "a function from toJSON": ("{toJSON: () => () => 1}", "a function has no JSON"),
    "a revoked proxy": ("(() => { const p = Proxy.revocable([], {}); p.revoke(); return [p.proxy] })()", "revoked"),
    "a getter that throws": ("{get a() { throw new TypeError('mine') }}", "mine"),
    "a toJSON that throws": ("[{toJSON() { throw new TypeError('mine') }}]", "mine"),
    "a trap that throws": ("new Proxy({}, {ownKeys() { throw new TypeError('mine') }})", "mine"),
    "a trap that lies": ("new Proxy({}, {ownKeys: () => ['a', 'a']})", "duplicate property"),
    "a length that throws": ("new Proxy([], {get(t, k) { if (k === 'length') throw new TypeError('mine') }})", "mine"),
}


def args_error(expression, *options):
    """[name, message, code] of the error that rejects a call with these args."""
    code = f"return mcp.a.b({expression}).then(() => 'sent', e => [e.name, e.message, e.code])"
    return value_of(code, *options)


@each(WRONG)
def a_result_that_is_no_json_is_told_with_its_path(case):
    expression, words = case
    status, kind, code, message = failure_of(f"return ({expression})")
    equal((status, kind, code), (1, "RuntimeError", "CODE_ERROR"))
    words = words if words is not None else 'a BigInt has no JSON, at ROOT.a["\ufffd"].b[0]'
    contains(message, words.replace("ROOT", "result"))


@each(WRONG)
def args_that_are_no_json_reject_with_their_path(case):
    expression, words = case
    name, message, code = args_error(expression)
    equal((name, code), ("TypeError", None))
    words = words if words is not None else 'half of a surrogate pair has no UTF-8, at ROOT.a["\ufffd"]'
    contains(message, words.replace("ROOT", "args"))


# name: (an expression, the path in args, the value in a result)
HALVES = {
    "alone": (r"'\ud800'", "args", "\ufffd"),
    "in a value": (r"{a: ['x', 'y\udc00z']}", "args.a[1]", {"a": ["x", "y\ufffdz"]}),
    "in a key": (r"{a: {'x\ud800': 1}}", 'args.a["x\ufffd"]', {"a": {"x\ufffd": 1}}),
    "in the wrong order": (r"['\ude00\ud83d']", "args[0]", ["\ufffd\ufffd"]),
    "before a whole pair": (r"['\ud83d\ud83d\ude00']", "args[0]", ["\ufffd\U0001f600"]),
    "boxed": (r"{a: Object('\ud800')}", "args.a", {"a": "\ufffd"}),
    "in a rope": (r"[('x'.repeat(9000) + '\ud800' + 'y'.repeat(9000)).slice(8999, 9002)]", "args[0]",
                  ["x\ufffdy"]),
    "raw": (r"""[JSON.rawJSON('"\ud800"')]""", "args[0]", ["\ufffd"]),
    "raw and escaped": (r"""[JSON.rawJSON('"a\\ud800\\\\ud800"')]""", "args[0]", ["a\ufffd\\ud800"]),
    "from toJSON": (r"{a: {toJSON: () => '\ud800'}}", "args.a", {"a": "\ufffd"}),
}


@each(HALVES)
def half_a_surrogate_pair_is_told_in_args_and_replaced_in_results(case):
    expression, path, result = case
    equal(args_error(expression), ["TypeError", f"half of a surrogate pair has no UTF-8, at {path}", None])
    equal(value_of(f"return ({expression})"), result)


@each({"a pair": r"'\ud83d\ude00'", "a raw pair": r"""[JSON.rawJSON('"\\ud83d\\ude00"')]""",
       "half raw, half escaped": r"""[JSON.rawJSON('"\\ud83d\ude00"')]""",
       "what looks like an escape": r"'\\ud800'", "U+FFFD itself": r"'\ufffd'"})
def whole_surrogate_pairs_may_be_sent(expression):
    contains(args_error(f"[{expression}]")[1], "No target")


@test
def a_path_shows_the_keys_from_before_a_getter_ran():
    """A path consists of keys only, as they were when the object was read."""
    code = "const o = {a: {get b() { delete o.a; return 1n }}}; return o"
    contains(failure_of(code)[3], "a BigInt has no JSON, at result.a.b")


@each({"a result": ("return {toJSON() {}}", None), "no args": ("return mcp.a.b().catch(e => e.code)", "RPC_ERROR"),
       "args": ("return mcp.a.b({toJSON() {}}).catch(e => e.code)", "RPC_ERROR")})
def undefined_has_a_text_at_the_root(case):
    code, result = case
    equal(value_of(code), result)


# --- sizes -----------------------------------------------------------------------------------

NEST = "let o = OPEN; for (let i = 0; i < 1e5; i++) o = WRAP; return "


@each({"objects": ("1", "{o}"), "arrays": ("1", "[o]"), "toJSON": ("1", "(p => ({toJSON: () => [p]}))(o)"),
       "proxies": ("{}", "new Proxy({o}, {})")})
def depth_is_a_range_error(case):
    nest = NEST.replace("OPEN", case[0]).replace("WRAP", case[1])
    contains(failure_of(nest + "o")[3], "call stack size exceeded")
    equal(value_of(nest + "mcp.a.b(o).catch(e => e.name)"), "RangeError")
    equal(value_of(nest + "mcp.a.b(o).catch(() => 0).then(() => mcp.a.b([[1]])).catch(e => e.code)"), "RPC_ERROR")


MOST = 16 << 20

# expressions whose text has 16 MiB for the given N
BRIMS = {
    "plain text": ("'x'.repeat(N)", MOST - 2),
    "text that grows": (r"'\x01'.repeat(N) + 'x'.repeat(8)", (MOST - 10) // 6),
    "wide text": (r"'€'.repeat(N) + 'x'.repeat(2)", (MOST - 4) // 3),
    "a rope": ("['x'.repeat(N / 2) + 'x'.repeat(N / 2)]", MOST - 4),
    "numbers": ("[...Array(N).fill(1), 'x']", (MOST - 5) // 2),
}


@each(BRIMS)
def a_result_is_up_to_16_mib(case):
    expression, n = case
    done = caprun("exec", "-", code=f"const N = {n}; return {expression}")
    equal((done.status, done.err), (0, ""))
    between(len(done.out.encode()) - 1, MOST - 1, MOST, "bytes")
    status, _, code, message = failure_of(f"const N = {n + 2}; return {expression}")
    equal((status, code, message), (5, "OUTPUT_LIMIT", "The result is over 16 MiB"))


@each(BRIMS)
def args_are_up_to_16_mib(case):
    expression, n = case
    ask = "return mcp.a.b(EXPRESSION).catch(e => [e.name, e.message])".replace("EXPRESSION", expression)
    contains(value_of(f"const N = {n}; {ask}")[1], "No target")
    equal(value_of(f"const N = {n + 2}; {ask}"), ["RangeError", "the args of a call are over 16 MiB"])


@each({
    "many times the same": "const s = 'x'.repeat(1e6); return Array(1e5).fill(s)",
    "doubling": "let o = 'x'; for (let i = 0; i < 100; i++) o = [o, o]; return o",
    "a length without end": "return new Proxy([], {get: (t, k) => k === 'length' ? 2 ** 53 : t[k]})",
    "an empty array without end": "const a = []; a.length = 2 ** 32 - 1; return a",
    "50 MB of text": "return 'x'.repeat(5e7)",
    "a rope without end": "let s = 'x'.repeat(4096); for (let i = 0; i < 17; i++) s += s; return s",
    "raw text": "return JSON.rawJSON('\"' + 'x'.repeat(2e7) + '\"')",
})
def text_without_end_stops_at_the_ceiling(code):
    contains(failure_of(code, "--memory", "256m", "--timeout", f"{stretched(20):.0f}s")[3], "16 MiB")
    call = code.replace("return ", "return mcp.a.b(") + ").catch(e => e.name)"
    equal(value_of(call, "--memory", "256m", "--timeout", f"{stretched(20):.0f}s"), "RangeError")


@test
def a_thrown_object_over_the_ceiling_is_told_by_its_beginning():
    message = failure_of("throw {a: Array(1e7).fill('abc')}")[3]
    contains(message, '{"a":["abc","abc",')
    rope = "const a = 'x'.repeat(1e7); throw {toJSON: () => a + a}"
    equal(failure_of(rope)[3], '"')


@each({"a BigInt": "[text, 1n]", "a cycle": "(a => (a.push(text, {a}), a))([])", "half a pair": r"[text, '€\ud800']",
       "an exception": "[text, {get a() { throw 1 }}]", "too much": "Array(20).fill(text)"})
def a_call_that_could_not_be_sent_takes_no_memory(expression):
    code = f"""
        const text = 'x'.repeat(1e6);
        for (let i = 0; i < 200; i++) await mcp.a.b({expression}).then(() => {{ throw 1 }}, () => 0);
        return 'done'"""
    equal(value_of(code, "--memory", "64m"), "done")


@test
def a_million_keys_cross():
    code = "const o = {}; for (let i = 0; i < 1e6; i++) o['k' + i] = 1; return o"
    equal(caprun("exec", "-", code=code).out.count(":"), 10**6)


@test
def an_encoder_within_an_encoder_is_no_cycle():
    code = """
        const seen = [], o = {a: {toJSON() { seen.push(mcp.a.b(o.b).catch(e => e.code)); return 1 }}, b: [{}]};
        o.c = o.b;
        const text = await mcp.a.b(o).catch(e => e.code);
        return [text, await Promise.all(seen)]"""
    equal(value_of(code), ["RPC_ERROR", ["RPC_ERROR"]])


@test
def writing_that_takes_too_long_is_late():
    code = """
        const o = {}; for (let i = 0; i < 1e5; i++) o['k' + i] = undefined;
        return Array(1e6).fill(o)"""
    envelope = run_json(code, "--timeout", "1s")
    equal(envelope["error"]["code"], "EXECUTION_TIMEOUT", str(envelope["error"]))


main()
