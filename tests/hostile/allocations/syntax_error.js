// expect: CODE_ERROR SyntaxError
class A { #p = 1; get x() { return `${this.#p} ${[..."abc"].map((c) => c + 1)}`; } static async *y({a, b: [c = 1]}, ...d) { yield* d; } }
const {a, ...b} = {a: /[\p{L}]+(?<n>x)\k<n>/u, b: async () => { for await (const x of y) { await x; } }}, big = 123456789012345678901234567890n;
outer: for (let i = 0, j = 1; i < 10; i++) { switch (i) { case 1: break outer; default: try { throw new A(); } catch { continue; } finally { j **= 2; } } }
function f(x = () => { let y = x ?? 1; return y?.z?.[0]; }) { return function* () { const n = yield x; return new.target && n; }; }
let unfinished = {a: 1, b: [2, 3, {c: `${1 + `${2}`}`}], d() { return (1 +; } };
