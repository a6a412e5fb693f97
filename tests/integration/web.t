#!/usr/bin/env python3
"""web.t - web APIs in the worker: URL, text, clones, events, random numbers, and how they load."""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, run_json, test, value_of

# Put before each piece of code. thrown(f) is the name of the error that f throws, or its result.
HELP = """
const thrown = (f) => { try { return ["returned", f()]; } catch (e) { return e.name; } };
const tag = (o) => Object.prototype.toString.call(o);
const bytes = (...b) => new Uint8Array(b);
"""


def named(name):
    """A decorator: each() with |name| instead of the function's name."""

    def rename(rows):
        def check(row):
            code, wanted = row
            equal(value_of(f"{HELP}\nreturn {code};"), wanted, code)

        check.__name__ = name
        each(rows)(check)

    return rename


named("url")({
    "parts": ('Object.fromEntries(["href","origin","protocol","username","password","host","hostname","port",'
              '"pathname","search","hash"].map((k) => [k, new URL("HTTP://u:p@EX.com:81/a/./b/../c?q#h")[k]]))',
              {"href": "http://u:p@ex.com:81/a/c?q#h", "origin": "http://ex.com:81", "protocol": "http:",
               "username": "u", "password": "p", "host": "ex.com:81", "hostname": "ex.com", "port": "81",
               "pathname": "/a/c", "search": "?q", "hash": "#h"}),
    "base": ('new URL("../x?y", "https://a.b/c/d/e").href', "https://a.b/c/x?y"),
    "a URL as base": ('new URL("z", new URL("https://a.b/c/")).href', "https://a.b/c/z"),
    "default port": ('new URL("https://a.b:443/").port', ""),
    "IPv4 in hex": ('new URL("http://0x7f.1/").host', "127.0.0.1"),
    "IPv6": ('new URL("http://[1:0::0:2]/").host', "[1::2]"),
    "IDN": ('new URL("https://Bücher.example/ü?ü#ü").href',
            "https://xn--bcher-kva.example/%C3%BC?%C3%BC#%C3%BC"),
    "punycode stays": ('new URL("https://XN--bcher-kva.example/").host', "xn--bcher-kva.example"),
    "lone surrogate": ('new URL("https://a.b/\\ud800").pathname', "/%EF%BF%BD"),
    "setters": ('(() => { const u = new URL("http://a/b"); u.host = "c:9"; u.pathname = "x y"; u.hash = "z";'
                'u.protocol = "https"; u.search = "k=v"; u.username = "me"; return u.href; })()',
                "https://me@c:9/x%20y?k=v#z"),
    "href throws": ('thrown(() => { new URL("http://a/").href = "nope" })', "TypeError"),
    "canParse": ('[URL.canParse("a:b"), URL.canParse("b"), URL.canParse("b", "http://a/")]', [True, False, True]),
    "parse": ('[URL.parse("b"), URL.parse("b", "http://a/").href]', [None, "http://a/b"]),
    "JSON and text": ('[JSON.stringify({u: new URL("a:b")}), `${new URL("a:b")}`]', ['{"u":"a:b"}', "a:b"]),
    "kinds": ('[tag(new URL("a:b")), new URL("a:b").constructor.name, URL.name, URL.length, typeof URL]',
              ["[object URL]", "URL", "URL", 1, "function"]),
    "without new": ('thrown(() => URL("a:b"))', "TypeError"),
    "not a URL": ('thrown(() => new URL("nope"))', "TypeError"),
    "no argument": ('thrown(() => new URL())', "TypeError"),
    "symbol": ('thrown(() => new URL(Symbol("x")))', "TypeError"),
    "wrong this": ('thrown(() => Object.getOwnPropertyDescriptor(URL.prototype, "href").get.call({}))', "TypeError"),
    "searchParams are live": ('(() => { const u = new URL("http://a/?x=1"); u.searchParams.append("y", "ü &");'
                              'const one = u.search; u.search = "?z=2"; return [one, u.searchParams.get("z"),'
                              'u.searchParams === u.searchParams]; })()', ["?x=1&y=%C3%BC+%26", "2", True]),
    "a long query": ('new URL("http://a/?" + "é".repeat(20000)).search.length', 120001),
})

