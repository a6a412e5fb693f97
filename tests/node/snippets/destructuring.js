// destructuring.js - patterns, defaults, rest; optional chaining and logical assignment.

// --- patterns
// with [a, b] = [1, 2]
// with [a, , b] = [1, 2, 3]
// with [a, ...b] = [1, 2, 3]
// with [a = 5, b = a * 2] = [undefined]
// with [a = 5, b] = [null, 1]
// with [[a], { b }] = [[1], { b: 2 }]
// with { a, b } = { a: 1, c: 3 }
// with { a: b, b: a } = { a: 1, b: 2 }
// with { a = 1, b = a + 1 } = {}
// with { x: { y: a } = { y: "default" }, ...b } = { z: 1, w: 2 }
// with { ["k" + 1]: a, b = "d" } = { k1: "computed" }
// with { length: a, [0]: b } = "string"
// with [a, b] = "😀x"
// with [a, b] = new Map([["k", "v"], ["k2", "v2"]])
// with { a, ...b } = { a: 1, [Symbol.for("s")]: 2, c: 3 }
// with [a, b] = new Set([1])
// with [...[a, b]] = [1, 2, 3]
// with { 0: a, length: b } = [7]
// with [a, b] = (function* () { yield 1; yield 2; yield 3 })()
// with { a, b } = null
// with [a, b] = {}
// with [a, b] = undefined
// with { toFixed: a } = 5
let a, b;
($CASE);
return show([a, b])

// --- swapping
let a = 1, b = 2, c = 3;
[a, b, c] = [c, a, b];
return [a, b, c]

// --- swapping in an array
const xs = [1, 2, 3, 4];
for (let i = 0, j = xs.length - 1; i < j; i++, j--) [xs[i], xs[j]] = [xs[j], xs[i]];
return xs

// --- into properties
const o = { list: [] };
({ a: o.x, b: o["y"], c: o.list[0], d: o.list[1] = "none" } = { a: 1, b: 2, c: 3 });
return o

// --- in parameters
const area = ({ width = 1, height = width } = {}, [unit = "m"] = []) => `${width * height}${unit}`;
return [area(), area({ width: 3 }), area({ width: 2, height: 5 }, ["cm"])]

// --- in loops
const out = [];
for (const [k, { v = "-", ...rest }] of Object.entries({ a: { v: 1, w: 2 }, b: { z: 3 } })) out.push([k, v, rest]);
for (const { length } of ["ab", "c"]) out.push(length);
return out

// --- in catch
try { throw Object.assign(new Error("m"), { code: 42 }) } catch ({ message, code, name = "?" }) { return [message, code, name] }

// --- defaults are made when they are needed
let made = 0;
const make = () => ++made;
const f = (a = make(), { b = make() } = {}) => [a, b];
return [f(), f(0, { b: null }), f(undefined, {}), made]

// --- defaults see the ones before
const f = (a, b = a * 2, c = [a, b]) => c;
return [f(1), f(1, 5)]

// --- defaults cannot see the ones after
const f = (a = b, b = 1) => a;
return f()

// --- an iterator is closed when the pattern is full
const log = [];
const it = { [Symbol.iterator]() { return { next: () => (log.push("next"), { value: 1, done: false }), return: () => (log.push("return"), {}) } } };
const [a, b] = it;
const [] = it;
return log

// --- an iterator is not closed when it ends itself
const log = [];
const [x, y, ...z] = { *[Symbol.iterator]() { try { yield 1 } finally { log.push("end") } } };
return show([x, y, z, log])

// --- the value of a destructuring assignment
let a;
const whole = [a] = [1, 2];
return [a, whole]

// --- order of evaluation
const log = [];
const at = (n) => (log.push(n), {});
({ [(log.push("key"), "k")]: at("target").p = log.push("default") } = { get k() { log.push("get") } });
return log

