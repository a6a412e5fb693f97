// metaprogramming.js - symbols, proxies and Reflect.

// --- symbols
// with Symbol("a") === Symbol("a")
// with Symbol.for("a") === Symbol.for("a")
// with Symbol.keyFor(Symbol.for("a"))
// with Symbol.keyFor(Symbol("a"))
// with Symbol("a").description
// with Symbol().description
// with Symbol("").description
// with Symbol("a").toString()
// with String(Symbol("a"))
// with Symbol("a") + ""
// with +Symbol("a")
// with !Symbol("a")
// with new Symbol()
// with typeof Object(Symbol())
// with Object(Symbol.iterator) == Symbol.iterator
// with [Symbol.iterator, Symbol.asyncIterator, Symbol.hasInstance].map(String)
// with JSON.stringify([Symbol("x")])
// with Symbol.iterator in []
// with Symbol.prototype[Symbol.toStringTag]
return show($CASE)

// --- a proxy with defaults
const defaults = (o, d) => new Proxy(o, { get: (t, k, r) => k in t ? Reflect.get(t, k, r) : d });
const p = defaults({ a: 1 }, 0);
p.b += 5; p.c++;
return [p.a, p.b, p.c, p.zzz]

// --- a proxy that checks
const p = new Proxy({}, { set(t, k, v) { if (k === "age" && !Number.isInteger(v)) throw new TypeError("age"); return Reflect.set(t, k, v) } });
p.age = 5;
return [attempt(() => { p.age = "x" }), p.age]

// --- a set that says no
const p = new Proxy({}, { set: () => false, deleteProperty: () => false, defineProperty: () => false });
return [attempt(() => { p.x = 1 }), attempt(() => { delete p.x }), attempt(() => Object.defineProperty(p, "x", {})), Reflect.set(p, "x", 1), Reflect.deleteProperty(p, "x")]

// --- every trap is called
// with p.x
// with p.x = 1
// with "x" in p
// with delete p.x
// with Object.keys(p)
// with Object.entries(p)
// with ({ ...p })
// with Object.getOwnPropertyNames(p)
// with Object.getPrototypeOf(p)
// with Object.setPrototypeOf(p, null)
// with Object.isExtensible(p)
// with Object.preventExtensions(p)
// with Object.freeze(p)
// with Object.isFrozen(p)
// with Object.defineProperty(p, "y", { value: 1, configurable: true })
// with Object.getOwnPropertyDescriptor(p, "a")
// with Object.hasOwn(p, "a")
// with p instanceof Object
// with JSON.stringify(p)
// with p + ""
// with Object.assign({}, p)
// with Object.assign(p, { z: 1 })
// with p.a++
// with p.a ??= 1
// with (({ a, ...r }) => r)(p)
// with (() => { for (const k in p); })()
// with [...p]
// with Array.isArray(p)
// with typeof p
// with Object.prototype.toString.call(p)
// with p.hasOwnProperty("a")
// with structure(p)
// with Promise.resolve(p)
const log = [], structure = ({ a: { length } = "", ...rest }) => length;
const p = new Proxy({ a: 1, b: { c: 2 } }, new Proxy({}, { get: (_, trap) => (...args) => { log.push([trap, ...args.slice(1).filter((a) => typeof a === "string" || typeof a === "symbol").map(String)].join(" ")); return Reflect[trap](...args) } }));
const done = attempt(() => { const v = $CASE; return typeof v === "object" ? "object" : v });
return [done, log]

// --- traps of functions
const log = [];
const f = new Proxy(function (a, b) { return a + b }, { apply(t, self, args) { log.push(["apply", args]); return t(...args) * 10 }, construct(t, args, nt) { log.push(["construct", args, nt === f]); return { made: args } } });
return [f(1, 2), f.call(null, 3, 4), f.apply(null, [5, 6]), Reflect.apply(f, null, [1, 1]), new f(7), typeof f, log, f.length]

// --- construct has to give an object
const F = new Proxy(class {}, { construct: () => 1 });
new F()