named("url_search_params")({
    "of text": ('[...new URLSearchParams("?a=1&b=%20+&a=2&c")]', [["a", "1"], ["b", "  "], ["a", "2"], ["c", ""]]),
    "of pairs": ('`${new URLSearchParams([["a", "1"], ["b", "ö"]])}`', "a=1&b=%C3%B6"),
    "of an object": ('`${new URLSearchParams({a: 1, b: "*-._ ~"})}`', "a=1&b=*-._+%7E"),
    "of another": ('`${new URLSearchParams(new URLSearchParams("x=y"))}`', "x=y"),
    "bad pairs": ('thrown(() => new URLSearchParams([["a"]]))', "TypeError"),
    "get, getAll, has": ('(() => { const p = new URLSearchParams("a=1&a=2"); return [p.get("a"), p.getAll("a"),'
                         'p.has("a"), p.has("b"), p.has("a", "2"), p.get("b"), p.size]; })()',
                         ["1", ["1", "2"], True, False, True, None, 2]),
    "set, append, delete, sort": ('(() => { const p = new URLSearchParams("b=1&a=2&b=3"); p.set("b", "9");'
                                  'p.append("a", "0"); p.sort(); p.delete("a", "2"); return `${p}`; })()', "a=0&b=9"),
    "iteration": ('(() => { const p = new URLSearchParams("a=1&b=2"), seen = []; p.forEach((v, k) => seen.push(k + v));'
                  'return [seen, [...p.keys()], [...p.values()], [...p.entries()]]; })()',
                  [["a1", "b2"], ["a", "b"], ["1", "2"], [["a", "1"], ["b", "2"]]]),
    "malformed UTF-8": ('new URLSearchParams("a=%ff%").get("a")', "\ufffd%"),
    "kind": ('[tag(new URLSearchParams()), URLSearchParams.name, tag(new URLSearchParams("a").entries())]',
             ["[object URLSearchParams]", "URLSearchParams", "[object URLSearchParams Iterator]"]),
})

named("text_encoder")({
    "UTF-8": ('Array.from(new TextEncoder().encode("aé€😀"))', [97, 195, 169, 226, 130, 172, 240, 159, 152, 128]),
    "nothing": ('[new TextEncoder().encode().length, new TextEncoder().encode(undefined).length,'
                'new TextEncoder().encode("").length]', [0, 0, 0]),
    "NUL": ('Array.from(new TextEncoder().encode("a\\0b"))', [97, 0, 98]),
    "lone surrogates": ('Array.from(new TextEncoder().encode("\\ud800x\\udc00"))', [239, 191, 189, 120, 239, 191, 189]),
    "not a string": ('Array.from(new TextEncoder().encode(12))', [49, 50]),
    "symbol": ('thrown(() => new TextEncoder().encode(Symbol()))', "TypeError"),
    "kind": ('[tag(new TextEncoder()), TextEncoder.name, new TextEncoder().encoding,'
             'new TextEncoder().encode("") instanceof Uint8Array]', ["[object TextEncoder]", "TextEncoder", "utf-8", True]),
    "wrong this": ('thrown(() => TextEncoder.prototype.encode.call({}, "x"))', "TypeError"),
    "encodeInto": ('(() => { const b = new Uint8Array(5); return [new TextEncoder().encodeInto("é😀x", b), Array.from(b)]; })()',
                   [{"read": 1, "written": 2}, [195, 169, 0, 0, 0]]),
    "encodeInto that fits": ('(() => { const b = new Uint8Array(8); return [new TextEncoder().encodeInto("é😀x", b), Array.from(b)]; })()',
                             [{"read": 4, "written": 7}, [195, 169, 240, 159, 152, 128, 120, 0]]),
    "encodeInto a part": ('(() => { const b = new Uint8Array(4); new TextEncoder().encodeInto("xyz", b.subarray(1, 3));'
                          'return Array.from(b); })()', [0, 120, 121, 0]),
    "encodeInto nothing": ('new TextEncoder().encodeInto("x", new Uint8Array(0))', {"read": 0, "written": 0}),
    "encodeInto what is no Uint8Array": ('thrown(() => new TextEncoder().encodeInto("x", new Uint16Array(2)))', "TypeError"),
})