// --- rest parameters
const f = (first, ...[second, ...others]) => [first, second, others];
return [f(1), f(1, 2, 3, 4)].map(show)

// --- rest of an object leaves out symbols named before
const s = Symbol("s");
const { [s]: taken, ...rest } = { [s]: 1, a: 2, b: 3 };
return show([taken, rest, Object.getOwnPropertySymbols(rest).length])

// --- holes and undefined take the default, null does not
const [a = 1, b = 2, c = 3, d = 4] = [, undefined, null];
return [a, b, c, d]

// --- deep configuration
const configure = ({ server: { host = "localhost", port = 80, tls: { cert = null, ...tls } = {} } = {}, plugins: [main = "core", ...others] = [] } = {}) => ({ host, port, cert, tls, main, others });
return [configure(), configure({ server: { port: 8080, tls: { key: "k", cert: "c" } }, plugins: [undefined, "b", "c"] })]

// --- optional chaining
// with o?.a?.b
// with o?.missing?.b.c.d
// with o.missing?.()
// with o.f?.(2)
// with o?.["a"]?.["b"]
// with o.list?.[1]
// with o.nothing?.x
// with nil?.[o.count++]
// with nil?.f(o.count++)
// with delete o?.a.b
// with delete nil?.a
// with (o?.missing).x
// with o.zero?.toFixed(1)
// with o.empty?.length
// with o.a?.b?.toFixed?.(2)
// with nil?.a.b.c()
// with o.f?.call(null, 4)
// with typeof o?.f
// with o?.a.missing.x
// with o.a?.()
// with o?.list.map?.((x) => x * 2)
// with !nil?.x
// with nil?.x ?? "default"
const nil = null, o = { a: { b: 1 }, f: (x) => x * 2, list: [1, 2], nothing: null, zero: 0, empty: "", count: 0 };
return show([$CASE, o.count])

// --- optional calls keep this
const o = { x: 5, m() { return this?.x }, deep: { x: 6, m() { return this.x } } };
return show([o?.m(), o.m?.(), o?.["m"](), (o?.m)(), o.deep?.m?.()])

// --- nullish or or
// with 0 ?? "d"
// with "" ?? "d"
// with null ?? "d"
// with undefined ?? null ?? "d"
// with NaN ?? "d"
// with 0 || "d"
// with false || null
// with "a" && 0 && "b"
// with (null || undefined) ?? "z"
// with null ?? (0 || "x")
return show($CASE)

// --- logical assignment
// with ||=
// with &&=
// with ??=
let made = 0;
const make = () => { made++; return "new" };
const o = { zero: 0, one: 1, nil: null, text: "" };
o.zero $CASE make(); o.one $CASE make(); o.nil $CASE make(); o.text $CASE make(); o.missing $CASE make();
return show([o, made])

// --- logical assignment does not write what it need not
let writes = 0;
const o = { get x() { return 1 }, set x(v) { writes++ } };
o.x ||= 2; o.x ??= 3; o.x &&= 4;
return writes

// --- logical assignment on a constant that stays
const c = 1;
c ||= 2;
return attempt(() => { c &&= 3 })

// --- logical assignment names functions
let f; f ??= () => 1; let g = 0; g ||= function () {};
return [f.name, g.name]

// --- compound assignment
let n = 7;
const steps = [n += 3, n -= 1, n *= 2, n /= 3, n %= 4, n **= 3, n <<= 2, n >>= 1, n >>>= 1, n &= 6, n |= 9, n ^= 5];
return steps

// --- text by compound assignment
let s = "a"; s += 1; s += null; s += [2, 3]; s += { toString: () => "!" };
return s

// --- mixing nullish and or needs parentheses
// with 1 ?? 2 || 3
// with 1 && 2 ?? 3
return $CASE

// --- a counter in a map with defaults
const count = (words) => words.reduce((m, w) => { (m[w] ??= { n: 0 }).n++; return m }, {});
return count(["a", "b", "a"])
