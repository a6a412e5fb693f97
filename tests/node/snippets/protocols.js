// protocols.js - which methods the language itself calls, and in which order; disposal.

// --- conversions ask in order
// with `${o}`
// with +o
// with o + ""
// with o + 1
// with o == "s"
// with o == 1
// with o < 2
// with [][o]
// with ({})[o]
// with "abc".at(o)
// with "abc".repeat(o)
// with Math.max(o, o)
// with parseInt(o)
// with new Date(o).getTime()
// with [1, 2, 3].slice(o)
// with "a-b".split(o)
// with isNaN(o)
// with BigInt.asIntN(8, 5n) + BigInt(o)
// with JSON.stringify({ o })
// with String(o)
// with Number(o)
// with o ? 1 : 2
// with o ?? 2
// with [o, o].join()
// with [o, o].sort().length
// with new Array(o).length
// with Array(3).fill(0).with(o, 5)
// with o in { s: 1 }
// with Symbol(o).description
// with new Error(o).message
// with "s".localeCompare(o)
// with "xsx".indexOf(o)
// with Object.is(o, o)
// with o++
// with -o
// with ~o
// with o ** 2
// with o % 2
// with new Uint8Array([o])[0]
// with encodeURIComponent(o)
// with "abc".padEnd(5, o)
// with "abc".replace("b", o)
// with new Set([o]).has(o)
// with new RegExp(o).source
// with Number.isInteger(o)
// with (1.5).toFixed(o)
// with String.fromCharCode(o)
// with Array.from({ length: o }).length
const log = [];
let o = { toString() { log.push("toString"); return "s" }, valueOf() { log.push("valueOf"); return 1 } };
return [attempt(() => $CASE), log]

// --- both operands are converted, the left one first
// with a + b
// with a * b
// with a < b
// with a > b
// with a <= b
// with a >= b
// with a ** b
// with a << b
// with a == b
// with a - b
// with a & b
// with `${a}${b}`
// with [a, b].join("")
// with Math.max(a, b)
// with new Date(a, b).getTime()
// with "x".padEnd(a, b)
// with a.concat
// with Math.hypot(a, b) | 0
// with Math.atan2(a, b) > 0
// with "abcdef".substring(a, b)
const log = [], make = (name, v) => ({ [Symbol.toPrimitive](hint) { log.push(`${name} ${hint}`); return v } }), a = make("a", 3), b = make("b", 2);
return [attempt(() => $CASE), log]

// --- what reads a list
// with [...it]
// with [a, b] = it
// with [a, ...b] = it
// with [] = it
// with [a = 1, , b] = it
// with Array.from(it)
// with Array.from(it, (x) => x)
// with new Set(it)
// with Math.max(...it)
// with Object.fromEntries(it)
// with new Map(it)
// with new Uint8Array(it)
// with Promise.all(it)
// with it[Symbol.iterator]().next()
// with Iterator.from(it).take(1).toArray()
// with Iterator.from(it).some((x) => x === 1)
// with Iterator.from(it).drop(1).next()
// with new Set([1, 5]).union(it)
// with Object.groupBy(it, (x) => x)
// with (() => { for (const x of it) break })()
// with (() => { for (const x of it) { try { continue } finally { break } } })()
// with (() => { for ([a] of it); })()
// with String.raw({ raw: it })
// with (function* () { yield* it })().next()
// with (() => { const g = (function* () { yield* it })(); g.next(); g.return() })()
// with (() => { const g = (function* () { yield* it })(); g.next(); g.throw(new RangeError()) })()
// with new AggregateError(it).errors
// with Array.prototype.concat.call([], it).length
// with structuredly(it)
const log = [], structuredly = ({ ...r }) => Object.keys(r).length;
const it = { get [Symbol.iterator]() { log.push("get iterator"); return () => { log.push("iterator"); let n = 0; return { get next() { log.push("get next"); return () => { log.push("next"); return { get done() { log.push("done"); return n >= 2 }, get value() { log.push("value"); return ++n } } } }, get return() { log.push("get return"); return () => { log.push("return"); return {} } } } } } };
let a, b;
return [attempt(() => { const v = $CASE; return typeof v === "object" ? "object" : v }), log]