named("text_decoder")({
    "UTF-8": ('new TextDecoder().decode(bytes(97, 195, 169, 226, 130, 172, 240, 159, 152, 128, 0))', "aé€😀\0"),
    "sources": ('[new TextDecoder().decode(bytes(65, 66).buffer), new TextDecoder().decode(new DataView(bytes(65, 66).buffer, 1)),'
                'new TextDecoder().decode(new Uint16Array(bytes(65, 66).buffer)), new TextDecoder().decode()]', ["AB", "B", "AB", ""]),
    "not a source": ('[thrown(() => new TextDecoder().decode("x")), thrown(() => new TextDecoder().decode({})),'
                     'thrown(() => new TextDecoder().decode(null))]', ["TypeError"] * 3),
    # one U+FFFD for each maximal part of an invalid sequence
    "malformed": ('[[0xff], [0xc0, 0x80], [0xe2, 0x82], [0xe2, 0x28, 0xa1], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98],'
                  '[0xf4, 0x90, 0x80, 0x80], [0xe0, 0x80, 0x80], [0x80, 0x41], [0xc3, 0xc3, 0xa9], [0xf8, 0x88, 0x80, 0x80, 0x80]]'
                  '.map((b) => new TextDecoder().decode(bytes(...b)).replaceAll("\\ufffd", "?"))',
                  ["?", "??", "?", "?(?", "???", "?", "????", "???", "?A", "?é", "?????"]),
    "malformed after a long text": ('(() => { const b = new Uint8Array(1000).fill(97); b[999] = 0xe2;'
                                    'const t = new TextDecoder().decode(b); return [t.length, t.at(-1)]; })()', [1000, "\ufffd"]),
    "fatal": ('[thrown(() => new TextDecoder("utf-8", {fatal: true}).decode(bytes(0xff))),'
              'thrown(() => new TextDecoder("utf-8", {fatal: true}).decode(bytes(0xe2, 0x82))),'
              'new TextDecoder("utf-8", {fatal: true}).decode(bytes(0xe2, 0x82, 0xac))]', ["TypeError", "TypeError", "€"]),
    "fatal, then again": ('(() => { const d = new TextDecoder("utf-8", {fatal: true}); thrown(() => d.decode(bytes(0xff)));'
                          'return d.decode(bytes(65)); })()', "A"),
    "byte-order mark": ('[new TextDecoder().decode(bytes(0xef, 0xbb, 0xbf, 65)), new TextDecoder("utf-8", {ignoreBOM: true})'
                        '.decode(bytes(0xef, 0xbb, 0xbf, 65)), new TextDecoder().decode(bytes(65, 0xef, 0xbb, 0xbf))]',
                        ["A", "\ufeffA", "A\ufeff"]),
    "byte-order mark in a stream": ('(() => { const d = new TextDecoder(), s = {stream: true}; return [d.decode(bytes(0xef, 0xbb), s),'
                                    'd.decode(bytes(0xbf, 65), s), d.decode(bytes(0xef, 0xbb, 0xbf)), d.decode(bytes(0xef, 0xbb, 0xbf, 66))]; })()',
                                    ["", "A", "\ufeff", "B"]),
    "stream": ('(() => { const d = new TextDecoder(); let out = ""; for (const b of new TextEncoder().encode("aé€😀z"))'
               'out += d.decode(bytes(b), {stream: true}) + "."; return out + d.decode(); })()', "a..é...€....😀.z."),
    "a stream that ends too early": ('(() => { const d = new TextDecoder(); return [d.decode(bytes(0xf0, 0x9f), {stream: true}),'
                                     'd.decode(), d.decode(bytes(65))]; })()', ["", "\ufffd", "A"]),
    "a stream that goes on wrong": ('(() => { const d = new TextDecoder(); return d.decode(bytes(0xf0, 0x9f), {stream: true})'
                                    '+ d.decode(bytes(65), {stream: true}); })()', "\ufffdA"),
    "a fatal stream": ('(() => { const d = new TextDecoder("utf-8", {fatal: true}); d.decode(bytes(0xe2), {stream: true});'
                       'return thrown(() => d.decode()); })()', "TypeError"),
    "UTF-16": ('[new TextDecoder("utf-16le").decode(bytes(0xff, 0xfe, 65, 0, 0x3d, 0xd8, 0, 0xde)), new TextDecoder("utf-16be")'
               '.decode(bytes(0, 65, 0xd8, 0x3d, 0xde, 0)), new TextDecoder("utf-16").decode(bytes(65, 0, 66))]', ["A😀", "A😀", "A\ufffd"]),
    "a UTF-16 stream": ('(() => { const d = new TextDecoder("utf-16le"); let out = ""; for (const b of [65, 0, 0x3d, 0xd8, 0, 0xde])'
                        'out += d.decode(bytes(b), {stream: true}); return out + d.decode(); })()', "A😀"),
    "legacy": ('[new TextDecoder("latin1").decode(bytes(0x80, 0xe9)), new TextDecoder("koi8-r").decode(bytes(0xc1)),'
               'new TextDecoder("shift_jis").decode(bytes(0x83, 0x65)), new TextDecoder("gbk").decode(bytes(0xc4, 0xe3)),'
               'new TextDecoder("x-user-defined").decode(bytes(0x80))]', ["€é", "а", "テ", "你", "\uf780"]),
    "legacy, fatal": ('thrown(() => new TextDecoder("euc-kr", {fatal: true}).decode(bytes(0xff)))', "TypeError"),
    "labels": ('[" UTF8\\n", "Latin1", "unicode-1-1-utf-8", "ucs-2", "cp866", "utf-16"].map((l) => new TextDecoder(l).encoding)',
               ["utf-8", "windows-1252", "utf-8", "utf-16le", "ibm866", "utf-16le"]),
    "unknown labels": ('["nope", "replacement", "", "utf-7", "utf-8\\0"].map((l) => thrown(() => new TextDecoder(l)))', ["RangeError"] * 5),
    "kind": ('(() => { const d = new TextDecoder("utf8", {fatal: 1}); return [tag(d), TextDecoder.name, d.encoding, d.fatal, d.ignoreBOM]; })()',
             ["[object TextDecoder]", "TextDecoder", "utf-8", True, False]),
    "options": ('thrown(() => new TextDecoder("utf-8", 1))', "TypeError"),
})

