// async.js - promises, async functions, async iteration, timers: results and order.

// --- combinators
// with Promise.all([1, Promise.resolve(2), { then(r) { r(3) } }])
// with Promise.all([])
// with Promise.all("ab")
// with Promise.all([Promise.reject(new RangeError("r")), 1])
// with Promise.all(5)
// with Promise.allSettled([1, Promise.reject(new TypeError("t")), Promise.resolve(3)])
// with Promise.allSettled([])
// with Promise.race([new Promise(() => {}), Promise.resolve("first"), "second"])
// with Promise.race([Promise.reject(new EvalError()), 1])
// with Promise.any([Promise.reject(1), Promise.resolve(2), Promise.resolve(3)])
// with Promise.any([Promise.reject(1)])
// with Promise.any([])
// with Promise.any([Promise.reject(1), Promise.reject(2)]).catch((e) => [e.name, e.errors, e.constructor === AggregateError])
// with Promise.resolve(Promise.resolve(Promise.resolve(1)))
// with Promise.reject(new SyntaxError()).catch((e) => e)
// with Promise.resolve(1).finally(() => 2)
// with Promise.reject(new URIError()).finally(() => 2)
// with Promise.resolve(1).finally(() => { throw new RangeError() })
// with Promise.try(() => 5)
// with Promise.try((a, b) => a + b, 1, 2)
// with Promise.try(() => { throw new ReferenceError() })
// with Promise.try(async () => { await 0; return "async" })
// with Promise.resolve(1).then(2).then((x) => x)
// with Promise.resolve(1).then(null, () => "no")
// with Promise.reject(1).then(() => "no", (x) => x + 1)
// with new Promise((r) => { r(1); r(2); throw new Error("late") })
// with new Promise(() => { throw new TypeError("in executor") })
// with new Promise()
// with Promise()
// with { then(r) { r("thenable") } }
// with { then(r, j) { j(new RangeError("rejected")) } }
// with { then() { throw new EvalError("thrown") } }
// with { get then() { throw new TypeError("getter") } }
// with { then: 5 }.then
// with (async () => { throw new URIError() })()
// with (async () => { try { return await Promise.reject(new Error("x")) } catch { return "caught" } finally { await null } })()
return show(await $CASE)

// --- a promise cannot be its own result
const p = new Promise((r) => setTimeout(() => r(p), 1));
return p

// --- withResolvers
const { promise, resolve, reject } = Promise.withResolvers();
setTimeout(resolve, 1, "later");
return [await promise, typeof reject]

// --- the order of microtasks
const log = [];
const p = (async () => { log.push(1); await null; log.push(4); await null; log.push(7) })();
Promise.resolve().then(() => log.push(5)).then(() => log.push(8));
queueMicrotask(() => log.push(6));
log.push(2); log.push(3);
await p; await null;
return log

// --- the order of then and await
const log = [];
const a = async () => { log.push("a1"); await b(); log.push("a2") }, b = async () => { log.push("b"); };
const p = a(); Promise.resolve().then(() => log.push("t1")).then(() => log.push("t2"));
log.push("sync"); await p; await null; await null;
return log

// --- returning a promise takes three turns
const log = [];
const f = async () => Promise.resolve("f"), g = async () => await Promise.resolve("g"), h = async () => "h";
await Promise.all([f(), g(), h()].map((p) => p.then((v) => log.push(v))));
return log

// --- a thenable takes a turn more
const log = [];
const t = { then(r) { log.push("then called"); r("t") } };
const p = Promise.resolve(t).then((v) => log.push(v)), q = Promise.resolve("p").then((v) => log.push(v)).then(() => log.push("p2"));
log.push("sync");
await Promise.all([p, q]);
return log

// --- timers after microtasks
const log = [];
setTimeout(() => log.push("timer"), 0);
queueMicrotask(() => log.push("micro"));
Promise.resolve().then(() => log.push("promise"));
log.push("sync");
await new Promise((r) => setTimeout(r, 5));
return log

// --- timers in their order
const log = [];
setTimeout(() => log.push("c"), 30); setTimeout(() => log.push("a"), 1); setTimeout(() => log.push("b"), 15);
const dropped = setTimeout(() => log.push("never"), 5); clearTimeout(dropped);
await new Promise((r) => setTimeout(r, 50));
return log

