// objects.js - objects: keys, copies, descriptors, inheritance.

// --- keys in their order
return Object.keys({ b: 1, 2: 1, a: 1, 1: 1, [Symbol("s")]: 1, "-1": 1, "01": 1, 4294967295: 1, 4294967294: 1 })

// --- entries there and back
return Object.fromEntries(Object.entries({ a: 1, b: 2, c: 3 }).filter(([, v]) => v > 1).map(([k, v]) => [k.toUpperCase(), v * 10]))

// --- from a map
return Object.fromEntries(new Map([["x", 1], ["y", { z: 2 }]]))

// --- questions about objects
// with Object.keys("ab")
// with Object.entries([7, 8])
// with Object.values("hi")
// with Object.keys(null)
// with Object.keys(5)
// with Object.hasOwn({ a: 1 }, "a")
// with Object.hasOwn({ a: 1 }, "toString")
// with "toString" in {}
// with Object.getOwnPropertyNames("ab")
// with Object.getOwnPropertyNames(function f(a, b) {})
// with Object.getOwnPropertyNames(class { static x = 1; static m() {} })
// with Object.getOwnPropertyNames(() => 1)
// with Object.getPrototypeOf([]) === Array.prototype
// with Object.getPrototypeOf(Object.create(null))
// with typeof null
// with typeof (() => 1)
// with typeof class {}
// with typeof Symbol()
// with typeof 1n
// with typeof undefinedVariable
// with undefinedVariable
// with Object.is({}, {})
// with {} + ""
// with Object.prototype.toString.call([])
// with Object.prototype.toString.call(null)
// with Object.prototype.toString.call(new Date(0))
// with Object.prototype.toString.call(/x/)
// with Object.prototype.toString.call(function () {})
// with Object.prototype.toString.call(new Map())
// with Object.prototype.toString.call((function* () {})())
// with Object.prototype.toString.call(Promise.resolve())
// with Object.prototype.toString.call(Symbol.iterator)
// with Object.prototype.toString.call(1n)
// with Object.prototype.toString.call(JSON)
// with Object.prototype.toString.call(Math)
// with Object.prototype.toString.call(globalThis).slice(0, 7)
// with Object.prototype.toString.call(new (class Foo { get [Symbol.toStringTag]() { return "Foo" } })())
// with Object.prototype.toString.call((() => arguments)())
// with Object.isFrozen("x")
// with Object.isExtensible(1)
// with Object.assign({}, "ab", null, [9])
// with Object.assign(null, {})
// with Object.entries({ a: 1, get b() { return 2 } })
// with Object.fromEntries([["a", 1], ["a", 2]])
// with Object.fromEntries([1])
// with Object.fromEntries(5)
// with Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } })
// with Object.getOwnPropertyDescriptor({ get a() { return 1 } }, "a")
// with Object.getOwnPropertyDescriptor([1], "length")
// with Object.getOwnPropertyDescriptors({ a: 1 })
// with Object.getOwnPropertyDescriptor(function f() {}, "name")
// with Object.getOwnPropertyDescriptor(class { static m() {} }, "m").enumerable
// with Object.getOwnPropertyDescriptor(class {}, "prototype").writable
// with ({ __proto__: null }) instanceof Object
// with ({ ["__proto__"]: 1 }).hasOwnProperty("__proto__")
// with JSON.parse('{"__proto__": {"x": 1}}').x
// with Object.setPrototypeOf({}, 1)
// with ({}).__proto__ === Object.prototype
// with ({ valueOf() { return 42 } }) * 2
// with `${{ toString() { return "me" } }}`
// with ({ [Symbol.toPrimitive](hint) { return hint } }) + ""
// with +({ [Symbol.toPrimitive](hint) { return hint === "number" ? 7 : 0 } })
// with ({ toString() { return {} }, valueOf() { return {} } }) + 1
// with void 0
// with (1, 2, 3)
// with ({ a: 1, a: 2 })
// with ({ 0x10: "a", 1e3: "b", .5: "c", 1n: "d" })
return show($CASE)

