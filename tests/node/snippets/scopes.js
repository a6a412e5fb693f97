// scopes.js - parameters, closures and bindings that engines often get wrong.

// --- a closure in a parameter sees what the body assigns
// with function h(a, b = () => a) { a = 5; return b() }
// with const h = (a, b = () => a) => { a = 5; return b() }
// with const h = function (a, { b = () => a } = {}) { a = 5; return b() }
// with const h = (a, b = (v) => { a = v }) => { b(5); return a }
// with function h(a, b = () => a) { a++; a++; return b() }
// with const h = (a, [b = () => a] = []) => { ({ a } = { a: 5 }); return b() }
// with function h({ a } = { a: 1 }, b = () => a) { a = 5; return b() }
// with function h(a, b = () => arguments[0]) { a = 5; return b() }
// with function h(a, b = () => a) { var a; a = 5; return b() }
// with function h(a, b = () => a) { function a() {} return typeof b() + typeof a }
// with function h(a, b = () => a) { { let a = 5 } return b() }
// with function h(a, b = () => a) { a = 5; return (() => a + b())() }
// with const h = (a, ...[b = () => a]) => { a = 5; return b() }
// with const h = (a, b = () => c, c = a) => { c = 5; return b() }
// with function* g(a, b = () => a) { a = 5; yield b() } const h = (a) => g(a).next().value
// with const h = (a, b = () => typeof a) => { a = "text"; return b() }
// with class C { m(a, b = () => a) { a = 5; return b() } } const h = (a) => new C().m(a)
$CASE
return h(1)

// --- a closure in a parameter of an async function
const h = async (a, b = () => a) => { await null; a = 5; return b() };
return h(1)

// --- parameters named like the function
const f = function f(f) { return typeof f };
return [f(1), f()]

// --- a function in the body named like a parameter
function f(a) { return typeof a; function a() {} }
return f(1)

// --- a var named like a parameter keeps its value
function f(a) { var a; return a }
function g(a) { var a = 2; return [a, arguments[0]] }
return [f(1), g(1)]

// --- arguments as a parameter or a default
const f = function (a = arguments.length, b = arguments[1]) { return [a, b, arguments.length] };
return show([f(), f(undefined, 7), f(1, 2, 3)])

// --- this in a parameter
const o = { x: 1, m(a = this.x, b = () => this.x) { return [a, b()] } };
return o.m()

// --- super and new.target in a parameter
class A { v() { return "A" } } class B extends A { v(x = super.v()) { return x + "B" } constructor(t = new.target.name) { super(); this.t = t } }
return [new B().v(), new B().t]

// --- await in a default of a nested function
const f = async (x) => { const g = async (y = x * 2) => y + 1; return g() };
return f(5)

// --- closures over a loop variable that the body changes
const fs = [];
for (let i = 0; i < 6; i++) { fs.push(() => i, () => i *= 10); if (i % 2) i++ }
fs[1]();
return fs.filter((_, i) => i % 2 === 0).map((f) => f())

// --- closures over a loop with continue
const fs = [];
for (let i = 0; i < 4; i++) { if (i === 1) continue; const sq = i * i; fs.push(() => [i, sq]) }
return fs.map((f) => f())

// --- closures over catch and class bindings
const fs = [];
for (const v of [1, 2]) try { throw v } catch (e) { fs.push(() => e); class C { static v = v } fs.push(() => C.v) }
return fs.map((f) => f())

// --- closures over a switch
const fs = [];
for (const k of ["a", "b"]) switch (k) { case "a": { const x = 1; fs.push(() => x); break } default: { const x = 2; fs.push(() => x) } }
return fs.map((f) => f())

// --- a for of head in its dead zone
let x = [1];
return attempt(() => { for (const x of x); })

// --- a for in head in its dead zone
return attempt(() => { for (let k in { k }); })

// --- a class in its own heritage
return attempt(() => { class A extends A {} })