named("structured_clone")({
    "primitives": ('[1, "x", true, null].map((v) => structuredClone(v)).concat(String(structuredClone(1n)),'
                   'structuredClone(undefined) === undefined, Object.is(structuredClone(-0), -0))', [1, "x", True, None, "1", True, True]),
    "objects": ('(() => { const o = {a: [1, {b: 2}], ["__proto__"]: 3}; const c = structuredClone(o); return [c, c !== o,'
                'c.a !== o.a, Object.hasOwn(c, "__proto__"), Object.getPrototypeOf(c) === Object.prototype]; })()',
                [{"a": [1, {"b": 2}], "__proto__": 3}, True, True, True, True]),
    "cycles and shared references": ('(() => { const s = {}, o = {s, t: s}; o.self = o; o.list = [o]; const c = structuredClone(o);'
                                     'return [c.self === c, c.list[0] === c, c.s === c.t, c.s !== s]; })()', [True] * 4),
    "sparse arrays": ('(() => { const a = [1, , 3]; a.length = 5; a.extra = "x"; const c = structuredClone(a);'
                      'return [c.length, 1 in c, c[2], c.extra, Array.isArray(c)]; })()', [5, False, 3, "x", True]),
    "Map and Set": ('(() => { const k = {}; const m = new Map([[k, 1], ["k", k]]); m.set("self", m); const c = structuredClone({k, m,'
                    's: new Set([k, 2])}); return [c.m.get(c.k), c.m.get("k") === c.k, c.m.get("self") === c.m, c.s.has(c.k), c.s.size]; })()',
                    [1, True, True, True, 2]),
    "Date and RegExp": ('(() => { const r = /a.b/giu; r.lastIndex = 3; const c = structuredClone([new Date(5), r, new Date(NaN)]);'
                        'return [+c[0], c[1].source, c[1].flags, c[1].lastIndex, tag(c[2]), isNaN(c[2])]; })()',
                        [5, "a.b", "giu", 0, "[object Date]", True]),
    "errors": ('[Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((E) => {'
               'const e = new E("m", {cause: {c: 1}}); e.extra = 1; const c = structuredClone(e); return c instanceof E && c.name === E.name'
               '&& c.message === "m" && c.cause.c === 1 && c.stack === e.stack && !("extra" in c) && c !== e; })', [True] * 7),
    "other errors": ('(() => { class Mine extends TypeError {} const e = new Mine("x"); e.name = "Mine"; const c = structuredClone(e);'
                     'const d = structuredClone(new DOMException("m", "AbortError")); return [c.constructor === Error, c.message,'
                     'd.name, d.message, d.code, d instanceof DOMException, "message" in structuredClone(Object.create(null))]; })()',
                     [True, "x", "AbortError", "m", 20, True, False]),
    "buffers": ('(() => { const b = bytes(1, 2, 3, 4).buffer; const c = structuredClone({b, v: new Uint16Array(b, 2, 1), d: new DataView(b, 1, 2)});'
                'c.v[0] = 0; return [Array.from(new Uint8Array(c.b)), c.v.buffer === c.b, c.d.buffer === c.b, c.d.byteOffset, c.d.byteLength,'
                'c.v.length, Array.from(new Uint8Array(b))]; })()', [[1, 2, 0, 0], True, True, 1, 2, 1, [1, 2, 3, 4]]),
    "every view": ('[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float16Array, Float32Array,'
                   'Float64Array, BigInt64Array, BigUint64Array].every((V) => { const c = structuredClone(new V(3)); return c.constructor === V'
                   '&& c.length === 3; })', True),
    "boxed primitives": ('[Object(1), Object("x"), Object(false), Object(2n)].map((v) => { const c = structuredClone(v);'
                         'return [typeof c, c !== v, String(c.valueOf())]; })',
                         [["object", True, "1"], ["object", True, "x"], ["object", True, "false"], ["object", True, "2"]]),
    "own enumerable properties, read once": ('(() => { let reads = 0; class A { constructor() { this.own = 1; } method() {} get up() { return 1; } }'
                                             'const a = new A(); Object.defineProperty(a, "hidden", {value: 1}); Object.defineProperty(a, "got",'
                                             '{enumerable: true, get() { return ++reads; }}); a[Symbol("s")] = 1; const c = structuredClone(a);'
                                             'return [c, reads, c.constructor === Object]; })()', [{"own": 1, "got": 1}, 1, True]),
    "what cannot be cloned": ('[() => 1, Symbol("x"), Object(Symbol("x")), new WeakMap(), new WeakSet(), Promise.resolve(), new Proxy({}, {}),'
                              'new Proxy([], {}), mcp, mcp.a, {a: {b() {}}}, [function* () {}], (function* () {})(), [][Symbol.iterator](), class {}]'
                              '.map((v) => thrown(() => structuredClone(v)))', ["DataCloneError"] * 15),
    "the error": ('(() => { try { structuredClone({f() {}}); } catch (e) { return [e instanceof DOMException, e.code, e.message]; } })()',
                  [True, 25, "a function could not be cloned"]),
    "a getter that throws": ('thrown(() => structuredClone({get a() { throw new RangeError("x"); }}))', "RangeError"),
    "transfer": ('[thrown(() => structuredClone(1, {transfer: [new ArrayBuffer(1)]})), structuredClone(1, {transfer: []}), structuredClone(1, {})]',
                 ["DataCloneError", 1, 1]),
    "no argument": ('thrown(() => structuredClone())', "TypeError"),
    "too deep": ('(() => { let o = null; for (let i = 0; i < 1e6; i++) o = {o}; return thrown(() => structuredClone(o)); })()', "RangeError"),
    "a tampered tag": ('(() => { const m = new Map([[1, 2]]); Object.defineProperty(m, Symbol.toStringTag, {value: "Set"}); Object.setPrototypeOf(m, null);'
                       'return structuredClone(m).get(1); })()', 2),
})

