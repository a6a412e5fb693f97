// generators.js - generators, iterators and the helpers of iterators.

// --- a generator by hand
function* g() { const x = yield 1; const y = yield x * 2; return x + y }
const i = g();
return show([i.next("ignored"), i.next(5), i.next(7), i.next()])

// --- returning early
function* g() { try { yield 1; yield 2 } finally { yield "cleanup" } }
const i = g();
return show([i.next(), i.return("r"), i.next(), i.next()])

// --- throwing into
function* g() { while (true) try { yield "ready" } catch (e) { yield "caught " + e } }
const i = g();
return show([i.next(), i.throw("a"), i.next(), i.throw("b")])

// --- throwing before the start
function* g() { yield 1 }
const i = g();
return show([attempt(() => i.throw(new RangeError())), i.next()])

// --- finally overrides return
function* g() { try { return "a" } finally { return "b" } }
return show(g().next())

// --- delegating
function* inner() { const got = yield "i"; return "result " + got }
function* outer() { const r = yield* inner(); yield r; yield* [1, 2]; yield* "ab" }
const i = outer(); i.next();
return [i.next("x").value, ...i]

// --- delegating return and throw
const log = [];
function* inner() { try { yield 1; yield 2 } catch (e) { log.push("caught"); yield 3 } finally { log.push("finally") } }
function* outer() { yield* inner(); yield 4 }
const a = outer(); a.next(); const t = a.throw(0), rest = [...a];
const b = outer(); b.next(); b.return();
return show([t, rest, log])

// --- fibonacci
function* fib(a = 0, b = 1) { while (true) { yield a; [a, b] = [b, a + b] } }
return [fib().take(10).toArray(), fib().drop(20).next().value, fib().find((n) => n > 1000)]

// --- a range with a step
const range = { from: 1, to: 10, step: 3, *[Symbol.iterator]() { for (let i = this.from; i <= this.to; i += this.step) yield i } };
return [[...range], Math.max(...range), Array.from(range, String), new Set(range).size]

// --- an iterator without a generator
class Countdown { constructor(n) { this.n = n } [Symbol.iterator]() { let n = this.n; return { next: () => n > 0 ? { value: n--, done: false } : { value: undefined, done: true }, [Symbol.iterator]() { return this } } } }
return [[...new Countdown(3)], Math.min(...new Countdown(4))]

// --- permutations by recursion
function* perms(xs, n = xs.length) { if (n < 2) yield [...xs]; else for (let i = 0; i < n; i++) { yield* perms(xs, n - 1); const j = n % 2 ? 0 : i; [xs[n - 1], xs[j]] = [xs[j], xs[n - 1]] } }
return [...perms(["a", "b", "c"])].map((p) => p.join(""))

// --- walking a tree
const tree = { v: 1, kids: [{ v: 2, kids: [{ v: 4 }] }, { v: 3 }] };
function* depth(n) { yield n.v; for (const k of n.kids ?? []) yield* depth(k) }
function* breadth(n) { const q = [n]; while (q.length) { const x = q.shift(); yield x.v; q.push(...x.kids ?? []) } }
return [[...depth(tree)], [...breadth(tree)]]

// --- a generator as a coroutine
const run = (g, ...a) => { const i = g(...a); let r = i.next(); while (!r.done) r = i.next(typeof r.value === "function" ? r.value() : r.value); return r.value };
return run(function* (n) { const a = yield () => n + 1; const b = yield a * 2; return [a, b] }, 4)

// --- loops close iterators
const log = [];
function* g() { try { yield 1; yield 2; yield 3 } finally { log.push("closed") } }
for (const x of g()) { log.push(x); if (x === 2) break }
try { for (const x of g()) throw new Error("out") } catch (e) { log.push(e.message) }
(() => { for (const x of g()) return })();
outer: for (const a of [1]) for (const x of g()) continue outer;
return log

// --- an error while closing
const it = { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }), return() { throw new RangeError("closing") } }) };
return [attempt(() => { for (const x of it) break }), attempt(() => { for (const x of it) throw new TypeError("body") })]

// --- a return that gives no object
const it = { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }), return: () => 1 }) };
for (const x of it) break

// --- what cannot be iterated
// with 5
// with {}
// with null
// with { [Symbol.iterator]: 1 }
// with { [Symbol.iterator]: () => 1 }
// with { [Symbol.iterator]: () => ({}) }
// with { [Symbol.iterator]: () => ({ next: () => 1 }) }
for (const x of $CASE) return x

// --- running while running
let i;
function* g() { i.next() }
i = g();
i.next()

// --- generators are not constructors
function* g() {}
return [attempt(() => new g()), Object.getPrototypeOf(g()) === g.prototype, typeof g.prototype, g().toString()]

// --- arguments and this in generators
function* g() { yield* arguments; yield this }
return show([...g.call("me", 1, 2)])

// --- yield as an expression
function* g() { const a = [yield 1, yield 2]; return { sum: a[0] + a[1], t: `${yield 3}` } }
const i = g(); i.next(); i.next(10); i.next(20);
return i.next("text").value