// --- what looks at an object
// with ({ ...p })
// with Object.assign({}, p)
// with Object.entries(p)
// with JSON.stringify(p)
// with (({ a, ...r }) => r)(p)
// with Object.fromEntries(Object.entries(p))
// with new Error("m", p)
// with Object.defineProperties({}, p)
// with Object.create(null, p)
// with Object.defineProperty({}, "x", p)
// with Array.from(p)
// with Array.prototype.slice.call(p)
// with Array.prototype.indexOf.call(p, 1)
// with Array.prototype.includes.call(p, 1)
// with Array.prototype.join.call(p)
// with Array.prototype.reverse.call(p)
// with Array.prototype.map.call(p, (x) => x)
// with Array.prototype.toSorted.call(p)
// with Array.prototype.at.call(p, -1)
// with Array.prototype.flat.call(p)
// with Array.prototype.push.call(p, 9)
// with Array.prototype.shift.call(p)
// with Array.prototype.splice.call(p, 0, 1)
// with Array.prototype.concat.call(p)
// with Array.prototype.fill.call(p, 0)
// with Array.prototype.copyWithin.call(p, 0, 1)
// with Array.prototype.lastIndexOf.call(p, 1)
// with Array.prototype.findLast.call(p, (x) => false)
// with Array.prototype.some.call(p, (x) => false)
// with Array.prototype.reduceRight.call(p, (x) => x)
// with Array.prototype.toSpliced.call(p, 0, 1)
// with Array.prototype.unshift.call(p, 0)
// with Array.prototype.pop.call(p)
// with Array.prototype.with.call(p, 0, 1)
// with Array.prototype.sort.call(p)
// with Math.max.apply(null, p)
// with Reflect.apply(Math.max, null, p)
// with Object.freeze(p)
// with Object.seal(p)
// with Object.isSealed(p)
// with Object.groupBy([1], () => p)
// with new Date(p)
// with "x".match(p)
// with "x".replace("x", p)
// with p instanceof Array
// with 1 instanceof p
// with Object.getOwnPropertyDescriptors(p)
// with Object.prototype.propertyIsEnumerable.call(p, "0")
// with Object.prototype.isPrototypeOf.call({}, p)
// with p.__proto__
// with Object.values(p)
// with RegExp(p)
// with RegExp.prototype.flags
// with new Map([p])
// with new Proxy(p, {})[0]
// with Iterator.from(p)
// with new Set([1]).union(p)
// with Promise.resolve(p)
// with Symbol.prototype.toString.call(p)
// with super_?.(p)
const log = [], super_ = null;
const p = new Proxy({ 0: 1, 1: 2, length: 2 }, new Proxy({}, { get: (_, trap) => (...args) => { log.push([trap, ...args.slice(1, 2).map(String)].join(" ").replace("[object Object]", "")); return Reflect[trap](...args) } }));
return [attempt(() => { const v = $CASE; return typeof v === "object" ? "object" : v }), log]

// --- a subclass is asked for by species
// with map((x) => x)
// with filter(() => true)
// with slice(1)
// with splice(0, 1)
// with concat([1])
// with flat()
// with flatMap((x) => [x])
// with toSorted()
// with toSpliced(0, 0)
// with with(0, 1)
const log = [];
class A extends Array { constructor(...a) { super(...a); log.push(a) } static get [Symbol.species]() { log.push("species"); return this } }
const a = A.of(3, 2, 1); log.length = 0;
return show([a.$CASE instanceof A, log])

// --- disposal
const log = [];
{ using a = { [Symbol.dispose]() { log.push("a") } }, b = { [Symbol.dispose]() { log.push("b") } }, n = null; log.push("body") }
return log

// --- disposal after an error
const log = [];
try { using a = { [Symbol.dispose]() { log.push("a") } }; throw new RangeError("body") } catch (e) { log.push(e.name) }
return log

// --- errors of disposal are kept
try { using a = { [Symbol.dispose]() { throw new TypeError("a") } }, b = { [Symbol.dispose]() { throw new RangeError("b") } }; throw new Error("body") } catch (e) { return [e.name, e.error.name, e.suppressed.name, e.suppressed.error.name, e.suppressed.suppressed.message] }

// --- disposal that waits
const log = [];
{ await using a = { async [Symbol.asyncDispose]() { await null; log.push("a") } }, b = { [Symbol.dispose]() { log.push("b") } }; log.push("body") }
return log

// --- disposal in loops
const log = [], make = (n) => ({ n, [Symbol.dispose]() { log.push("end " + n) } });
for (using x of [make(1), make(2), make(3)]) { if (x.n === 2) continue; log.push(x.n); if (x.n === 3) break }
for (using x = make(9); log.length < 6;) log.push("turn");
return log

