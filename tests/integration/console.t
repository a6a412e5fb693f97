#!/usr/bin/env python3
"""console.t - console as developers know it: the text of values, the methods, and hostile arguments.

The expected texts in LOGGED and CALLED are exactly those of Node 20, except for assertions, timers
and warnings.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import between, contains, each, equal, main, run_json, stretched, test

LOGGED = {
    r"""'a', 1, true, null, undefined""": r"""a 1 true null undefined""",
    r"""-0, [-0], 1.5, NaN, 1n, [1n], Symbol('s'), [Symbol()]""":
        r"""-0 [ -0 ] 1.5 NaN 1n [ 1n ] Symbol(s) [ Symbol() ]""",
    r"""[1, 2, 3], [], {}, { a: 1, 'b-c': 2, 3: 4, '': 5 }""":
        r"""[ 1, 2, 3 ] [] {} { '3': 4, a: 1, 'b-c': 2, '': 5 }""",
    r"""{ ['__proto__']: 1, [Symbol('a')]: 1 }""": r"""{ ['__proto__']: 1, [Symbol(a)]: 1 }""",
    r"""['a\nb', "it's", 'it\'s "q"', '`\'"', '\x1b\x7f\\']""":
        r"""[ 'a\nb', "it's", `it's "q"`, '`\'"', '\x1B\x7F\\' ]""",
    r"""{ text: 'one\n'.repeat(2) + 'x'.repeat(80), short: 'a\nb' }""":
        r"""{
  text: 'one\n' +
    'one\n' +
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  short: 'a\nb'
}""",
    r"""Object.setPrototypeOf(class B {}, null), new (class N extends Number {})(1), Object.setPrototypeOf(new String('s'), null)""":
        r"""[class B extends [null prototype]] [Number (N): 1] [String (null prototype): 's']""",
    r"""'%j', { a: Object('s'), b: Object(true), c() {}, d: undefined, e: [undefined, () => 1] }""":
        r"""{"a":"s","b":true,"e":[null,null]}""",
    r"""'%j %j', undefined, () => 1""":
        r"""undefined undefined""",
    r"""[, 'a', , ], [1, , , 2], new Array(5), [undefined, null]""":
        r"""[ <1 empty item>, 'a', <1 empty item> ] [ 1, <2 empty items>, 2 ] [ <5 empty items> ] [ undefined, null ]""",
    r"""Object.assign([1, 2], { x: 1 }), Object.assign(new Array(2**32 - 1), { 5: 1, 7: 2 })""":
        r"""[ 1, 2, x: 1 ] [ <5 empty items>, 1, <1 empty item>, 2, <4294967287 empty items> ]""",
    r"""{ a: { b: { c: { d: 1 } } } }, [[[[1]]]], { a: { b: { c: {}, d: [] } } }""":
        r"""{ a: { b: { c: [Object] } } } [ [ [ [Array] ] ] ] { a: { b: { c: {}, d: [] } } }""",
    r"""{ a: { b: { c: new (class Foo { x = 1 }), d: new Map([[1, 2]]) } } }""":
        r"""{ a: { b: { c: [Foo], d: [Map] } } }""",
    r"""new (class Foo { x = 1 }), new (class Foo {}), new (class extends Array {})(3)""":
        r"""Foo { x: 1 } Foo {} [ <3 empty items> ]""",
    r"""Object.create(null), Object.assign(Object.create(null), { a: 1 }), Object.create({ a: 1 })""":
        r"""[Object: null prototype] {} [Object: null prototype] { a: 1 } {}""",
    r"""class A {}, class B extends Map {}, class {}, [class C { static x = 1 }]""":
        r"""[class A] [class B extends Map] [class (anonymous)] [ [class C] { x: 1 } ]""",
    r"""function f() {}, () => 1, async function g() {}, function* h() {}, async function* i() {}, Math.max""":
        r"""[Function: f] [Function (anonymous)] [AsyncFunction: g] [GeneratorFunction: h] [AsyncGeneratorFunction: i] [Function: max]""",
    r"""Object.assign(function f() {}, { a: 1 }), { m() {}, async n() {} }""":
        r"""[Function: f] { a: 1 } { m: [Function: m], n: [AsyncFunction: n] }""",
    r"""new Map([['a', 1], [{ b: 2 }, [3]]]), new Set(['x', { y: 1 }]), new Map(), new Set()""":
        r"""Map(2) { 'a' => 1, { b: 2 } => [ 3 ] } Set(2) { 'x', { y: 1 } } Map(0) {} Set(0) {}""",
    r"""new Map([['a', 1]]).entries(), new Map([['a', 1]]).keys(), new Map([['a', 1]]).values(), new Set([1]).values()""":
        r"""[Map Entries] { [ 'a', 1 ] } [Map Iterator] { 'a' } [Map Iterator] { 1 } [Set Iterator] { 1 }""",
    r"""new Date(0), [new Date(NaN)], /x\/[/]/gi, Object.assign(/x/, { a: 1 })""":
        r"""1970-01-01T00:00:00.000Z [ Invalid Date ] /x\/[/]/gi /x/ { a: 1 }""",
    r"""Promise.resolve({ a: 1 }), new Promise(() => 0), [Promise.resolve()]""":
        r"""Promise { { a: 1 } } Promise { <pending> } [ Promise { undefined } ]""",
    r"""new Number(-0), new String('x'), Object(1n), Object(Symbol('q')), new Boolean(false), Object.assign(new String('ab'), { z: 1 })""":
        r"""[Number: -0] [String: 'x'] [BigInt: 1n] [Symbol: Symbol(q)] [Boolean: false] [String: 'ab'] { z: 1 }""",
    r"""new Uint8Array([1, 2, 3]), new Float64Array(0), new (class X extends Uint8Array {})(2)""":
        r"""Uint8Array(3) [ 1, 2, 3 ] Float64Array(0) [] X(2) [Uint8Array] [ 0, 0 ]""",
    r"""new ArrayBuffer(2), new DataView(new ArrayBuffer(3), 1)""":
r"""ArrayBuffer { [Uint8Contents]: <00 00>, byteLength: 2 } DataView {
  byteLength: 2,
  byteOffset: 1,
  buffer: ArrayBuffer { [Uint8Contents]: <00 00 00>, byteLength: 3 }
}""",
    r"""{ get a() { throw 1 }, set b(x) {}, get c() { throw 1 }, set c(x) {} }""":
        r"""{ a: [Getter], b: [Setter], c: [Getter/Setter] }""",
    r"""new Proxy({ a: 1 }, {}), new Proxy([1], {}), new Proxy(function f() {}, {})""":
        r"""{ a: 1 } [ 1 ] [Function: f]""",
    r"""(() => { const o = { a: {} }; o.o = o; o.a.a = o.a; return [o] })()""":
        r"""[ <ref *2> { a: <ref *1> { a: [Circular *1] }, o: [Circular *2] } ]""",
    r"""(() => { const m = new Map(); m.set('m', m); return m })()""":
        r"""<ref *1> Map(1) { 'm' => [Circular *1] }""",
    r"""(function* () {})(), (async function* () {})(), Math, JSON""":
        r"""Object [Generator] {} Object [AsyncGenerator] {} Object [Math] {} Object [JSON] {}""",
    r"""(function () { return arguments })(1, 'a'), new WeakMap(), new WeakSet()""":
        r"""[Arguments] { '0': 1, '1': 'a' } WeakMap { <items unknown> } WeakSet { <items unknown> }""",
    r"""(() => { class W {} W.prototype[Symbol.toStringTag] = 'w'; return [new W(), { [Symbol.toStringTag]: 'T' }] })()""":
        r"""[ W [w] {}, { [Symbol(Symbol.toStringTag)]: 'T' } ]""",
    r"""{ a: 'x'.repeat(30), b: 'y'.repeat(33) }, { a: 'x'.repeat(30), b: 'y'.repeat(34) }""":
r"""{
  a: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  b: 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'
} {
  a: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  b: 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'
}""",
    r"""{ a: { b: { c: {} } }, d: 1 }, [{ a: { b: { c: 1 } } }]""":
        r"""{ a: { b: { c: {} } }, d: 1 } [ { a: { b: [Object] } } ]""",
    r"""Array.from({ length: 7 }, (_, i) => i)""":
r"""[
  0, 1, 2, 3,
  4, 5, 6
]""",
    r"""Array.from({ length: 101 }, (_, i) => i)""":
r"""[
   0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11,
  12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
  24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,
  36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
  48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59,
  60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71,
  72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83,
  84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95,
  96, 97, 98, 99,
  ... 1 more item
]""",
    r"""['a', 'bb', 'ccc', 'dddd', 'e', 'f', 'g', 'h']""":
r"""[
  'a',   'bb',
  'ccc', 'dddd',
  'e',   'f',
  'g',   'h'
]""",
    r"""new Set(Array.from({ length: 102 }, (_, i) => i)).size, [{ a: 1, b: 2 }, { a: 3, b: 4 }]""":
        r"""102 [ { a: 1, b: 2 }, { a: 3, b: 4 } ]""",
    r"""{ text: 'line one is long\nline two is longer\nline three is the longest of them all\n' }""":
r"""{
  text: 'line one is long\nline two is longer\nline three is the longest of them all\n'
}""",
    r"""(e => { e.stack = 'Error: a'; e.code = 4; return [e] })(new Error('a'))""":
        r"""[ [Error: a] { code: 4 } ]""",
    r"""new URLSearchParams('q=1&r=%20x&q=2'), new URLSearchParams(), [new URLSearchParams('?a')]""":
        r"""URLSearchParams { 'q' => '1', 'r' => ' x', 'q' => '2' } URLSearchParams {} [ URLSearchParams { 'a' => '' } ]""",
    r"""new (class { #impl = { _url: 1, _list: 2 }; x = 1 }), new (class Foo { #impl = 1 })""": r"""{ x: 1 } Foo {}""",
    r"""'%s|%s|%s|%s', 1, -0, { a: { b: 1 } }, Symbol('a'), 'rest', { a: 1 }""":
        r"""1|-0|{ a: [Object] }|Symbol(a) rest { a: 1 }""",
    r"""'%d|%d|%i|%f|%d|%i', '42', {}, '42.9px', '1.5x', 3n, 'abc'""": r"""42|NaN|42|1.5|3n|NaN""",
    r"""'%j|%O|%c|%%|%x|%', { a: [1, undefined], b: undefined }, { a: { b: { c: { d: 1 } } } }, 'css', 5""":
        r"""{"a":[1,null]}|{ a: { b: { c: [Object] } } }||%|%x|% 5""",
    r"""'%s %s', 'a'""": r"""a %s""",
    r"""'100%', 1""": r"""100% 1""",
    r"""'%s'""": r"""%s""",
    r"""'%%'""": r"""%%""",
    r"""1, '%s', 'a'""": r"""1 %s a""",
    r"""'漢字 😀', ['漢字 😀'], { 'é': 1 }""": r"""漢字 😀 [ '漢字 😀' ] { 'é': 1 }""",
}

CALLED = {
    r"""console.table([{a: 1, b: 'x'}, {a: 2, c: {d: 1}}])""":
r"""┌─────────┬───┬─────┬──────────┐
│ (index) │ a │ b   │ c        │
├─────────┼───┼─────┼──────────┤
│ 0       │ 1 │ 'x' │          │
│ 1       │ 2 │     │ { d: 1 } │
└─────────┴───┴─────┴──────────┘""",
    r"""console.table([[1, 2], [3, 4, 5]])""":
r"""┌─────────┬───┬───┬───┐
│ (index) │ 0 │ 1 │ 2 │
├─────────┼───┼───┼───┤
│ 0       │ 1 │ 2 │   │
│ 1       │ 3 │ 4 │ 5 │
└─────────┴───┴───┴───┘""",
    r"""console.table({x: {a: 1}, y: {a: 2}})""":
r"""┌─────────┬───┐
│ (index) │ a │
├─────────┼───┤
│ x       │ 1 │
│ y       │ 2 │
└─────────┴───┘""",
    r"""console.table(new Map([['k', {v: 1}], ['l', 2]]))""":
r"""┌───────────────────┬─────┬──────────┐
│ (iteration index) │ Key │ Values   │
├───────────────────┼─────┼──────────┤
│ 0                 │ 'k' │ { v: 1 } │
│ 1                 │ 'l' │ 2        │
└───────────────────┴─────┴──────────┘""",
    r"""console.table(new Set([1, 'b']))""":
r"""┌───────────────────┬────────┐
│ (iteration index) │ Values │
├───────────────────┼────────┤
│ 0                 │ 1      │
│ 1                 │ 'b'    │
└───────────────────┴────────┘""",
    r"""console.table([1, {a: 2}, null])""":
r"""┌─────────┬───┬────────┐
│ (index) │ a │ Values │
├─────────┼───┼────────┤
│ 0       │   │ 1      │
│ 1       │ 2 │        │
│ 2       │   │ null   │
└─────────┴───┴────────┘""",
    r"""console.table([{a: 1, b: 2}, 3], ['b', 'z'])""":
r"""┌─────────┬───┬───┐
│ (index) │ b │ z │
├─────────┼───┼───┤
│ 0       │ 2 │   │
│ 1       │   │   │
└─────────┴───┴───┘""",
    r"""console.table({get a() { throw 1 }, get b() { throw 1 }})""":
r"""┌─────────┬──────────┐
│ (index) │ Values   │
├─────────┼──────────┤
│ a       │ [Getter] │
│ b       │ [Getter] │
└─────────┴──────────┘""",
    r"""console.table([{get a() { throw 1 }}])""":
r"""┌─────────┬──────────┐
│ (index) │ a        │
├─────────┼──────────┤
│ 0       │ [Getter] │
└─────────┴──────────┘""",
    r"""console.table(5)""": r"""5""",
    r"""console.table([])""":
r"""┌─────────┐
│ (index) │
├─────────┤
└─────────┘""",
    r"""console.group('g', 1); console.log('a\nb'); console.log({a: 'x'.repeat(40), b: 'y'.repeat(40)}); console.groupCollapsed(); console.log('deep'); console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log('out')""":
r"""g 1
  a
  b
  {
    a: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    b: 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'
  }
    deep
out""",
    r"""console.count(); console.count('x'); console.count(); console.countReset(); console.count(); console.count(5)""":
r"""default: 1
x: 1
default: 2
default: 1
5: 1""",
    r"""console.dir({a: {b: {c: {d: {}}}}}); console.dir({a: {b: 1}}, {depth: 0}); console.dir({a: {b: {c: {d: {e: 1}}}}}, {depth: null}); console.dir('s')""":
r"""{ a: { b: { c: [Object] } } }
{ a: [Object] }
{
  a: {
    b: { c: { d: { e: 1 } } }
  }
}
's'""",
    r"""console.dirxml({a: 1}, [2]); const {log} = console; log('detached', 1); console.log(); console.info('%s', 1); console.debug('x')""":
r"""{ a: 1 } [ 2 ]
detached 1

1
x""",
    r"""console.assert(true, 'no'); console.assert(false); console.assert(false, 'a %s', 'b', {c: 1}); console.assert()""":
r"""Assertion failed
Assertion failed: a b { c: 1 }
Assertion failed""",
    r"""console.time('t'); console.timeLog('t', {a: 1}); console.timeEnd('t'); console.timeEnd('t'); console.timeLog()""":
r"""t: 0ms { a: 1 }
t: 0ms
No such label 't' for console.timeEnd()
No such label 'default' for console.timeLog()""",
    r"""console.time(); console.time(); console.countReset('z'); console.count({a: 1}); console.count(Symbol('s'))""":
r"""Label 'default' already exists for console.time()
Count for 'z' does not exist
{ a: 1 }: 1
Symbol(s): 1""",
}


@each({code: (code, text) for code, text in LOGGED.items()})
def a_value_is_shown_as_node_shows_it(case):
    code, text = case
    equal("\n".join(run_json(f"console.log({code})")["logs"]), text)


@each({code: (code, text) for code, text in CALLED.items()})
def a_method_writes(case):
    code, text = case
    equal("\n".join(run_json(code)["logs"]), text)


# --- errors ----------------------------------------------------------------------------------

AT = "    at <anonymous> (cap:"
ERRORS = {
    "new RangeError('bad')": ["RangeError: bad", AT],
    "[new Error('in a list')]": ["[", "  Error: in a list", "  " + AT, "]"],
    "new (class HttpError extends Error {})('x')": ["HttpError: x", "    at HttpError (cap:", AT],
    "new (class Other extends Error {})('x')": ["Other [Error]: x", "    at Other (cap:", AT],
    "Object.assign(new Error('x'), {code: 'E', name: 'Mine'})": ["Mine: x", AT, "  code: 'E'", "}"],
    "new Error('x', {cause: 5})": ["Error: x", AT, "  [cause]: 5", "}"],
    "new AggregateError([1, {a: 2}], 'both')": ["AggregateError: both", AT, "  [errors]: [ 1, { a: 2 } ]", "}"],
    "Promise.reject(new Error('x'))": ["Promise {", "  <rejected> Error: x", "  " + AT, "}"],
    "Object.defineProperty(new Error('x'), 'name', {get() { throw 1 }})": ["Error: x", AT],
    "Object.setPrototypeOf(new Error('x'), null)": ["Error: x", AT],
    "new DOMException('stopped', 'AbortError')": ["DOMException [AbortError]: stopped", AT],
    "[new DOMException()]": ["[", "  DOMException [Error]", "  " + AT, "]"],
    "new DOMException('x', 'Foo')": ["Foo: x", AT],
    "AbortSignal.abort().reason": ["DOMException [AbortError]: This operation was aborted", AT],
    "structuredClone(new RangeError('r'))": ["RangeError: r", AT],
    "[structuredClone(new RangeError('r'))]": ["[", "  RangeError: r", "  " + AT, "]"],
    "given('    at f (x:1:1)')": ["Error: m", "    at f (x:1:1)"],
    "given('Error: m\\n    at f (x:1:1)')": ["Error: m", "    at f (x:1:1)"],
    "given('other\\n    at f (x:1:1)')": ["other", "    at f (x:1:1)"],
    "given('other')": ["[other]"],
}


@each({code: (code, lines) for code, lines in ERRORS.items()})
def an_error_is_shown_with_its_stack(case):
    code, lines = case
    given = "const given = stack => Object.defineProperty(new Error('m'), 'stack', {value: stack});"
    logs = run_json(f"{given} const e = {code}; if (e.catch) e.catch(() => 0); console.log(e)")["logs"]
    equal(len(logs), len(lines), str(logs))
    for got, wanted in zip(logs, lines):
        assert got.startswith(wanted), (got, wanted)


URLS = ["https://u:p@x.example:81/a/b?q=1#f", "https://u@h/", "https://:p@h/", "http://1.2.3.4/", "mailto:a@b",
        "http://[::1]/", "http://[::]/", "http://[1:0:0:2::]/", "http://[1:0:3:4:5:6:7:0]/", "http://[::ffff:102:304]/",
        "http://[1:2:3:4:5:6::]/", "file:///a/b", "a:/.//p", "a:/", "x://h?", "x:#", "data:text/plain,a b", "x:///y"]


@test
def a_url_is_shown_with_its_href_and_nothing_of_ours():
    logs = run_json(f"""for (const text of {URLS}) {{
        const url = new URL(text);
        url.searchParams;
        console.log(url);
        console.log(url.href);
    }}""")["logs"]
    equal(logs[1::2], URLS)
    equal(logs[::2], [f"URL {{ href: '{url}' }}" for url in URLS])


@test
def a_url_is_shown_among_other_things():
    logs = run_json("""const url = new URL('http://x.example/');
        url.searchParams.append('a', 'b');
        console.log(Object.assign(url, {extra: 1}), [url.searchParams]);
        console.log('%j %s', {url}, url);
        console.log(new URLSearchParams(Array.from({length: 102}, () => ['k', 'v'])))""")["logs"]
    equal(logs[:2], ["URL { href: 'http://x.example/?a=b', extra: 1 } [ URLSearchParams { 'a' => 'b' } ]",
                     """{"url":"http://x.example/?a=b"} URL { href: 'http://x.example/?a=b', extra: 1 }"""])
    equal(logs[-3:], ["  'k' => 'v',", "  ... 2 more items", "}"])


@test
def trace_says_where_it_was_called():
    logs = run_json("function f() {\n  console.trace('at %d', 1)\n}\nf()")["logs"]
    equal(logs[0], "Trace: at 1")
    contains(logs[1], "    at f (cap:", ":2:")
    contains(logs[2], "    at <anonymous> (cap:", ":4:")


# --- no code of the capability runs ------------------------------------------------------------

RUN = "{ ran = 1; throw 1 }"
EVERY = "log('%s %d %i %f %j %o %O', o, o, o, o, o, o, o) dir(o) table(o) table([o]) count(o) time(o)" \
        " timeEnd(o) assert(false, o) group(o) trace(o) dir(1, o) table([{a: 1}], [o])"
TRAPS = {
    "getters": f"o = {{get a() {RUN}, get depth() {RUN}, get [Symbol.toStringTag]() {RUN}}}",
    "conversions": f"o = {{toString() {RUN}, valueOf() {RUN}, toJSON() {RUN}, [Symbol.toPrimitive]() {RUN}}}",
    "a proxy": f"o = new Proxy({{a: 1}}, new Proxy({{}}, {{get() {RUN}}}))",
    "a prototype that is a proxy":
        f"o = Object.setPrototypeOf([1], new Proxy({{}}, new Proxy({{}}, {{get() {RUN}}})))",
    "a class": f"o = new (class {{ static get name() {RUN} get x() {RUN} }})",
    "an error": f"o = new Error('x'); for (const k of ['name', 'message', 'stack', 'cause', 'errors'])"
                f" Object.defineProperty(o, k, {{get() {RUN}}})",
    "an array": f"o = [1, 2, 3]; Object.defineProperty(o, 1, {{get() {RUN}, enumerable: true}});"
                f" o[Symbol.iterator] = () => {RUN}",
    "a map": f"o = new Map([[1, 2]]); for (const k of ['size', 'entries', 'forEach', Symbol.iterator])"
             f" Object.defineProperty(o, k, {{get() {RUN}}})",
    "a DOMException": f"o = new DOMException('x', 'AbortError');"
                      f" for (const k of ['name', 'message']) for (const p of [o, DOMException.prototype])"
                      f" Object.defineProperty(p, k, {{get() {RUN}}})",
    "URLs": f"""o = [new URL('http://[::1]/a?b'), new URLSearchParams('a=1')];
        o[2] = o[0].searchParams;
        [Object.prototype, Array.prototype, URL.prototype, URLSearchParams.prototype].forEach(p =>
            ['_url', '_list', 'scheme', 'host', 'href', 'toString', 'entries', Symbol.iterator].forEach(k =>
                Object.defineProperty(p, k, {{__proto__: null, configurable: true, get() {RUN}}})))""",
    "a class like ours": f"""const trap = new Proxy({{}}, new Proxy({{}}, {{get() {RUN}}})); const url = {{scheme: 'a',
        host: trap, path: [trap, {{toString() {RUN}}}], get query() {RUN}, port: {{valueOf() {RUN}}}}};
        class A {{ #impl; constructor(impl) {{ this.#impl = impl }} }}
        o = [{{_url: url}}, {{_list: trap}}, {{_list: [trap, [trap, 1]]}}, trap].map(impl => new A(impl))""",
    "polluted prototypes":
        f"""o = {{a: [1, {{b: new Date(0)}}], c: /x/}}; const define = Object.defineProperty;
        for (const p of [Object, Array, Function, String, Map, Error, Date, RegExp, Symbol, Number])
            for (const k of ['toString', 'toJSON', 'valueOf', 'get', 'set', 'value', 'name', 'length', 'depth',
                             'writable', 'constructor', 'message', 'stack', 'cause', 'source', 'flags'])
                try {{ define(p.prototype, k, {{__proto__: null, get() {RUN}}}) }} catch {{}}""",
}


@each(TRAPS)
def no_code_runs_while_a_value_is_shown(trap):
    calls = EVERY.replace(") ", "); console.")
    envelope = run_json(f"let o, ran = 0; {trap}; console.{calls}; return ran")
    equal(envelope.get("result"), 0, str(envelope.get("error")))
    between(len(envelope["logs"]), 10, 1000, "lines")


# --- what could hang or flood ------------------------------------------------------------------

MILLION = "const o = {}; for (let i = 0; i < 1e6; i++) "
HUGE = {
    "a million keys": MILLION + "o['k' + i] = i; console.log(o)",
    "a million hidden keys, often":
        MILLION + "Object.defineProperty(o, 'k' + i, {value: 1}); const a = Array(100).fill(o);"
        "console.log(a, [a, a]); console.log(...a, '%j', a); console.log('%j', a); console.table(a)",
    "a million deleted keys, often": MILLION + "o['k' + i] = i; for (let i = 0; i < 1e6; i++) delete o['k' + i];"
                                               "console.log(Array(100).fill(Array(100).fill(o)))",
    "depth": "let o = {}; for (let i = 0; i < 1e5; i++) o = {o: [o]}; console.log(o, '%j'); console.log('%j', o);"
             "console.dir(o, {depth: null}); console.dir(o, {depth: Infinity})",
    "a chain of causes": "let e; for (let i = 0; i < 1e5; i++) e = new Error('x', {cause: e}); console.log(e);"
                         "console.dir(e, {depth: null})",
    "a million entries": "const m = new Map(); for (let i = 0; i < 1e6; i++) m.set(i, i);"
                         "console.log(m, m.keys(), m.entries(), new Set(m.values())); console.table(m)",
    "shared references": "let o = ['x']; for (let i = 0; i < 60; i++) o = [o, {o}, new Map([[o, o]])];"
                         "console.log(o); console.dir(o, {depth: null}); console.log('%j', o); console.table(o)",
    "shared and empty": "let o = []; for (let i = 0; i < 60; i++) o = [o, o]; console.dir(o, {depth: null})",
    "holes": "const a = new Array(2**32 - 1); console.log(a); a[2**31] = 1; console.log(a); console.table(a);"
             "console.log('%j', a)",
    "long names": "const k = 'n'.repeat(1e7); console.log({[k]: Symbol(k)}); console.table([{[k]: k}]);"
                  "console.log(Object.defineProperty(() => 1, 'name', {value: k})); console.count(k)",
    "long strings": r"const k = '\u6f22'.repeat(1e7); console.log(Array(100).fill(Array(100).fill({[k]: k})));"
                    "console.log('%s'.repeat(1e4), ...Array(1e4).fill(k)); console.table(Array(100).fill({[k]: k}))",
    "long bigints": "const b = 2n ** 1000000n; console.log(b, [b], '%d'); console.log('%d %j', b, b);"
                    "console.table(Array(100).fill(Array(30).fill(2n ** 16000n)))",
    "long typed arrays": "const a = new Uint8Array(1e8); console.log(a, a.buffer); console.table(a)",
    "proxies of proxies": "let o = {}; for (let i = 0; i < 1e5; i++) o = new Proxy(o, {});"
                          "console.log(Array(100).fill(Array(100).fill(o)))",
    "a long chain of prototypes": "let o = {}; for (let i = 0; i < 1e5; i++) o = Object.create(o);"
                                  "console.log(Array(100).fill(Array(100).fill(o)))",
    "an error of many lines": r"const e = new Error('m\n'.repeat(1e6)); console.log([e, {e}]); console.log(e)",
    "a hidden tag, often": "const f = Object.defineProperty(() => 1, Symbol.toStringTag, {value: 't'.repeat(1e6)});"
                           "console.log(Array(100).fill(Array(100).fill(f)))",
    "names of ten megabytes, often":
        r"const k = '\u6f22'.repeat(1e7), often = o => console.log(Array(100).fill(Array(100).fill(o)));"
        "function F() {} for (const v of [F, class extends F {}, F.prototype]) {"
        " Object.defineProperty(F, 'name', {value: k, configurable: true}); often(v); often(new F()) }"
        "const e = new Error(k); e.name = k; often(e); often(Object.assign(new Error('x'), {stack: k}));"
        "often(new DOMException(k, k)); console.log('%j'.repeat(1000), ...Array(1000).fill(k))",
    "a class like URL":
        "class A { #impl = {_url: {scheme: 'x', host: null, path: Array(1e6).fill(null)}}; }"
        "console.log(Array(100).fill(Array(100).fill(new A())));",
    "long URLs": "const u = new URL('http://h/' + 'a/'.repeat(1e4) + '?' + 'b=c&'.repeat(1e4)); u.searchParams;"
                 "console.log(Array(100).fill(Array(100).fill(u)), u.searchParams); console.log('%j', [u, u])",
    "many labels": "for (let i = 0; i < 3000; i++) { console.count('c' + i); console.time('t' + i) }",
    "many groups": "for (let i = 0; i < 1e5; i++) console.group(); console.log('a\\nb')",
    "a wide table": "console.table(Array(1e6).fill(1)); console.table(Array(1e4).fill(1).map((_, i) => ({['c' + i]: i})))",
}


@each(HUGE)
def a_value_can_neither_hang_nor_flood(code):
    envelope = run_json(code + "; return 'on'", "--timeout", f"{int(stretched(20))}s")
    equal(envelope.get("result"), "on", str(envelope.get("error")))
    between(sum(len(line.encode()) for line in envelope["logs"]), 1, (1 << 20) + 100, "bytes")


@test
def a_text_that_is_cut_says_so():
    logs = run_json("console.log(Array(100).fill('x'.repeat(5000)), 'after'); console.log('whole')")["logs"]
    assert logs[-2].endswith(" … cut after"), logs[-2][-40:]
    between(sum(map(len, logs)), 65000, 66000, "characters")
    equal(logs[-1], "whole")


@test
def a_label_is_cut_between_characters():
    code = """for (let n = 95; n < 103; n++) {
        const e = new Error('x');
        e.stack = 'é'.repeat(n);
        console.count(e);
    }"""
    logs = run_json(code)["logs"]
    equal(len(logs), 8)
    equal(logs[4], "[" + "é" * 99 + "]: 1")
    assert not any("\ufffd" in line for line in logs), logs


@test
def long_strings_are_cut_inside_and_not_at_the_top():
    logs = run_json("console.log('x'.repeat(10001)); console.log(['x'.repeat(10001)])")["logs"]
    equal(logs[0], "x" * 10001)
    equal(logs[2], "  '" + "x" * 10000 + "'... 1 more character")


@test
def half_a_surrogate_pair_is_the_replacement_character_everywhere():
    logs = run_json(r"""console.log(['\ud800'], {'\udc00': Symbol('\ud800')}, '%s');
        console.log('%s\ud83d', '\ud800'); console.count('\udfff')""")["logs"]
    equal(logs, ["[ '\ufffd' ] { '\ufffd': Symbol(\ufffd) } %s", "\ufffd\ufffd", "\ufffd: 1"])


@test
def a_revoked_proxy_is_called_that():
    code = "const {proxy, revoke} = Proxy.revocable({}, {}); revoke(); console.log(proxy, [proxy])"
    equal(run_json(code)["logs"], ["<Revoked Proxy> [ <Revoked Proxy> ]"])


@test
def console_is_an_ordinary_object_made_on_first_use():
    code = """const d = Object.getOwnPropertyDescriptor(globalThis, 'console');
        console.log = 1; return [d.writable, d.enumerable, d.configurable, console.log, Object.keys(console).length]"""
    equal(run_json(code)["result"], [True, False, True, 1, 18])


main()
