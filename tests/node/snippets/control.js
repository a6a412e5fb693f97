// control.js - loops, labels, switches, scopes.

// --- labelled loops
const log = [];
outer: for (let i = 0; i < 4; i++) { for (let j = 0; j < 4; j++) { if (j === 2) continue outer; if (i === 2) break outer; log.push(`${i}${j}`) } }
return log

// --- a labelled block
const log = [];
done: { log.push(1); if (log.length) break done; log.push(2) }
return log

// --- labels of while and do
let i = 0, n = 0;
a: while (true) { b: do { n++; if (n > 10) break a; if (n % 3) continue b; i += n } while (n < 8) }
return [i, n]

// --- a closure for each turn of let
const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i);
const gs = []; for (var j = 0; j < 3; j++) gs.push(() => j);
const hs = []; for (let k = 0; k < 3; k++) { hs.push(() => k); k++ }
return [fs.map((f) => f()), gs.map((f) => f()), hs.map((f) => f())]

// --- closures in the head of a loop
const fs = []; for (let i = 0, f = () => i; i < 3; i++, fs.push(() => [i, f()]));
return fs.map((f) => f())

// --- closures in for of and for in
const fs = []; for (const x of [1, 2]) fs.push(() => x); for (const k in { a: 1, b: 2 }) fs.push(() => k);
return fs.map((f) => f())

// --- for in over arrays and strings
const a = []; for (const i in ["x", "y"]) a.push(i, typeof i); for (const i in "hi") a.push(i);
for (const i in null) a.push("never"); for (const i in 5) a.push("never");
return a

// --- for of with an index
const out = []; for (const [i, c] of [..."abc"].entries()) out.push(i + c);
return out

// --- for of into a property
const o = {}, a = []; for (o.x of [1, 2]) a.push(o.x); for ([o.y] of [[3]]); for (a[9] in { k: 1 });
return show([o, a])

// --- do while runs once
let n = 0; do n++; while (false);
return n

// --- two counters
const out = []; for (let i = 0, j = 10; i < j; i += 3, j -= 2) out.push([i, j]);
return out

// --- an endless loop with a break
let n = 27, steps = 0; for (;;) { if (n === 1) break; n = n % 2 ? 3 * n + 1 : n / 2; steps++ }
return steps

// --- switch falls through
const f = (x) => { const log = []; switch (x) { case 1: log.push("one"); case 2: log.push("two"); break; default: log.push("default"); case 3: log.push("three") } return log };
return [1, 2, 3, 4].map(f)

// --- switch compares strictly
const f = (x) => { switch (x) { case 1: return "number"; case "1": return "string"; case NaN: return "NaN"; case null: return "null"; default: return "none" } };
return [1, "1", NaN, null, undefined, true].map(f)

// --- switch on true
const grade = (n) => { switch (true) { case n >= 90: return "A"; case n >= 80: return "B"; default: return "F" } };
return [95, 85, 20].map(grade)

// --- switch has one scope
switch (2) { case 1: let x = 1; case 2: x = 2; return x }

// --- cases are evaluated in order
const log = [], c = (v) => (log.push(v), v);
switch (2) { case c(1): case c(2): case c(3): }
return log

// --- the dead zone
const f = () => { try { return x } catch (e) { return e.name } }; const before = f(); let x = 1;
return [before, f(), attempt(() => { y; const y = 1 }), attempt(() => typeof z), attempt(() => { typeof w; let w })]

// --- hoisting
const a = typeof f, b = typeof v, c = attempt(() => typeof l); function f() {} var v = 1; let l;
return [a, b, c]

// --- functions in blocks are the block's
{ function inner() { return 1 } var r = inner() }
return [r, typeof inner]

// --- shadowing
const x = 1, out = [];
{ const x = 2; out.push(x); { let x = 3; out.push(x) } } out.push(x);
((x) => out.push(x))(4);
return out

// --- var in a block belongs to the function
if (true) { var x = 1 } for (var i = 0; i < 2; i++) { var y = i }
return [x, i, y]

// --- a named function expression knows itself
const f = function fact(n) { return n < 2 ? 1 : n * fact(n - 1) };
return [f(5), typeof fact, attempt(() => (function g() { g = 1 })())]