// --- a class in a computed key
return attempt(() => { class A { static [A.name] = 1 } })

// --- a const in its own initialiser
return [attempt(() => { const a = a + 1 }), attempt(() => { const f = () => f; return typeof f() }), attempt(() => { let [a = b, b] = [] })]

// --- generators close over their loop
function* g() { for (let i = 0; i < 3; i++) yield () => i }
return [...g()].map((f) => f())

// --- async loops close over theirs
const out = [];
await Promise.all([1, 2, 3].map(async (x) => { for (let i = 0; i < 2; i++) { await null; out.push(x * 10 + i) } }));
return out

// --- a block function and an outer one
function f() { return "outer" }
const r = []; { r.push(f()); function f() { return "inner" } } r.push(f());
return r

// --- functions hoist over each other
return [f(), typeof g]; function f() { return 1 } var g = 1;

// --- an inner function sees later bindings
const f = () => later; let later = 5; later++;
return f()

// --- deep closures
const add = (a) => (b) => (c) => (d) => { a++; return () => a + b + c + d };
const f = add(1)(2)(3), x = f(4), y = f(4);
return [x(), y()]

// --- two closures share one binding
const pair = () => { let n = 0; return [() => ++n, () => n, (v) => { n = v }] }, [inc, get, set] = pair();
inc(); inc(); set(get() * 10); inc();
return get()

// --- a binding outlives its generator
let get; function* g() { let n = 0; get = () => n; while (true) n += yield n }
const i = g(); i.next(); i.next(5); i.return();
return get()

// --- static blocks have their own var
var v = "outer"; class A { static { var v = "inner"; this.v = v } }
return [v, A.v]

// --- this in fields, static fields, arrows and blocks
class A { a = this; b = () => this; static c = this; static d = (() => this)(); static { this.e = this } }
const o = new A();
return [o.a === o, o.b() === o, A.c === A, A.d === A, A.e === A]

// --- arrows with odd parameters
// with (async => async)(1)
// with ((async) => async)(1)
// with (async (x) => x)(1) instanceof Promise
// with ((of) => of)(1)
// with ((get, set) => get + set)(1, 2)
// with ((a, b = 1, ...{ length }) => a + b + length)(1, 2, 3, 4)
// with (({ a: [b] = [5] } = {}) => b)()
// with (([a, b] = [1, 2], { c } = { c: 3 }) => a + b + c)()
// with ((undefined) => undefined)(1)
// with (_ => _)(1)
// with ($ => $)(1)
// with (π => π)(3)
// with ((a, a_) => a_)(1, 2)
// with (() => () => 2)()()
// with ((x) => ({ x }))(1)
// with ((x) => [x])(1)
// with ((x, y) => (x, y))(1, 2)
return show($CASE)

// --- object literals
// with { async: 1 }
// with { async() { return 1 } }
// with { async async() {} }
// with { get get() { return 1 } }
// with { set: 1, get: 2 }
// with { get() { return 1 } }
// with { *gen() {} }
// with { async *[`x${1}`]() {} }
// with { "a b"() {} }
// with { 1() {} }
// with { get 1() { return 2 } }
// with { ..."ab" }
// with { ...[1, 2] }
// with { ...1 }
// with { ...true }
// with { ...Object("xy") }
// with { ...new Map([[1, 2]]) }
// with { ...(() => 1) }
// with { ...Symbol("s") }
// with { ...5n }
// with { ...new Proxy({ a: 1 }, {}) }
// with { __proto__: { inherited: 1 } }.inherited
// with { "__proto__": null }.toString
// with { __proto__() {} }
// with { await: 1, yield: 2, let: 3, static: 4 }
// with { if: 1, class: 2 }
return show(($CASE))

// --- the rest of a string or an array
const { 0: first, ...rest } = "abc", { length, ...items } = [7, 8], { ...all } = "xy", { ...none } = 5;
return [first, rest, length, items, all, none]