named("events")({
    "listeners in order": ('(() => { const t = new EventTarget(), seen = []; t.addEventListener("x", (e) => seen.push(e.type, e.target === t,'
                           'e.currentTarget === t, e.eventPhase)); t.addEventListener("x", {handleEvent(e) { seen.push(this !== t); }});'
                           't.addEventListener("y", () => seen.push("never")); const e = new Event("x"); return [t.dispatchEvent(e), seen,'
                           'e.currentTarget, e.target === t, e.eventPhase]; })()', [True, ["x", True, True, 2, True], None, True, 0]),
    "the same twice": ('(() => { let n = 0; const t = new EventTarget(), f = () => n++; t.addEventListener("x", f); t.addEventListener("x", f);'
                       't.addEventListener("x", f, true); t.dispatchEvent(new Event("x")); t.removeEventListener("x", f);'
                       't.dispatchEvent(new Event("x")); return n; })()', 3),
    "once": ('(() => { let n = 0; const t = new EventTarget(); t.addEventListener("x", () => { n++; t.dispatchEvent(new Event("x")); }, {once: true});'
             't.dispatchEvent(new Event("x")); return n; })()', 1),
    "added and removed meanwhile": ('(() => { const t = new EventTarget(), seen = [], b = () => seen.push("b"); t.addEventListener("x", () => {'
                                    't.removeEventListener("x", b); t.addEventListener("x", () => seen.push("c")); }); t.addEventListener("x", b);'
                                    't.dispatchEvent(new Event("x")); return seen; })()', []),
    "preventDefault": ('(() => { const t = new EventTarget(); t.addEventListener("x", (e) => e.preventDefault()); const e = new Event("x", {cancelable: true});'
                       'return [t.dispatchEvent(e), e.defaultPrevented, t.dispatchEvent(new Event("x"))]; })()', [False, True, True]),
    "a passive listener": ('(() => { const t = new EventTarget(); t.addEventListener("x", (e) => e.preventDefault(), {passive: true});'
                           'return t.dispatchEvent(new Event("x", {cancelable: true})); })()', True),
    "stopImmediatePropagation": ('(() => { const t = new EventTarget(), seen = []; t.addEventListener("x", (e) => { seen.push(1);'
                                 'e.stopImmediatePropagation(); }); t.addEventListener("x", () => seen.push(2)); t.dispatchEvent(new Event("x")); return seen; })()', [1]),
    "a signal removes": ('(() => { let n = 0; const t = new EventTarget(), c = new AbortController(); t.addEventListener("x", () => n++, {signal: c.signal});'
                         't.dispatchEvent(new Event("x")); c.abort(); t.dispatchEvent(new Event("x")); return n; })()', 1),
    "dispatched within itself": ('(() => { let name; const t = new EventTarget(); t.addEventListener("x", (e) => { name = thrown(() => t.dispatchEvent(e)); });'
                                 't.dispatchEvent(new Event("x")); return name; })()', "InvalidStateError"),
    "subclass": ('(() => { class T extends EventTarget { #n = 1; get n() { return this.#n; } } const t = new T(); let got;'
                 't.addEventListener("x", function (e) { got = [this === t, e.target.n, e.detail]; }); t.dispatchEvent(new CustomEvent("x", {detail: 5})); return got; })()',
                 [True, 1, 5]),
    "kinds": ('[tag(new Event("x")), tag(new CustomEvent("x")), tag(new EventTarget()), Event.AT_TARGET, new Event("x").AT_TARGET, new Event("x").isTrusted,'
              'new CustomEvent("x").detail, Event.name]', ["[object Event]", "[object CustomEvent]", "[object EventTarget]", 2, 2, False, None, "Event"]),
    "wrong arguments": ('[() => new Event(), () => new EventTarget().dispatchEvent({}), () => new EventTarget().addEventListener("x"),'
                        '() => new EventTarget().addEventListener("x", 1), () => EventTarget()].map(thrown)', ["TypeError"] * 5),
    "null listener": ('new EventTarget().addEventListener("x", null) === undefined', True),
})

