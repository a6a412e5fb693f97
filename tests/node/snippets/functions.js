// functions.js - functions: closures, arguments, higher order; tagged templates.

// --- counters do not share
const make = (n = 0) => ({ inc: () => ++n, get value() { return n } }), a = make(), b = make(10);
a.inc(); a.inc(); b.inc();
return [a.value, b.value]

// --- once
const once = (f) => { let done = false, r; return (...a) => done ? r : (done = true, r = f(...a)) }; let n = 0;
const f = once(() => ++n);
return [f(), f(), n]

// --- curry
const curry = (f, ...a) => a.length >= f.length ? f(...a) : (...b) => curry(f, ...a, ...b), add = curry((a, b, c) => a + b + c);
return [add(1)(2)(3), add(1, 2)(3), add(1)(2, 3), add(1, 2, 3)]

// --- compose and pipe
const compose = (...f) => (x) => f.reduceRight((v, g) => g(v), x), pipe = (...f) => (x) => f.reduce((v, g) => g(v), x), inc = (x) => x + 1, dbl = (x) => x * 2;
return [compose(inc, dbl)(5), pipe(inc, dbl)(5), compose()(7)]

// --- memoize
let calls = 0; const memo = (f, c = new Map()) => (n) => c.has(n) ? c.get(n) : (c.set(n, f(n)), c.get(n)), fib = memo((n) => (calls++, n < 2 ? n : fib(n - 1) + fib(n - 2)));
return [fib(50), calls]

// --- partial application with bind
const f = (a, b, c, ...d) => [a, b, c, d].join("|");
return [f.bind(null, 1)(2, 3), f.bind(null, 1, 2).bind(null, 3)(4, 5), f.bind(null).name, f.bind(null, 1).length]

// --- the Y combinator
const Y = (f) => ((x) => x(x))((x) => f((y) => x(x)(y)));
return Y((f) => (n) => n < 2 ? 1 : n * f(n - 1))(6)

// --- church numerals
const zero = (f) => (x) => x, succ = (n) => (f) => (x) => f(n(f)(x)), plus = (a) => (b) => (f) => (x) => a(f)(b(f)(x)), num = (n) => n((x) => x + 1)(0), three = succ(succ(succ(zero)));
return [num(three), num(plus(three)(three)), num(three(three))]

// --- trampolines
const tramp = (f) => (...a) => { let r = f(...a); while (typeof r === "function") r = r(); return r };
return tramp(function sum(n, a = 0) { return n ? () => sum(n - 1, a + n) : a })(20000)

// --- mutual recursion
const even = (n) => n === 0 || odd(n - 1), odd = (n) => n !== 0 && even(n - 1);
return [even(100), odd(101), even(7)]

// --- arguments
function f() { return [arguments.length, [...arguments], Array.isArray(arguments), typeof arguments, Array.prototype.slice.call(arguments, 1)] }
return f("a", "b", "c")

// --- arrows have none of their own
function f() { return (() => [arguments[0], this.x, new.target === undefined])() }
return f.call({ x: 1 }, "outer")

// --- parameters and their scope
let x = "outer"; const f = (a = x, g = () => a, x = "inner") => [a, g(), x];
return [attempt(() => f()), f("given")]

// --- a var beside a parameter that is closed over
function f(a, g = () => a) { var a; const before = a; a = 2; return [before, a, g()] }
return f(1)

// --- too few and too many
const f = (a, b) => [a, b];
return show([f(1), f(1, 2, 3), f(...[4, 5]), f(...[], 6, ...[7]), f(undefined, null)])

// --- functions are objects
const f = () => f.count++; f.count = 0; f(); f();
return [f.count, Object.keys(f), f instanceof Object, typeof f.call]

// --- immediately called
return [(() => 1)(), (function () { return 2 })(), !function () { return 3 }(), new (function () { this.x = 4 })().x, (async () => 5)() instanceof Promise]

// --- source text
// with function  f ( a,b )  { return a+b /* c */ }
// with (x)=>x*2
// with async  x  =>  await x
// with class  A  { static  #p = 1 }
// with ({ m ( ) { } }).m
// with ({ get  x() { return 1 } }, Object.getOwnPropertyDescriptor({ get  x() { return 1 } }, "x").get)
// with ({ async * g () { } }).g
// with ({ ["a" + "b"]() {} }).ab
// with function* g() { yield }
return ($CASE).toString()

// --- native source
return [/\[native code\]/.test(Math.max), /\[native code\]/.test((() => 1).bind()), /^function max\(\)/.test(String(Math.max))]

// --- throttled by count
const every = (n, f, i = 0) => (...a) => ++i % n ? null : f(...a), f = every(3, (x) => x);
return [1, 2, 3, 4, 5, 6].map((x) => f(x))

// --- a module of closures
const bank = (() => { const accounts = new Map(); return { open: (n) => accounts.set(n, 0).size, pay(n, v) { if (!accounts.has(n)) throw new ReferenceError(n); accounts.set(n, accounts.get(n) + v); return this }, get total() { return [...accounts.values()].reduce((a, b) => a + b, 0) } } })();
bank.open("a"); bank.open("b"); bank.pay("a", 5).pay("b", 7);
return [bank.total, attempt(() => bank.pay("c", 1))]