// --- spreading
return { ...{ a: 1, b: 2 }, b: 3, ...null, ...undefined, ...[9], ...Object("z"), ...5 }

// --- spreading calls getters, once
let calls = 0;
const copy = { ...{ get x() { return ++calls } } };
return [copy.x, copy.x, calls]

// --- spreading leaves out what is inherited or hidden
const o = Object.create({ inherited: 1 }, { hidden: { value: 1 }, seen: { value: 2, enumerable: true } });
return [{ ...o }, Object.assign({}, o)]

// --- shorthand and computed
const key = "dyn", a = 1;
return { a, [key + "amic"]: 2, [`${a}x`]: 3, method() {}, async *gen() {}, "quoted-key": 4, class: 5, get: 6, async: 7 }

// --- freezing is shallow
const o = Object.freeze({ a: 1, inner: { b: 2 } });
o.inner.b = 3;
return [o, attempt(() => { o.a = 2 }), attempt(() => { delete o.a }), attempt(() => { o.c = 1 }), Object.isFrozen(o), Object.isFrozen(o.inner)]

// --- freezing deeply
const deep = (o) => { Object.values(o).forEach((v) => typeof v === "object" && v && deep(v)); return Object.freeze(o) };
const o = deep({ a: { b: { c: [1, { d: 2 }] } } });
return attempt(() => { o.a.b.c[1].d = 3 })

// --- sealing and preventing
const s = Object.seal({ a: 1 }), p = Object.preventExtensions({ a: 1 });
s.a = 2; delete p.a;
return [s, p, attempt(() => { s.b = 1 }), attempt(() => { delete s.a }), attempt(() => { p.a = 1 }), Object.isSealed(s), Object.isSealed(p)]

// --- defining properties
const o = {};
Object.defineProperty(o, "fixed", { value: 1 });
Object.defineProperty(o, "computed", { get() { return this.fixed + 1 }, enumerable: true, configurable: true });
return show([o, o.fixed, attempt(() => { o.fixed = 2 }), attempt(() => { o.computed = 2 }), attempt(() => Object.defineProperty(o, "fixed", { value: 2 })), Object.keys(o), Object.getOwnPropertyDescriptors(o)])

// --- a descriptor cannot be both
Object.defineProperty({}, "x", { get() {}, value: 1 })

// --- getters and setters
const t = { c: 0, get f() { return this.c * 9 / 5 + 32 }, set f(v) { this.c = (v - 32) * 5 / 9 } };
t.f = 212;
return [t.c, t.f, JSON.stringify(t), "f" in t]

// --- a setter without a getter
const o = { set x(v) { this.y = v } };
o.x = 5;
return show([o.x, o.y])

// --- a getter without a setter
const o = { get x() { return 1 } };
o.x = 2

// --- an inherited setter
const base = { set v(x) { this._v = x * 2 }, get v() { return this._v } };
const o = Object.create(base); o.v = 4;
return [o.v, Object.keys(o), Object.keys(base)]

// --- a getter that replaces itself
let made = 0;
const o = { get lazy() { made++; Object.defineProperty(this, "lazy", { value: "ready" }); return this.lazy } };
return [o.lazy, o.lazy, made]

// --- an inherited read-only property stops assignment
const o = Object.create(Object.freeze({ x: 1 }));
return [attempt(() => { o.x = 2 }), Object.hasOwn(o, "x")]

// --- for in walks the chain
const seen = [];
for (const k in Object.create({ b: 1, a: 2 }, { own: { value: 1, enumerable: true }, hidden: { value: 1 } })) seen.push(k);
return seen

// --- for in with a key removed on the way
const o = { a: 1, b: 2, c: 3 }, seen = [];
for (const k in o) { seen.push(k); delete o.b; o.d = 4 }
return seen

// --- super in object literals
const base = { hi() { return "base " + this.n } };
const o = { __proto__: base, n: 5, hi() { return "own " + super.hi() } };
return o.hi()