// --- constants
const o = { a: 1 }; o.a = 2;
return [o.a, attempt(() => { const c = 1; c++ }), attempt(() => { for (const i = 0; i < 2; i++); })]

// --- the comma
let a = (1, 2), b = 0; const c = (b++, b++, b);
return [a, c]

// --- conditions in a row
const f = (n) => n < 0 ? "negative" : n === 0 ? "zero" : n < 10 ? "small" : "large";
return [-1, 0, 5, 50].map(f)

// --- what is false
return [0, -0, 0n, "", null, undefined, NaN, false, "0", "false", [], {}, () => 1, Infinity, " "].map(Boolean)

// --- loose equality
const xs = [0, "", "0", null, undefined, false, [], [0], NaN, "a", {}, 1, "1", true];
return xs.map((a) => xs.map((b) => a == b ? 1 : 0).join(""))

// --- less and greater
const xs = [0, "1", "b", null, undefined, NaN, [2], true, 5n, "10"];
return xs.map((a) => xs.map((b) => (a < b ? "<" : "") + (a >= b ? "G" : "") || ".").join(" "))

// --- plus
const xs = [1, "1", null, undefined, true, [], [1, 2], {}];
return xs.map((a) => xs.map((b) => String(a + b)))

// --- semicolons that are not there
const a = 1
const b = 2
let c = a
;[c] = [b]
const f = () => {
    return
    5
}
let i = 1
i
++
c
return [c, i, f() ?? null]

// --- evaluation is from left to right
const log = [], v = (n) => (log.push(n), n), o = { get a() { log.push("get a"); return { set b(x) { log.push("set b") } } } };
v(1) + v(2) * v(3) ** v(2); o.a.b = v(4); [v(5)][v(0)]; ((...a) => a)(v(6), ...[v(7)]); ({ [v("k")]: v(8), ...(v(9), {}) });
return log

// --- assignment takes the target first
let a = [0, 0], i = 0; a[i++] = i++; const o = { x: 1 }; let p = o; p.x = p = { x: 2 };
return [a, i, o.x.x, p.x]

// --- increments in an expression
let i = 5; const r = i++ + ++i - i-- - --i;
return [r, i]

// --- short circuits
const log = [], t = (n) => (log.push(n), true), f = (n) => (log.push(n), false);
t(1) || t(2); f(3) && t(4); f(5) || t(6); null ?? t(7); 0 ?? t(8); t(9) ? t(10) : t(11);
return log

// --- in and instanceof
return ["a" in { a: 1 }, 0 in [1], 1 in [1], "length" in [], [] instanceof Object, Object.create(null) instanceof Object, (() => 1) instanceof Function, 5 instanceof Number, "x" in Object.create({ x: 1 })]

// --- void, typeof and delete
const o = { a: 1 };
return show([void "x", typeof void 0, delete o.a, o, typeof NaN, typeof [], typeof /x/, typeof new Date(0), typeof function* () {}, typeof async function () {}])

// --- fizz buzz
return Array.from({ length: 15 }, (_, i) => (++i % 3 ? "" : "Fizz") + (i % 5 ? "" : "Buzz") || i)

// --- a table
let t = ""; for (let i = 1; i <= 4; i++) { for (let j = 1; j <= 4; j++) t += String(i * j).padStart(3); t += "\n" }
return t

// --- towers of hanoi
const moves = [], hanoi = (n, a, b, c) => { if (n) { hanoi(n - 1, a, c, b); moves.push(a + c); hanoi(n - 1, b, a, c) } };
hanoi(3, "A", "B", "C");
return moves.join(" ")

// --- globals
return show([typeof globalThis, this, attempt(() => undeclared), attempt(() => { undeclared = 1 }), typeof undeclared, Object.getOwnPropertyDescriptor(globalThis, "undefined"), attempt(() => { undefined = 1 }), attempt(() => { NaN = 1 }), attempt(() => { Infinity++ })])

// --- strict mode
return show([(function () { return this })(), attempt(() => { "x".y = 1 }), attempt(() => { delete Object.prototype }), attempt(() => { (5).x = 1 }), (function (a) { arguments[0] = 2; return a })(1), attempt(() => (function () { return arguments.callee })())])