// --- an arrow behind a proxy is no constructor
const F = new Proxy(() => 1, {});
return [F(), attempt(() => new F())]

// --- array proxies
const negative = (a) => new Proxy(a, { get: (t, k, r) => typeof k === "string" && /^-\d+$/.test(k) ? t.at(+k) : Reflect.get(t, k, r) });
const p = negative([1, 2, 3]);
return [p[-1], p[0], p.length, p.map((x) => x * 2), Array.isArray(p), JSON.stringify(p), [...p], p.concat([4])]

// --- an observed array
const log = [];
const p = new Proxy([1, 2], { set(t, k, v) { log.push(`${k}=${v}`); t[k] = v; return true }, deleteProperty(t, k) { log.push(`delete ${k}`); return delete t[k] } });
p.push(3); p.shift(); p.length = 0; p.unshift("a", "b"); p.reverse(); p.splice(0, 1);
return log

// --- observed sorts and copies
const log = [];
const p = new Proxy([3, 1, 2], { set(t, k, v) { log.push(k); return Reflect.set(t, k, v) } });
const c = p.toSorted();
return [c, log.length, [...p.sort()]]

// --- a recorder of paths
const path = (at = []) => new Proxy(() => {}, { get: (_, k) => path([...at, k]), apply: (_, __, args) => `${at.join(".")}(${args})` });
return path().api.users["by-id"](1, 2)

// --- deep watching
const changes = [];
const watch = (o, at = "") => new Proxy(o, { get(t, k) { const v = t[k]; return typeof v === "object" && v ? watch(v, at + k + ".") : v }, set(t, k, v) { changes.push([at + k, t[k] ?? null, v]); t[k] = v; return true } });
const w = watch({ a: { b: 1 }, l: [1] }); w.a.b = 2; w.l.push(5); w.x = 1;
return changes

// --- revoking
const { proxy, revoke } = Proxy.revocable({ a: 1 }, {});
const before = proxy.a; revoke();
return [before, attempt(() => proxy.a), typeof proxy, attempt(() => Array.isArray(proxy)), attempt(() => { revoke() })]

// --- invariants are kept
// with get: () => 2
// with has: () => false
// with deleteProperty: () => true
// with ownKeys: () => []
// with ownKeys: () => ["x", "x"]
// with ownKeys: () => [1]
// with getOwnPropertyDescriptor: () => undefined
// with getPrototypeOf: () => 5
// with getPrototypeOf: () => null
// with isExtensible: () => true
// with preventExtensions: () => true
// with defineProperty: () => true
// with setPrototypeOf: () => true
// with set: () => true
const p = new Proxy(Object.freeze({ x: 1 }), { $CASE }), q = new Proxy({ y: 1 }, { $CASE });
const each = (p) => [() => p.x, () => "x" in p, () => delete p.x, () => Reflect.ownKeys(p), () => Object.getOwnPropertyDescriptor(p, "x"), () => Object.getPrototypeOf(p) === null, () => Object.isExtensible(p), () => Reflect.preventExtensions(p), () => Reflect.defineProperty(p, "n", { value: 1 }), () => Reflect.setPrototypeOf(p, Array.prototype), () => Reflect.set(p, "x", 5)].map(attempt);
return [each(p), each(q)]

// --- hidden properties
const hide = (o) => new Proxy(o, { has: (t, k) => !k.startsWith("_") && k in t, ownKeys: (t) => Reflect.ownKeys(t).filter((k) => !k.startsWith("_")), get: (t, k, r) => typeof k === "string" && k.startsWith("_") ? undefined : Reflect.get(t, k, r) });
const p = hide({ _secret: 1, open: 2 });
return show(["_secret" in p, Object.keys(p), p._secret, JSON.stringify(p), p])

// --- keys that are not there
const p = new Proxy({}, { ownKeys: () => ["a", "b"], getOwnPropertyDescriptor: (t, k) => ({ value: k, enumerable: k === "a", configurable: true }) });
return [Object.keys(p), Object.getOwnPropertyNames(p), { ...p }]