// --- deep equality
const same = (a, b) => Object.is(a, b) || typeof a === "object" && typeof b === "object" && a && b && Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((k) => same(a[k], b[k]));
return [same({ a: [1, { b: NaN }] }, { a: [1, { b: NaN }] }), same({ a: 1 }, { a: 2 }), same([1], [1, 2])].map(Boolean)

// --- deep merge
const merge = (a, b) => Object.entries(b).reduce((r, [k, v]) => ({ ...r, [k]: v && typeof v === "object" && !Array.isArray(v) ? merge(r[k] ?? {}, v) : v }), a);
return merge({ a: { x: 1, y: 2 }, b: [1] }, { a: { y: 3, z: 4 }, b: [2], c: { d: 1 } })

// --- picking and leaving out
const { password, ...safe } = { id: 1, password: "x", name: "n" };
const pick = (o, ...keys) => Object.fromEntries(keys.filter((k) => k in o).map((k) => [k, o[k]]));
return [safe, pick({ a: 1, b: 2, c: 3 }, "a", "c", "z")]

// --- inverting
return Object.fromEntries(Object.entries({ a: "x", b: "y" }).map((e) => e.reverse()))

// --- paths
const get = (o, path, or) => path.split(/[.[\]]+/).filter(Boolean).reduce((v, k) => v?.[k], o) ?? or;
const o = { a: [{ b: { c: 3 } }] };
return [get(o, "a[0].b.c"), get(o, "a[1].b.c", "none"), get(o, "a.0.b")]

// --- flattening keys
const flatten = (o, at = "") => Object.entries(o).reduce((r, [k, v]) => typeof v === "object" && v ? { ...r, ...flatten(v, at + k + ".") } : { ...r, [at + k]: v }, {});
return flatten({ a: { b: { c: 1 }, d: [2, 3] }, e: null })

// --- grouping
return Object.groupBy([1, 2, 3, 4, 5], (n, i) => i === 4 ? "last" : n % 2 ? "odd" : "even")

// --- a grouped object has no prototype
const g = Object.groupBy(["toString"], (s) => s);
return show([Object.getPrototypeOf(g), g])

// --- keys are made text
const o = {}; o[1] = "a"; o["1"] = "b"; o[[1, 2]] = "c"; o[null] = "d"; o[{}] = "e"; o[1.50] = "f"; o[-0] = "g";
return o

// --- symbols as keys are left out of most lists
const s = Symbol("s"), o = { [s]: 1, a: 2 };
return show([Object.keys(o), JSON.stringify(o), { ...o }[s], Reflect.ownKeys(o), Object.getOwnPropertySymbols(o), s in o])

// --- delete
const o = { a: 1, b: 2 };
return [delete o.a, delete o.zzz, o, attempt(() => delete Object.freeze([1])[0])]

// --- the length of functions
return [((a, b) => 1).length, ((a, b = 1, c) => 1).length, ((...r) => 1).length, (({ a }, [b]) => 1).length, Math.max.length]

// --- the name of functions
const arrow = () => 1, o = { m() {}, ["c" + 1]: () => 1, get g() { return 1 }, [Symbol("sy")]: function () {} };
let later; later = function () {};
const { d = () => 1 } = {};
return [arrow.name, o.m.name, o.c1.name, Object.getOwnPropertyDescriptor(o, "g").get.name, o[Object.getOwnPropertySymbols(o)[0]].name, later.name, d.name, (() => 1).name, arrow.bind().name, (class { static #p() {} static n = this.#p.name }).n]

// --- this in methods that were taken out
const o = { x: 1, m() { return this }, arrow: () => typeof this };
const { m } = o;
return show([m(), o.m() === o, (0, o.m)(), o.arrow()])

// --- call, apply and bind
function f(...a) { return [this?.x, ...a] }
const bound = f.bind({ x: 1 }, "a");
return show([f.call({ x: 2 }, 1), f.apply({ x: 3 }, [1, 2]), bound("b"), bound.call({ x: 9 }), f.call(5), f.apply(null, { length: 1, 0: "like" }), bound.length])