named("abort")({
    "abort": ('(() => { const c = new AbortController(), s = c.signal, seen = []; s.onabort = (e) => seen.push("on", e.isTrusted);'
              's.addEventListener("abort", (e) => seen.push(e.type, e.target === s, s.aborted)); const before = [s.aborted, s.reason === undefined];'
              'c.abort(); c.abort("again"); return [before, seen, s.aborted, s.reason.name, s.reason instanceof DOMException, c.signal === s]; })()',
              [[False, True], ["on", True, "abort", True, True], True, "AbortError", True, True]),
    "a reason": ('(() => { const c = new AbortController(); c.abort("why"); try { c.signal.throwIfAborted(); } catch (e) { return e; } })()', "why"),
    "AbortSignal.abort": ('[AbortSignal.abort().aborted, AbortSignal.abort(5).reason, AbortSignal.abort().reason.name]', [True, 5, "AbortError"]),
    "throwIfAborted of one that is not": ('new AbortController().signal.throwIfAborted() === undefined', True),
    "onabort replaced": ('(() => { const c = new AbortController(), seen = []; c.signal.onabort = () => seen.push(1); c.signal.onabort = () => seen.push(2);'
                         'c.abort(); const d = new AbortController(); d.signal.onabort = () => seen.push(3); d.signal.onabort = null; d.abort();'
                         'return [seen, d.signal.onabort]; })()', [[2], None]),
    "timeout": ('await new Promise((done) => { const from = performance.now(), s = AbortSignal.timeout(20); s.onabort = () => done([s.reason.name,'
                's.aborted, performance.now() - from >= 20]); })', ["TimeoutError", True, True]),
    "wrong timeouts": ('[-1, NaN, Infinity].map((ms) => thrown(() => AbortSignal.timeout(ms)))', ["TypeError"] * 3),
    "any": ('(() => { const a = new AbortController(), b = new AbortController(), s = AbortSignal.any([a.signal, b.signal]), t = AbortSignal.any([s]);'
            'const seen = []; t.onabort = () => seen.push(s.aborted, t.aborted); b.abort("b"); a.abort("a"); return [s.reason, t.reason, seen,'
            'AbortSignal.any([a.signal]).reason, AbortSignal.any([]).aborted]; })()', ["b", "b", [True, True], "a", False]),
    "any of what is no signal": ('thrown(() => AbortSignal.any([{}]))', "TypeError"),
    "constructor": ('[thrown(() => new AbortSignal()), tag(new AbortController()), tag(AbortSignal.abort()), AbortSignal.abort() instanceof EventTarget]',
                    ["TypeError", "[object AbortController]", "[object AbortSignal]", True]),
})