// --- a proxy as a prototype
const o = Object.create(new Proxy({}, { get: (t, k, r) => typeof k === "string" ? `no ${k} in ${r === o}` : undefined, has: (t, k) => k === "magic" }));
o.own = 1;
return [o.own, o.other, "magic" in o, "none" in o]

// --- receivers
const base = { get me() { return this.tag } }, p = new Proxy(base, {}), o = Object.create(p, { tag: { value: "o" } });
return show([o.me, p.me, Reflect.get(base, "me", { tag: "r" })])

// --- Reflect
// with Reflect.ownKeys({ b: 1, [Symbol("s")]: 1, 1: 1, a: 1 })
// with Reflect.has({ x: 1 }, "x")
// with Reflect.get({ get x() { return this.y } }, "x", { y: 5 })
// with Reflect.set(Object.freeze({}), "x", 1)
// with Reflect.set([], "length", 3)
// with Reflect.defineProperty(Object.freeze({}), "x", { value: 1 })
// with Reflect.deleteProperty(Object.freeze({ x: 1 }), "x")
// with Reflect.getPrototypeOf([]) === Array.prototype
// with Reflect.setPrototypeOf(Object.preventExtensions({}), null)
// with Reflect.isExtensible(Object.seal({}))
// with Reflect.apply(Math.max, null, [1, 3, 2])
// with Reflect.apply(String.prototype.slice, "hello", [1, 3])
// with Reflect.construct(Date, [0]).getTime()
// with Reflect.construct(Array, [], Map) instanceof Map
// with Reflect.construct(() => 1, [])
// with Reflect.ownKeys(1)
// with Reflect.getOwnPropertyDescriptor({ a: 1 }, "a")
// with Reflect.getOwnPropertyDescriptor("a", 0)
// with Reflect.apply(1)
// with Object.prototype.toString.call(Reflect)
return show($CASE)

// --- setting through a receiver
const target = { set v(x) { this._v = x } }, receiver = {};
return [Reflect.set(target, "v", 1, receiver), receiver, target, Reflect.set({}, "n", 2, receiver), receiver, Reflect.set({}, "n", 2, 5)]

// --- well-known symbols
class Temp { constructor(c) { this.c = c } [Symbol.toPrimitive](h) { return h === "string" ? this.c + "C" : this.c } static [Symbol.hasInstance](x) { return "c" in x } get [Symbol.toStringTag]() { return "Temp" } }
const t = new Temp(5);
return [`${t}`, t * 2, t + 1, ({ c: 1 }) instanceof Temp, String(Object.prototype.toString.call(t)), t == 5, new Date(t).getTime(), [10, 20, 30, 40, 50, 60][t]]

// --- an own matcher
const m = { [Symbol.match]: (s) => ["m:" + s], [Symbol.replace]: (s, r) => `r:${s}:${r}`, [Symbol.search]: () => 42, [Symbol.split]: (s) => [...s].reverse() };
return ["abc".match(m), "abc".replace(m, "x"), "abc".search(m), "abc".split(m)]

// --- no regular expression to startsWith
const re = /a/; re[Symbol.match] = false;
return ["/a/b".startsWith(re), attempt(() => "a".startsWith(/a/))]

// --- spreadable
const like = { length: 2, 0: "a", 1: "b", [Symbol.isConcatSpreadable]: true }, tight = Object.assign([1, 2], { [Symbol.isConcatSpreadable]: false });
return [[0].concat(like), [0].concat(tight).length]

// --- symbols as private keys
const hidden = Symbol("hidden");
class A { [hidden] = 1; static read(o) { return o[hidden] } }
return [A.read(new A()), Object.keys(new A()), JSON.stringify(new A())]

// --- memoize by proxy
let calls = 0;
const memo = (f) => { const c = new Map(); return new Proxy(f, { apply(t, s, a) { const k = JSON.stringify(a); return c.has(k) ? c.get(k) : c.set(k, Reflect.apply(t, s, a)).get(k) } }) };
const sq = memo((x) => (calls++, x * x));
return [sq(4), sq(4), sq(5), calls, sq.name]
