// syntax.js - code that parses, with its result, and code that is a SyntaxError.

// --- statements
// with let a; let a;
// with const a;
// with let let = 1;
// with delete x;
// with 010;
// with "\08";
// with with ({}) {}
// with var eval = 1;
// with arguments = 1;
// with function f(a, a) {}
// with (a, a) => 1;
// with function f(a = 1) { "use strict" }
// with break;
// with continue;
// with x: x: 1;
// with for (;;) { break nope }
// with 1 = 2;
// with f() = 1;
// with ++1;
// with ({ a: 1 } = 1) = 2;
// with if (1) function f() {}
// with while (0) let x;
// with class A { constructor() { super() } }
// with function f() { super.x }
// with new.target;
// with yield 1;
// with function* g() { function yield() {} }
// with await: 1;
// with export const a = 1;
// with import.meta;
// with `${`;
// with /a/gg;
// with a ?? b || c;
// with -1 ** 2;
// with a?.b = 1;
// with new a?.b();
// with a?.`x`;
// with ({ a, b }) = 1;
// with [a, ...b, c] = [];
// with ({ ...{ a } } = {});
// with async (x = await 1) => 1;
// with for await (x in y);
// with for (let x = 1 of []);
// with for (const x in {}, {}) { x = }
// with try {}
// with switch (1) { case 1: let a; case 2: let a }
// with ({ __proto__: 1, __proto__: 2 });
// with enum x {}
// with var public = 1;
// with 3in [];
// with 1__0;
// with 1_;
// with 0_1;
// with 1n.5;
// with 01n;
// with "use strict"; interface = 1;
// with label: function* g() {}
// with do while (0)
// with a => {} ()
// with () + 1
// with async () \n => 1
// with { a: 1, b: 2 }
// with @dec class A {}
// with class A { get constructor() {} }
// with class A { static prototype() {} }
// with class A extends B, C {}
// with class A { #constructor }
// with delete this.#x
// with class A { #x; m() { delete this.#x } }
// with \u{61}wait: 1
// with var \u0061b = 1; return ab
// with var a\u{62} = 2; return ab
// with let async = 1; return async
// with let of = 1, get = 2, set = 3, from = 4, as = 5; return of + get + set + from + as
// with let undefined = 1; return undefined
// with var NaN
// with return { get: 1, set: 2, async: 3, static: 4, await: 5, yield: 6, new: 7 }
// with return ((a, b,) => a + b)(1, 2,)
// with return 1..toFixed(1) + 1.0.toFixed() + 0.0.toString()
// with return 5 .toString()
// with return typeof typeof 1 + void 0
// with return !-+~1
// with return - -1 + + +1
// with return 2 ** 3 ** 0
// with return (-1) ** 2
// with return (a => a)(1)
// with return ((async) => async)(3)
// with return (function () { return this })() === undefined
// with return <!-- x
// with return 1 --> 0
// with #!/bin/x
// with return /[/]/.test("/") / 1
// with return 4 / 2 / 1
// with return a = 1
// with ;;; return 1;;;
// with { } return 2
// with if (0); else return 3
// with return [,].length + [1,,].length
// with return 'it\'s' + "\x41\v\0".length
// with return `a${{}}b`
// with return 0.1e1 + .5e1 + 5.e1 + 0B11 + 0O7 + 0XF
// with return 1_000.000_1
// with for (var i = 0, n = 3; i < n; i++); return i
// with for (const of of [1]) return of
// with for (let in {}) ; return 1
// with for (async of []) ;
// with for (let of of [2]) return of
// with var x = 1; { var x = 2 } return x
// with let x = 1; { let x = 2 } return x
// with let x = 1; var x = 2
// with function f() { return 1 } function f() { return 2 } return f()
// with { function f() { return 1 } } return typeof f
// with let f; { function f() {} } return typeof f
// with switch (3) { default: return "d"; case 3: return "three" }
// with return ((x) => { switch (x) { case 1: case 2: return "low"; default: return "d" } })(2)
// with var a = 1, b = 2; return a +++ b
// with return [..."ab"].map((c) => ({ c }))
// with return (() => {})() === undefined
// with return (() => ({}))()
// with return new Date(0).getTime(), 5
// with return new (class { x = 5 })().x
// with return new Array(3).length
// with return new Array(3)[0] === void 0
// with return new (Array)(1, 2)
// with return new Date.prototype.constructor(0) instanceof Date
const none = 0;
$CASE