named("crypto")({
    "the same array": ('(() => { const a = new Uint8Array(32), b = crypto.getRandomValues(a); return [a === b, a.some((x) => x !== 0)]; })()', [True, True]),
    "every integer array": ('[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array]'
                            '.every((V) => crypto.getRandomValues(new V(8)).some((x) => x != 0))', True),
    "only the part": ('(() => { const b = new Uint8Array(64); crypto.getRandomValues(b.subarray(16, 48)); return [b.subarray(0, 16).every((x) => x === 0),'
                      'b.subarray(48).every((x) => x === 0), b.subarray(16, 48).some((x) => x !== 0)]; })()', [True] * 3),
    "floats and others": ('[new Float32Array(1), new Float64Array(1), new Float16Array(1), new DataView(new ArrayBuffer(1)), {}]'
                          '.map((v) => thrown(() => crypto.getRandomValues(v)))', ["TypeMismatchError"] * 5),
    "no object": ('[thrown(() => crypto.getRandomValues()), thrown(() => crypto.getRandomValues(5))]', ["TypeError"] * 2),
    "too much": ('[thrown(() => crypto.getRandomValues(new Uint8Array(65537))), crypto.getRandomValues(new Uint8Array(65536)).length,'
                 'thrown(() => crypto.getRandomValues(new Uint32Array(16385))), crypto.getRandomValues(new Uint8Array(0)).length]',
                 ["QuotaExceededError", 65536, "QuotaExceededError", 0]),
    "kind": ('[tag(crypto), typeof crypto, Object.keys(globalThis).includes("crypto")]', ["[object Crypto]", "object", False]),
})


@test
def uuids_are_of_version_4_and_differ():
    seen = value_of("return Array.from({length: 1000}, () => crypto.randomUUID())")
    equal(len(set(seen)), 1000)
    for uuid in seen:
        assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", uuid), uuid


@test
def two_runs_have_different_random_numbers():
    code = "return [crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(8)).toHex(), Math.random()]"
    first, second = value_of(code), value_of(code)
    assert all(a != b for a, b in zip(first, second)), (first, second)


# --- how they are loaded ---------------------------------------------------------------------

NAMES = ["URL", "URLSearchParams", "TextDecoder", "TextEncoder", "structuredClone", "AbortController", "AbortSignal",
         "CustomEvent", "Event", "EventTarget"]

