// classes.js - classes: fields, private names, static blocks, inheritance, accessors.

// --- a class
class Point { constructor(x, y) { this.x = x; this.y = y } plus(o) { return new Point(this.x + o.x, this.y + o.y) } toString() { return `(${this.x}, ${this.y})` } static origin = new Point(0, 0) }
return [`${new Point(1, 2).plus(new Point(3, 4))}`, String(Point.origin), Object.keys(Point.prototype)]

// --- private fields
class Account { #balance = 0; static #count = 0; constructor(n) { this.#balance = n; Account.#count++ } deposit(n) { if (n <= 0) throw new RangeError("n"); this.#balance += n; return this } get balance() { return this.#balance } static get count() { return Account.#count } }
const a = new Account(10).deposit(5);
return [a.balance, Account.count, Object.keys(a), JSON.stringify(a), attempt(() => a.deposit(-1))]

// --- private methods and accessors
class T { #c = 0; get #f() { return this.#c * 2 } set #f(v) { this.#c = v / 2 } #inc(n = 1) { this.#c += n } static #make() { return new T() } run() { this.#inc(); this.#inc(4); this.#f = this.#f + 10; return this.#c } static go() { return T.#make().run() } }
return T.go()

// --- is it one of ours
class C { #brand; static is(o) { return #brand in o } }
return [C.is(new C()), C.is({}), attempt(() => C.is(1)), C.is(Object.create(new C()))]

// --- a private name of another object
class C { #x = 1; static read(o) { return o.#x } static write(o) { o.#x = 2 } }
return [C.read(new C()), attempt(() => C.read({})), attempt(() => C.write({})), attempt(() => C.read(null))]

// --- a private method cannot be replaced
class C { #m() {} static go() { new C().#m = 1 } }
C.go()

// --- a private getter without a setter
class C { get #x() { return 1 } go() { this.#x = 2 } }
new C().go()

// --- a private name that was not declared
class C { go() { return this.#nope } }

// --- private fields are not seen by proxies
class C { #x = 1; get() { return this.#x } }
return [attempt(() => new Proxy(new C(), {}).get()), new Proxy(new C(), { get: (t, k) => t[k].bind(t) }).get()]

// --- private names with optional chaining
class Node { #next; constructor(n) { this.#next = n } deep() { return this.#next?.#next?.#next ?? "end" } }
return [new Node().deep(), new Node(new Node(new Node("x"))).deep()]

// --- private names with logical assignment and destructuring
class C { #a; #b = 2; go() { this.#a ??= 1; this.#b &&= 5; [this.#a, this.#b] = [this.#b, this.#a]; ({ x: this.#a } = { x: this.#a + 1 }); return [this.#a++, this.#a, this.#b] } }
return new C().go()

// --- a class within a class sees both
class Outer { #x = 1; static Inner = class { #y = 2; sum(o) { return o.#x + this.#y } } }
return new Outer.Inner().sum(new Outer())

// --- inheritance
class Animal { constructor(n) { this.n = n } speak() { return `${this.n} makes a sound` } get kind() { return "animal" } static create(...a) { return new this(...a) } }
class Dog extends Animal { speak() { return super.speak() + ": woof" } get kind() { return super.kind + "/dog" } }
const d = Dog.create("Rex");
return [d.speak(), d.kind, d instanceof Animal, d.constructor.name, Object.getPrototypeOf(Dog) === Animal, Dog.length]

// --- order of fields and constructors
const log = [];
class A { a = log.push("A field"); constructor() { log.push("A constructor"); this.init() } init() { log.push("A init") } }
class B extends A { b = log.push("B field"); constructor() { log.push("B before"); super(); log.push("B after") } init() { log.push("B init " + this.b) } }
new B();
return log

// --- this before super
class A {} class B extends A { constructor() { this.x = 1; super() } }
new B()

// --- super twice
class A {} class B extends A { constructor() { super(); super() } }
new B()

// --- no super at all
class A {} class B extends A { constructor() {} }
new B()

// --- a constructor that returns
class A { constructor() { return { other: true } } } class B extends A { x = 1 } class C extends A { constructor() { super(); return 5 } }
return [new A(), new B(), attempt(() => new C())]

// --- a base constructor may return a primitive
class A { constructor() { this.ok = 1; return 5 } }
return new A()

// --- classes are not called
class A {}
A()

// --- classes are in a dead zone
return attempt(() => new A()); class A {}

// --- static blocks
class C { static a = 1; static { this.b = this.a + 1; try { null.x } catch { this.c = "caught" } } static d = this.b * 10; static { var local = 5; C.e = local } }
return { ...C }

// --- static methods and this
class A { static x = 1; static get() { return this.x } static arrow = () => this.x } class B extends A { static x = 2 }
return [A.get(), B.get(), B.arrow(), attempt(() => (0, A.get)())]

// --- fields are defined, not assigned
class A { set x(v) { throw new Error("setter") } } class B extends A { x = 1 }
return Object.getOwnPropertyDescriptor(new B(), "x")

// --- fields with computed names
let n = 0;
class C { [`f${++n}`] = n; static [`s${++n}`] = n; ["m" + ++n]() { return n } }
const c = new C();
return [{ ...c }, { ...C }, c.m3(), n]

// --- fields see this and other fields
class C { a = 1; b = this.a + 1; arrow = () => this.b; self = this }
const c = new C(), { arrow } = c;
return [arrow(), c.self === c]

// --- arrow functions as handlers keep this
class Button { clicks = 0; onClick = () => ++this.clicks; method() { return this?.clicks } }
const b = new Button(), { onClick, method } = b;
onClick(); onClick();
return show([b.clicks, method()])

// --- accessors of classes
class Temp { static #abs = -273.15; #c; constructor(c) { this.c = c } get c() { return this.#c } set c(v) { if (v < Temp.#abs) throw new RangeError("too cold"); this.#c = v } get f() { return this.c * 1.8 + 32 } set f(v) { this.c = (v - 32) / 1.8 } }
const t = new Temp(100); t.f = 32;
return [t.c, t.f, attempt(() => { t.c = -300 }), attempt(() => new Temp(-500)), Object.keys(t)]

// --- new.target
function F() { return new.target === undefined ? "call" : new.target.name } class A { constructor() { this.t = new.target.name } } class B extends A {}
return [F(), new A().t, new B().t, Reflect.construct(A, [], B).t]

// --- abstract classes
class Shape { constructor() { if (new.target === Shape) throw new TypeError("abstract") } area() { throw new Error("not here") } } class Square extends Shape { constructor(s) { super(); this.s = s } area() { return this.s ** 2 } }
return [attempt(() => new Shape()), new Square(3).area()]

// --- mixins
const Serial = (B) => class extends B { toText() { return JSON.stringify(this) } }, Equal = (B) => class extends B { equals(o) { return this.toText() === o.toText() } };
class P { constructor(x) { this.x = x } } class Q extends Equal(Serial(P)) {}
return [new Q(1).equals(new Q(1)), new Q(1).equals(new Q(2)), new Q(5).toText(), Q.name, Object.getPrototypeOf(Q).name]

// --- extending null
class N extends null { static s() { return 1 } }
return [N.s(), Object.getPrototypeOf(N.prototype), attempt(() => new N())]

// --- extending what is no constructor
// with 5
// with {}
// with (() => {})
// with undefined
// with { prototype: null }
class A extends $CASE {}

// --- extending builtins
// with class extends Map { get(k) { return super.get(k) ?? "none" } }
// with class extends Set { add(v) { return super.add(String(v)) } }
// with class extends Error { get name() { return "Mine" } }
// with class extends Promise {}
// with class extends Function {}
// with class extends RegExp { test(s) { return !super.test(s) } }
// with class extends Uint8Array {}
// with class extends Date { get iso() { return this.toISOString() } }
// with class extends String { shout() { return this.toUpperCase() + "!" } }
// with class extends Number {}
// with class extends Boolean {}
const C = $CASE;
const base = Object.getPrototypeOf(C);
const made = attempt(() => { const o = base === Promise ? new C(() => {}) : base === Function ? Object.create(C.prototype) : new C(base === RegExp || base === String ? "abc" : base === Date || base === Number ? 5 : undefined); return [o instanceof C, o instanceof base, o.iso, o.shout?.(), Object.prototype.toString.call(o), o.test?.("abc"), o.get?.("k")] });
return made

// --- instanceof by a symbol
class Even { static [Symbol.hasInstance](n) { return n % 2 === 0 } }
return [2 instanceof Even, 3 instanceof Even]

// --- toString of a class is its source
class A { m() { return 1 } }
return [String(A), A.prototype.m.toString(), (function f(a, b) { return a }).toString(), ((x) => x + 1).toString()]

// --- names of classes
const Named = class Inner { static n = Inner.name }, Anonymous = class {}, Own = class { static name = "own" };
return [Named.name, Named.n, Anonymous.name, Own.name, (class {}).name, attempt(() => Inner)]

// --- the inside name of a class is constant
class C { static set() { C = 1 } }
return [attempt(() => C.set())]

// --- generator and async methods
class Tree { constructor(v, l, r) { Object.assign(this, { v, l, r }) } *[Symbol.iterator]() { if (this.l) yield* this.l; yield this.v; if (this.r) yield* this.r } async sum() { let s = 0; for await (const v of this) s += v; return s } static async *count(n) { while (n) yield n-- } }
const t = new Tree(2, new Tree(1), new Tree(4, new Tree(3)));
return [[...t], await t.sum(), await Array.fromAsync(Tree.count(3))]

// --- a singleton
class Config { static #one; static get() { return this.#one ??= new Config() } values = {} }
Config.get().values.a = 1;
return [Config.get().values, Config.get() === Config.get()]

// --- a private static of a subclass
class A { static #x = 1; static get() { return this.#x } } class B extends A {}
return [A.get(), attempt(() => B.get())]

// --- methods are not enumerable and have no prototype
class A { m() {} static s() {} get g() { return 1 } }
return [Object.keys(A.prototype), "prototype" in A.prototype.m, attempt(() => new A.prototype.m()), Object.getOwnPropertyNames(A.prototype), Object.getOwnPropertyNames(A)]

// --- a method is borrowed
class A { n = 1; get() { return this.n } }
return [A.prototype.get.call({ n: 5 }), attempt(() => A.prototype.get.call(undefined))]

// --- super in static methods and in arrows
class A { static who() { return "A" + this.tag } m() { return "m" } } class B extends A { static tag = "b"; static who() { return (() => super.who())() } m() { return [1].map(() => super.m() + "!")[0] } }
return [B.who(), new B().m()]

// --- super properties can be set
class A { set v(x) { this.set = x } } class B extends A { go() { super.v = 5; super.w = 6; return { ...this } } }
return new B().go()

// --- a missing super method
class A {} class B extends A { go() { return super.nope() } has() { return super.nope?.() } }
return show([new B().has(), attempt(() => new B().go())])

// --- a computed superclass
const registry = { a: class { kind = "a" }, b: class { kind = "b" } };
const make = (k) => new (class extends registry[k] { more = this.kind + "+" })().more;
return [make("a"), make("b")]

// --- the classic way
function Old(n) { if (!(this instanceof Old)) return new Old(n); this.n = n }
Old.prototype.double = function () { return this.n * 2 };
function Sub(n) { Old.call(this, n) }
Sub.prototype = Object.create(Old.prototype, { constructor: { value: Sub } });
return [new Sub(4).double(), new Sub(1) instanceof Old, new Sub(1).constructor.name]

// --- a stack, a queue and a linked list
class List { #head = null; #size = 0; push(v) { this.#head = { v, next: this.#head }; this.#size++; return this } pop() { const v = this.#head?.v; this.#head = this.#head?.next ?? null; this.#size &&= this.#size - 1; return v } get size() { return this.#size } *[Symbol.iterator]() { for (let n = this.#head; n; n = n.next) yield n.v } reverse() { let p = null; for (let n = this.#head; n;) [n.next, p, n] = [p, n, n.next]; this.#head = p; return this } }
const l = new List().push(1).push(2).push(3);
return show([[...l], l.pop(), l.size, [...l.reverse()], l.pop(), l.pop(), l.pop(), l.size])

// --- an event emitter
class Emitter { #on = new Map(); on(e, f) { (this.#on.get(e) ?? this.#on.set(e, new Set()).get(e)).add(f); return () => this.#on.get(e).delete(f) } emit(e, ...a) { return [...this.#on.get(e) ?? []].map((f) => f(...a)) } }
const e = new Emitter(), off = e.on("x", (n) => n + 1); e.on("x", (n) => n * 10);
const first = e.emit("x", 5); off();
return [first, e.emit("x", 5), e.emit("none")]

// --- a priority queue
class Heap { #a = []; constructor(less = (a, b) => a < b) { this.less = less } push(v) { const a = this.#a; let i = a.push(v) - 1; while (i && this.less(a[i], a[(i - 1) >> 1])) { const p = (i - 1) >> 1; [a[i], a[p]] = [a[p], a[i]]; i = p } } pop() { const a = this.#a, top = a[0], last = a.pop(); if (a.length) { a[0] = last; for (let i = 0; ;) { let c = 2 * i + 1; if (c >= a.length) break; if (c + 1 < a.length && this.less(a[c + 1], a[c])) c++; if (!this.less(a[c], a[i])) break; [a[i], a[c]] = [a[c], a[i]]; i = c } } return top } get size() { return this.#a.length } }
const h = new Heap(); for (const n of [5, 3, 8, 1, 9, 2, 7]) h.push(n);
const out = []; while (h.size) out.push(h.pop());
return out

// --- an LRU cache
class LRU { #m = new Map(); constructor(n) { this.n = n } get(k) { if (!this.#m.has(k)) return; const v = this.#m.get(k); this.#m.delete(k); this.#m.set(k, v); return v } set(k, v) { this.#m.delete(k); this.#m.set(k, v); if (this.#m.size > this.n) this.#m.delete(this.#m.keys().next().value) } keys() { return [...this.#m.keys()] } }
const c = new LRU(2); c.set("a", 1); c.set("b", 2); c.get("a"); c.set("c", 3);
return show([c.keys(), c.get("b"), c.get("a")])

// --- a vector with conversions
class V { constructor(...c) { this.c = c } [Symbol.toPrimitive](h) { return h === "string" ? `<${this.c}>` : Math.hypot(...this.c) } get [Symbol.toStringTag]() { return "V" } toJSON() { return this.c } }
const v = new V(3, 4);
return [`${v}`, +v, v + 1, v > 4, JSON.stringify({ v }), Object.prototype.toString.call(v)]

// --- a builder with a fluent interface
class Query { #parts = []; select(...f) { this.#parts.push(`SELECT ${f.join(", ") || "*"}`); return this } from(t) { this.#parts.push(`FROM ${t}`); return this } where(o) { this.#parts.push("WHERE " + Object.entries(o).map(([k, v]) => `${k} = ${JSON.stringify(v)}`).join(" AND ")); return this } toString() { return this.#parts.join(" ") } }
return String(new Query().select("a", "b").from("t").where({ a: 1, b: "x" }))

// --- accessors on prototypes of instances
class A { static #cache = new WeakMap(); get slow() { if (!A.#cache.has(this)) A.#cache.set(this, { n: Math.sqrt(this.n) }); return A.#cache.get(this) } constructor(n) { this.n = n } }
const a = new A(16);
return [a.slow === a.slow, a.slow.n, new A(9).slow.n]

// --- duplicate constructors
class A { constructor() {} constructor() {} }

// --- duplicate private names
class A { #x; #x }

// --- a private getter and setter go together
class A { get #x() { return this.v } set #x(v) { this.v = v } go() { this.#x = 3; return this.#x } }
return new A().go()

// --- await and yield in field initialisers
class A { x = await 1 }

// --- arguments in a field
class A { x = arguments }

// --- async arrow fields
class A { n = 2; twice = async () => { await null; return this.n * 2 } }
return new A().twice()

// --- enumerations
class Color { static RED = new Color("red"); static BLUE = new Color("blue"); static #all = [Color.RED, Color.BLUE]; constructor(n) { this.n = n; Object.freeze(this) } static parse(n) { return Color.#all.find((c) => c.n === n) ?? (() => { throw new SyntaxError(n) })() } }
return [Color.parse("red") === Color.RED, attempt(() => Color.parse("x")), attempt(() => { Color.RED.n = 1 })]

// --- species
class P extends Promise { static get [Symbol.species]() { return Promise } }
return [new P((r) => r()).then(() => 1) instanceof P, P.resolve(1) instanceof P]

// --- a decorator by hand
const logged = (f, log) => function (...a) { log.push([f.name, ...a]); return f.apply(this, a) };
class C { add(a, b) { return a + b } }
const log = []; C.prototype.add = logged(C.prototype.add, log);
return [new C().add(1, 2), log]

// --- a state machine
class Light { static #next = { green: "yellow", yellow: "red", red: "green" }; #s = "red"; step() { this.#s = Light.#next[this.#s]; return this } get state() { return this.#s } }
const l = new Light();
return Array.from({ length: 4 }, () => l.step().state)
