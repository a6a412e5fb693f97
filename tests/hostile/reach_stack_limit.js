// expect: SUCCESS [0,0,1,52,52,0,0,0,0,0]
const deep = (n) => (n ? deep(n - 1) : new Error("x").stack);
const seen = [];
for (const limit of [0, -1, 1, 1e9, Infinity, NaN, "x", null, {}, { valueOf() { throw 1 } }]) {
    try { Error.stackTraceLimit = limit } catch {}
    seen.push(deep(50));
}
return seen.map((s) => s.split("\n").slice(1).filter(Boolean).length);
// case
// expect: CODE_ERROR RuntimeError "x"
delete Error.stackTraceLimit;
throw new Error("x");
// case
// expect: CODE_ERROR RuntimeError "x"
Object.defineProperty(Error, "stackTraceLimit", { get() { throw new Error("swallowed") } });
throw new Error("x");
// twin
// expect: SUCCESS 10
const deep = (n) => (n ? deep(n - 1) : new Error("x").stack);
return deep(50).split("\n").slice(1).length;
