// expect: CODE_ERROR RuntimeError
throw undefined;
// case
// expect: CODE_ERROR RuntimeError
throw null;
// case
// expect: CODE_ERROR RuntimeError "text"
throw "text";
// case
// expect: CODE_ERROR RuntimeError
throw Symbol("s");
// case
// expect: CODE_ERROR RuntimeError
throw 1n;
// case
// expect: CODE_ERROR RuntimeError
throw () => 1;
// case
// expect: CODE_ERROR RuntimeError
throw new Proxy({}, { get() { throw 1 }, ownKeys() { throw 1 }, getPrototypeOf() { throw 1 } });
// case
// expect: CODE_ERROR RuntimeError
throw new Proxy(new Error("x"), { get() { throw 1 } });
// case
// expect: CODE_ERROR RuntimeError
throw { toString() { throw 1 }, toJSON() { throw 1 } };
// case
// expect: CODE_ERROR RuntimeError
const e = new Error("x");
e.message = { toString() { throw new Error("y") } };
e.name = Symbol("s");
throw e;
// case
// expect: CODE_ERROR RuntimeError
const cycle = {};
cycle.self = cycle;
throw cycle;
// case
// expect: CODE_ERROR RuntimeError "quota"
throw new DOMException("quota", "QuotaExceededError");
// twin
// expect: SUCCESS "caught"
try { throw null } catch { return "caught" }