// --- an interval that ends itself
let n = 0;
return new Promise((r) => { const id = setInterval(() => { if (++n === 3) { clearInterval(id); r(n) } }, 1) })

// --- arguments of timers
return new Promise((r) => setTimeout((...a) => r(a), 1, "x", 2, null))

// --- microtasks between timers
const log = [];
setTimeout(() => { log.push("t1"); Promise.resolve().then(() => log.push("m1")) }, 1);
setTimeout(() => log.push("t2"), 1);
await new Promise((r) => setTimeout(r, 20));
return log

// --- sequential and parallel
const step = (n, ms) => new Promise((r) => setTimeout(() => { log.push(n); r(n) }, ms)), log = [];
for (const [n, ms] of [[1, 8], [2, 1]]) await step(n, ms);
await Promise.all([step(3, 16), step(4, 1)]);
return log

// --- for await over an array of promises
const out = [];
for await (const x of [1, Promise.resolve(2), (async () => 3)()]) out.push(x);
return out

// --- an async generator
async function* pages() { for (let p = 1; p <= 3; p++) { await null; yield { p, items: [p * 10, p * 10 + 1] } } }
const all = [];
for await (const { items } of pages()) all.push(...items);
return all

// --- an async generator by hand
async function* g() { const x = yield 1; try { yield x * 2 } finally { yield "cleanup" } }
const i = g();
return show([await i.next(), await i.next(5), await i.return("r"), await i.next(), await i.next()])

// --- requests queue up
async function* g() { yield 1; yield 2; return 3 }
const i = g();
return show(await Promise.all([i.next(), i.next(), i.next(), i.next()]))

// --- an async generator awaits what it yields
async function* g() { yield Promise.resolve(1); yield* [Promise.resolve(2)]; return Promise.resolve(3) }
const i = g();
return show([await i.next(), await i.next(), await i.next()])

// --- a rejected yield throws inside
async function* g() { try { yield Promise.reject(new RangeError("r")) } catch (e) { yield "caught " + e.name } }
return Array.fromAsync(g())

// --- async delegating
async function* inner() { yield 1; return "r" }
async function* outer() { const r = yield* inner(); yield r; yield* (function* () { yield "sync" })() }
return Array.fromAsync(outer())

// --- break closes an async iterator
const log = [];
async function* g() { try { yield 1; yield 2 } finally { await null; log.push("closed") } }
for await (const x of g()) { log.push(x); break }
return log

// --- an own async iterable
const ticker = { [Symbol.asyncIterator]() { let n = 0; return { next: async () => ({ value: n, done: n++ >= 3 }), return: async () => ({}) } } };
const out = []; for await (const t of ticker) out.push(t);
return out

// --- for await over what cannot be
for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => 5 }) }) return x

// --- for await stops at a rejection and closes
const log = [];
function* g() { try { yield 1; yield Promise.reject(new TypeError("t")); yield 3 } finally { log.push("closed") } }
try { for await (const x of g()) log.push(x) } catch (e) { log.push(e.name) }
return log

// --- mapping with a limit
const limit = async (xs, n, f) => { const out = [], it = xs.entries(); let active = 0, most = 0; await Promise.all(Array.from({ length: n }, async () => { for (const [i, x] of it) { most = Math.max(most, ++active); out[i] = await f(x); active-- } })); return [out, most] };
return limit([5, 1, 4, 2, 3], 2, (x) => new Promise((r) => setTimeout(r, x, x * 10)))

// --- retrying
let tries = 0;
const retry = async (f, n) => { try { return await f() } catch (e) { if (n <= 1) throw e; return retry(f, n - 1) } };
return [await retry(async () => { if (++tries < 3) throw new Error("no"); return "ok" }, 5), tries]

// --- retrying in vain
const retry = async (f, n) => { for (let i = 1; ; i++) try { return await f(i) } catch (e) { if (i === n) throw new RangeError("gave up", { cause: e }) } };
return retry(async (i) => { throw new Error("try " + i) }, 3).catch((e) => [e.name, e.cause.message])

// --- a timeout by race
const timeout = (p, ms) => Promise.race([p, new Promise((_, j) => setTimeout(j, ms, new RangeError("slow")))]);
return [await timeout(new Promise((r) => setTimeout(r, 1, "fast")), 100), await timeout(new Promise(() => {}), 5).catch((e) => e.message)]