// --- helpers
// with nums().map((x, i) => x * i)
// with nums().filter((x) => x % 2)
// with nums().take(2)
// with nums().take(0)
// with nums().drop(3)
// with nums().drop(100)
// with nums().flatMap((x) => [x, -x])
// with nums().flatMap((x) => new Set([x]))
// with nums().flatMap((x) => "ab")
// with nums().flatMap((x) => new String("ab"))
// with nums().flatMap((x) => x)
// with nums().take(-1)
// with nums().take(NaN)
// with nums().take("2")
// with nums().drop(Infinity)
// with nums().map(5)
// with nums().map((x) => x * 2).filter((x) => x > 2).take(2)
// with nums().drop(1).take(2).map(String)
// with Iterator.from([7, 8])
// with Iterator.from("hé")
// with Iterator.from({ next() { return { done: this.n > 2, value: this.n++ } }, n: 0 })
// with Iterator.from(5)
// with Iterator.from({})
// with Iterator.concat([1], new Set([2]), "3")
// with Iterator.concat([1], new Set([2]), new Map([[3, 4]]).values(), nums())
// with Iterator.concat()
// with Iterator.concat(5)
// with new Map([["a", 1]]).entries().map(([k, v]) => k + v)
// with [3, 4].entries().flatMap((e) => e)
// with new Set("hello").values().filter((c) => c > "g")
// with "a1b2".matchAll(/\d/g).map(([d]) => +d)
function* nums() { yield 1; yield 2; yield 3; yield 4; yield 5 }
return show([...$CASE])

// --- helpers that end
// with reduce((a, x) => a + x)
// with reduce((a, x) => a + x, "s")
// with toArray()
// with some((x) => x > 3)
// with every((x) => x > 0)
// with every((x) => x < 3)
// with find((x) => x > 2)
// with find((x) => x > 20)
// with forEach((x) => x)
// with find("no")
// with reduce()
// with drop(10).reduce((a, x) => a)
const log = [];
function* nums() { try { yield 1; yield 2; yield 3; yield 4 } finally { log.push("closed") } }
const i = nums();
return show([attempt(() => i.$CASE), log, attempt(() => [...i])])

// --- helpers are lazy
const log = [];
const i = [1, 2, 3].values().map((x) => (log.push("m" + x), x)).filter((x) => (log.push("f" + x), x > 1));
log.push("made"); i.next(); log.push("one");
return log

// --- helpers close what is below
const log = [];
function* g() { try { yield 1; yield 2 } finally { log.push("closed") } }
const i = g().map((x) => x); i.next(); i.return();
const j = g().take(1); j.next(); j.next();
attempt(() => g().map(() => { throw 1 }).next());
for (const x of g().filter(() => true)) break;
return log

// --- helpers have names and a prototype
const i = [].values().map((x) => x);
return [i[Symbol.toStringTag], i instanceof Iterator, Object.getPrototypeOf(i) === Object.getPrototypeOf([].values().filter((x) => x)), Iterator.prototype[Symbol.toStringTag], String([].values()), String(new Map().keys()), String("".matchAll(/x/g)), String(""[Symbol.iterator]())]

// --- Iterator is abstract
class My extends Iterator { n = 0; next() { return { value: this.n++, done: this.n > 3 } } }
return [attempt(() => new Iterator()), attempt(() => Iterator()), new My().map((x) => x * 10).toArray(), [...new My()]]

// --- an own iterator gets the helpers by from
const own = { i: 0, next() { return { value: this.i, done: this.i++ >= 3 } } };
return [Iterator.from(own).filter((x) => x !== 1).toArray(), "map" in own]

// --- primes for ever
function* primes() { const found = []; for (let n = 2; ; n++) if (found.every((p) => n % p)) { found.push(n); yield n } }
return primes().filter((p) => p % 4 === 1).take(6).toArray()

// --- pairs of a lazy list
const pairs = (i) => { let last; return i.flatMap((x, n) => { const r = n ? [[last, x]] : []; last = x; return r }) };
return pairs([1, 2, 3].values()).toArray()

// --- spread of a generator that ends with a value
return [...(function* () { yield 1; return 2 })()]

// --- entries, keys and values are alive
const m = new Map([[1, "a"]]), i = m.entries(); i.next(); m.set(2, "b");
const a = ["x"], k = a.keys(); k.next(); a.push("y");
return show([i.next(), i.next(), k.next(), k.next(), (m.set(3, "c"), i.next())])

// --- batches
function* batch(xs, n) { let b = []; for (const x of xs) if (b.push(x) === n) { yield b; b = [] } if (b.length) yield b }
return [...batch("abcdefg", 3)].map((b) => b.join(""))

// --- interleave
function* interleave(...its) { its = its.map((i) => i[Symbol.iterator]()); while (its.length) for (const i of [...its]) { const { value, done } = i.next(); if (done) its.splice(its.indexOf(i), 1); else yield value } }
return [...interleave([1, 2, 3], "ab", new Set([true]))]

// --- a tokenizer
function* tokens(s) { for (const { groups: g } of s.matchAll(/\s*(?:(?<num>\d+\.?\d*)|(?<op>[-+*/()]))/g)) yield g.num ? { num: +g.num } : { op: g.op } }
return [...tokens("3 + 4.5*(2-1)")]

// --- a calculator on a generator
function* lex(s) { yield* s.match(/\d+|[-+*/()]/g) }
const parse = (s) => { const ts = lex(s); let t = ts.next().value; const take = () => { const x = t; t = ts.next().value; return x };
    const atom = () => { const x = take(); if (x === "(") { const v = sum(); take(); return v } return x === "-" ? -atom() : +x };
    const prod = () => { let v = atom(); while (t === "*" || t === "/") v = take() === "*" ? v * atom() : v / atom(); return v };
    const sum = () => { let v = prod(); while (t === "+" || t === "-") v = take() === "+" ? v + prod() : v - prod(); return v };
    return sum() };
return ["1+2*3", "(1+2)*3", "10/4-1", "2*(3-(4-5))", "-3+5"].map(parse)

// --- tee
const tee = (it) => { const q = [[], []], src = it[Symbol.iterator](); return q.map((mine) => (function* () { while (true) { if (!mine.length) { const r = src.next(); if (r.done) return; q.forEach((x) => x.push(r.value)) } yield mine.shift() } })()) };
const [a, b] = tee([1, 2, 3]);
return [a.next().value, [...b], [...a]]