// --- observers
const signal = (v, subs = new Set()) => ({ get: () => v, set: (n) => { v = n; subs.forEach((f) => f(v)) }, on: (f) => (subs.add(f), () => subs.delete(f)) }), s = signal(1), log = [];
const off = s.on((v) => log.push(v)); s.on((v) => log.push(-v)); s.set(5); off(); s.set(6);
return [log, s.get()]

// --- a reducer
const reducer = (s = { n: 0, log: [] }, { type, by = 1 }) => ({ inc: () => ({ ...s, n: s.n + by, log: [...s.log, type] }), dec: () => ({ ...s, n: s.n - by }) })[type]?.() ?? s;
return [{ type: "inc" }, { type: "inc", by: 5 }, { type: "none" }, { type: "dec" }].reduce(reducer, undefined)

// --- middleware
const run = (...m) => (ctx) => { const go = (i) => m[i]?.(ctx, () => go(i + 1)); go(0); return ctx };
return run((c, next) => { c.log.push("a"); next(); c.log.push("a end") }, (c, next) => { c.log.push("b"); next() }, (c) => c.log.push("c"))({ log: [] })

// --- lenses
const lens = (k) => ({ get: (o) => o[k], set: (o, v) => ({ ...o, [k]: v }) }), then = (a, b) => ({ get: (o) => b.get(a.get(o)), set: (o, v) => a.set(o, b.set(a.get(o), v)) });
const o = { a: { b: 1, c: 2 } }, ab = then(lens("a"), lens("b"));
return [ab.get(o), ab.set(o, 9), o]

// --- transducers
const map = (f) => (r) => (a, x) => r(a, f(x)), filter = (p) => (r) => (a, x) => p(x) ? r(a, x) : a, push = (a, x) => (a.push(x), a);
return [1, 2, 3, 4, 5].reduce(filter((x) => x % 2)(map((x) => x * 10)(push)), [])

// --- maybe
const maybe = (v) => ({ map: (f) => v == null ? maybe(null) : maybe(f(v)), or: (d) => v ?? d });
return [maybe({ a: { b: 5 } }).map((o) => o.a).map((a) => a.b).or(0), maybe({}).map((o) => o.a).map((a) => a.b).or("none")]

// --- tags
// with tag`a${1}b${2}c`
// with tag``
// with tag`${"only"}`
// with tag`line\nbreak\u0041`
// with tag`\unicode and \xerxes`
// with tag`a\\b\`c\${d}`
// with tag`${1}${2}`
// with tag`${tag`inner ${1}`.values}`
// with tag`\0\x41\u{1F600}`
// with tag`\01`
const tag = (strings, ...values) => ({ strings: [...strings], raw: [...strings.raw], values });
return show($CASE)

// --- the strings of a tag are one frozen object for each place
const same = (s) => s, at = () => same`x${1}y`;
return [at() === at(), same`x${1}y` === at(), Object.isFrozen(at()), Object.isFrozen(at().raw), Array.isArray(at())]

// --- tags as methods and of calls
const o = { p: "<", tag(s, ...v) { return this.p + s.join("|") + v.join() } }, make = (p) => (s) => p + s[0];
return [o.tag`a${1}b`, make("x")`y`, make`p``q`]

// --- chained tags
const f = (s) => (t, v) => [s[0], t[0], v];
return f`a``b${1}`

// --- safe html
const html = (s, ...v) => s.reduce((out, part, i) => out + String(v[i - 1]).replace(/[<>&"]/g, (c) => `&#${c.charCodeAt()};`) + part);
return html`<p title="${'"x"'}">${"<script>"} ${1 + 1}</p>`

// --- parameters for sql
const sql = (s, ...v) => ({ text: s.reduce((a, p, i) => `${a}$${i}${p}`), values: v });
return sql`SELECT * FROM t WHERE a = ${1} AND b = ${"x'y"}`

// --- dedent
const dedent = (s, ...v) => { const t = String.raw({ raw: s }, ...v).replace(/^\n|\n *$/g, ""); const n = Math.min(...t.match(/^ *(?=\S)/gm).map((x) => x.length)); return t.replaceAll(new RegExp(`^ {${n}}`, "gm"), "") };
return dedent`
    one
      two ${2}
    three
`

// --- plurals
const p = (s, n) => `${s[0]}${n}${s[1].replace(/\((\w+)\)/, n === 1 ? "" : "$1")}`;
return [p`${1} file(s)`, p`${2} file(s)`]

// --- templates over lines
const items = ["a", "b"];
return `<ul>
${items.map((i) => `  <li>${i}</li>`).join("\n")}
</ul>`

// --- templates call toString, not valueOf
const o = { toString: () => "s", valueOf: () => "v" };
return [`${o}`, "" + o, `${[1, [2, 3]]}`, `${null} ${undefined} ${-0} ${1e21}`]

// --- a carriage return in a template is a line feed
const s = (x) => x.raw[0];
return [`a
b`.length, s`a
b`.length]

// --- recursion with default arguments
const range = (n, acc = []) => n ? range(n - 1, [n, ...acc]) : acc;
return range(5)

// --- ackermann
const A = (m, n) => m === 0 ? n + 1 : n === 0 ? A(m - 1, 1) : A(m - 1, A(m, n - 1));
return [A(1, 2), A(2, 3), A(3, 3)]

// --- callbacks know their index
return [["a", "b"].map((...a) => a.length), Array.from([1], (...a) => a.length), "ab".replace(/(a)(b)/, (...a) => a.length), new Map([[1, 2]]).forEach.length, [3, 1].sort((...a) => a.length - 2)]