// --- disposal on the way out of a function and a generator
const log = [], make = (n) => ({ [Symbol.dispose]() { log.push(n) } });
const f = () => { using a = make("f"); return log.push("returning") };
function* g() { using a = make("g"); yield 1; yield 2 }
f(); for (const x of g()) { log.push(x); break }
return log

// --- what cannot be disposed
return [attempt(() => { using a = {} }), attempt(() => { using a = 5 }), attempt(() => { using a = undefined; return "fine" }), attempt(() => { using a = { [Symbol.dispose]: 1 } })]

// --- using is constant, and still a name
const using = 5;
return [using, attempt(() => { using x = null; x = 1 })]

// --- iterators are disposed
const log = [];
{ using i = (function* () { try { yield 1 } finally { log.push("closed") } })(); log.push(i.next().value) }
return log

// --- more is asked of an async generator than it has
// with [i.next(), i.next(), i.next()]
// with [i.next(), i.next(), i.next(), i.next()]
// with [i.next(), i.next(), i.next(), i.throw(1), i.next()]
// with [i.return("r")]
// with [i.return("r"), i.next()]
// with [i.next(), i.return("r"), i.return("q"), i.next()]
// with [i.throw(1), i.next(), i.next()]
async function* g() { yield "only" }
const i = g();
return show(await Promise.race([Promise.allSettled($CASE), new Promise((r) => setTimeout(r, 20, "stalled"))]))

// --- async generators under pressure
const log = [];
async function* g() { try { log.push("start"); yield 1; log.push("on"); yield 2 } finally { log.push("finally") } }
const i = g(), all = [i.next(), i.return("r"), i.next(), i.throw(new Error("t"))];
const settled = await Promise.race([Promise.allSettled(all), new Promise((r) => setTimeout(r, 20, []))]);
return show([settled.map((s) => s.value ?? s.reason.message), log])

// --- the order of async generators and promises
const log = [];
async function* g() { log.push("g1"); yield 1; log.push("g2"); yield 2; log.push("g3") }
const a = (async () => { for await (const x of g()) log.push("x" + x) })();
const b = (async () => { for (let n = 0; n < 8; n++) { await null; log.push(n) } })();
await Promise.all([a, b]);
return log

// --- the order of for await over promises
const log = [];
const a = (async () => { for await (const x of [Promise.resolve(1), 2]) log.push("x" + x); log.push("end") })();
const b = (async () => { for (let n = 0; n < 8; n++) { await null; log.push(n) } })();
await Promise.all([a, b]);
return log

// --- the order of yield* in async generators
const log = [];
async function* inner() { yield 1; yield Promise.resolve(2) }
async function* outer() { yield* inner(); return Promise.resolve("r") }
const a = (async () => { const i = outer(); for (let r; !(r = await i.next()).done;) log.push("x" + r.value); log.push("end") })();
const b = (async () => { for (let n = 0; n < 16; n++) { await null; log.push(n) } })();
await Promise.all([a, b]);
return log

// --- the order of combinators
const log = [], tick = (async () => { for (let n = 0; n < 10; n++) { await null; log.push(n) } })();
const all = [Promise.all([1, Promise.resolve(2)]).then(() => log.push("all")), Promise.race([1, 2]).then(() => log.push("race")), Promise.any([1]).then(() => log.push("any")), Promise.allSettled([1]).then(() => log.push("settled")), Promise.resolve().finally(() => log.push("finally")).then(() => log.push("after finally")), Promise.reject().catch(() => log.push("catch")), Promise.try(() => 1).then(() => log.push("try"))];
await Promise.all([tick, ...all]);
return log

// --- the turns that Array.fromAsync takes
const log = [], tick = (async () => { for (let n = 0; n < 10; n++) { await null; log.push(n) } })();
await Promise.all([tick, Array.fromAsync([1]).then(() => log.push("done"))]);
return log

// --- the order of async returns
const log = [], fs = [async () => 1, async () => await 1, async () => Promise.resolve(1), async () => ({ then(r) { r(1) } }), async () => { try { return await 1 } finally { await null } }, () => new Promise((r) => r(Promise.resolve(1))), async () => { throw 1 }];
await Promise.all(fs.map((f, i) => f().then(() => log.push(i), () => log.push("e" + i))));
return log