named("loading")({
    "before use": (f'{NAMES}.map((n) => {{ const d = Object.getOwnPropertyDescriptor(globalThis, n); return typeof d.get === "function"'
                   '&& d.configurable && !d.enumerable; }).every(Boolean)', True),
    "after use": (f'{NAMES}.map((n) => {{ const v = globalThis[n]; const d = Object.getOwnPropertyDescriptor(globalThis, n); return d.value === v'
                  '&& typeof v === "function" && v.name === n && d.writable && d.configurable && !d.enumerable; })', [True] * len(NAMES)),
    "nothing is enumerable": ('Object.keys(globalThis)', []),
    "typeof": ('[typeof URL, "URL" in globalThis, typeof NoSuchThing]', ["function", True, "undefined"]),
    "assigned before use": ('(() => { URL = 5; return [URL, Object.getOwnPropertyDescriptor(globalThis, "URL"), typeof URLSearchParams, URL]; })()',
                            [5, {"value": 5, "writable": True, "enumerable": False, "configurable": True}, "function", 5]),
    "deleted before use": ('(() => { delete globalThis.URLSearchParams; new URL("a:b"); return typeof URLSearchParams; })()', "undefined"),
    "redefined before use": ('(() => { Object.defineProperty(globalThis, "TextEncoder", {value: 1}); new TextDecoder(); return TextEncoder; })()', 1),
    "assigned after use": ('(() => { new URL("a:b"); globalThis.URL = 7; return URL; })()', 7),
    "an old getter": ('(() => { const { get } = Object.getOwnPropertyDescriptor(globalThis, "URL"); return [get() === URL, get() === URL]; })()', [True, True]),
    "by inheritance": ('(() => { const o = Object.create(globalThis); o.URL = 1; return [Object.keys(o), typeof URL, o.URL]; })()', [["URL"], "function", 1]),
    "a frozen global object": ('(() => { Object.freeze(globalThis); return [new URL("a:b").href, URL === URL]; })()', ["a:b", True]),
    "after a polluted prototype": ('(() => { Object.prototype.then = Object.prototype.toJSON = Array.prototype.extra = 1; return [new URL("http://ä/?b=c").searchParams.get("b"), new TextDecoder("big5").decode(bytes(0xa4, 0xa4)),'
                                   'new AbortController().signal.aborted, structuredClone([1]).length]; })()', ["c", "中", False, 1]),
    "at the stack's end": ('(() => { const f = () => { try { return f(); } catch { try { return URL.canParse("a:b"); } catch (e) { return e; } } };'
                           'f(); return new URL("a:b").href; })()', "a:b"),
    "one function for all": ('URL === globalThis.URL && self.URL === URL', True),
})


@each({
    "URL": 'new URL("nope")',
    "URL, by a setter": 'new URL("a:b").href = "nope"',
    "TextDecoder": 'new TextDecoder("nope")',
    "decode": 'new TextDecoder("utf-8", {fatal: true}).decode(new Uint8Array([255]))',
    "encodeInto": 'new TextEncoder().encodeInto("x", 1)',
    "a legacy decoder": 'new TextDecoder("euc-kr", {fatal: true}).decode(new Uint8Array([255]))',
    "structuredClone": 'structuredClone({get a() { return null.x }})',
    "AbortSignal": 'new AbortSignal()',
})
def an_error_shows_only_the_code_s_own_lines(code):
    error = run_json(f"function f() {{\n    {code};\n}}\nf();")["error"]
    for line in error["stack"].splitlines():
        assert re.fullmatch(r"    at [^/]* ?\(?cap:[0-9a-f]{8}:[24]:\d+\)?|    at get a \(.*\)", line), error["stack"]
    contains(error["stack"], ":2:", ":4:")


@test
def an_error_in_a_listener_ends_the_run():
    envelope = run_json('const t = new EventTarget(); t.addEventListener("x", () => { throw new RangeError("inside") });'
                        'console.log(t.dispatchEvent(new Event("x"))); await new Promise(() => 0)')
    equal(envelope["logs"], ["true"])
    contains(envelope["error"]["message"], "RangeError: inside")


@test
def a_hundred_mib_of_text_are_decoded_within_a_run():
    equal(value_of('const d = new TextDecoder(), b = new Uint8Array(1 << 20).fill(97), wanted = "a".repeat(1 << 20);'
                   'let right = 0; for (let i = 0; i < 100; i++) right += d.decode(b) === wanted; return right'), 100)


main()