// --- a mutex
class Mutex { #last = Promise.resolve(); run(f) { const p = this.#last.then(f); this.#last = p.catch(() => {}); return p } }
const m = new Mutex(), log = [];
await Promise.allSettled([m.run(async () => { log.push("a1"); await null; log.push("a2") }), m.run(() => { log.push("b"); throw 1 }), m.run(() => log.push("c"))]);
return log

// --- a queue between producer and consumer
const queue = [], waiting = [], put = (v) => waiting.length ? waiting.shift()(v) : queue.push(v), take = () => queue.length ? Promise.resolve(queue.shift()) : new Promise((r) => waiting.push(r));
const got = [], consumer = (async () => { for (let v; (v = await take()) !== "end";) got.push(v) })();
put(1); await null; put(2); put(3); put("end"); await consumer;
return got

// --- memoized promises
const cache = new Map(); let loads = 0;
const load = (k) => cache.get(k) ?? cache.set(k, (async () => { loads++; await null; return k.toUpperCase() })()).get(k);
return [await Promise.all([load("a"), load("b"), load("a")]), loads, load("a") === load("a")]

// --- reduce over promises
return [1, 2, 3].reduce(async (sum, x) => await sum + await new Promise((r) => setTimeout(r, 1, x)), 0)

// --- await in odd places
const o = { [await "k"]: await 1, f: async ({ a = 1 } = {}) => a };
const xs = [await 1, ...await [2, 3]];
return [o.k, xs, `${await "t"}`, (await o).k, await o.f() + await o.f({ a: 2 }), await await 5, -await 3, typeof await 1]

// --- async methods and arrows know this
class A { v = 1; async m() { await null; return this.v } a = async () => this.v }
const { a } = new A();
return [await new A().m(), await a(), await new A().m.call({ v: 9 })]

// --- an async function's errors are rejections
const f = async (x = (() => { throw new EvalError() })()) => x;
const p = f();
return [p instanceof Promise, await p.catch((e) => e.name)]

// --- finally runs in order
const log = [];
const f = async () => { try { await Promise.reject("x") } catch (e) { log.push("catch " + e); return "r" } finally { await null; log.push("finally") } };
log.push(await f());
return log

// --- finally overrides
const f = async () => { try { throw new Error() } finally { return "over" } };
return f()

// --- then with a subclass
class P extends Promise { static made = 0; constructor(f) { super(f); P.made++ } }
const p = P.resolve(1).then((x) => x);
return [p instanceof P, await p, P.made, P.all([]) instanceof P]

// --- chains skip what does not apply
return Promise.resolve("a").catch(() => "no").then((x) => { throw x + "b" }).then(() => "no").catch((x) => x + "c").finally(() => "no").then((x) => x + "d")

// --- unhandled for a while
const p = Promise.reject(new Error("x")); p.catch(() => {});
await new Promise((r) => setTimeout(r, 2));
return p.catch((e) => e.message)

// --- abandoned generators do nothing
const log = [];
async function* g() { log.push("start"); yield 1 }
g(); await null;
return log

// --- debounce
const debounce = (f, ms) => { let id; return (...a) => { clearTimeout(id); id = setTimeout(f, ms, ...a) } }, log = [];
const d = debounce((x) => log.push(x), 5); d(1); d(2); d(3);
await new Promise((r) => setTimeout(r, 30));
return log

// --- an event as a promise
const listeners = {}, once = (e) => new Promise((r) => (listeners[e] ??= []).push(r));
setTimeout(() => listeners.ready.forEach((f) => f("payload")), 1);
return Promise.all([once("ready"), once("ready")])

// --- an async pipeline
const pipe = (...fs) => (x) => fs.reduce((p, f) => p.then(f), Promise.resolve(x));
return pipe((x) => x + 1, async (x) => x * 2, (x) => new Promise((r) => setTimeout(r, 1, `<${x}>`)))(4)

// --- names of async functions
const f = async () => {}, g = async function* () {};
return [f.constructor.name, g.constructor.name, f[Symbol.toStringTag], g()[Symbol.toStringTag], String(f()), "prototype" in f, "prototype" in g, attempt(() => new f())]
