// expect: SUCCESS [45,[0,1,1,2,3,5,8,13,21,34],"returned",[2,4,6],"thrown in",100]
function* fib() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b]; } }
function* outer() { const r = yield* inner(); yield r; } function* inner() { yield 1; return "returned"; }
function* guarded() { try { yield 1; } catch (e) { yield e + " in"; } finally { yield "finally"; } }
const g = guarded(); g.next(); const caught = g.throw("thrown").value;
const many = Array.from({length: 100}, () => { const f = fib(); for (let i = 0; i < 20; i++) f.next(); return f; });
const o = outer(); o.next();
const spread = [...(function* () { for (let i = 0; i < 10; i++) yield i; })()];
return [spread.reduce((a, b) => a + b), fib().take(10).toArray(), o.next().value, Iterator.from([1, 2, 3]).map((n) => n * 2).filter(Boolean).drop(0).toArray(), caught, many.length];
