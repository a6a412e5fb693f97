// expect: CODE_ERROR RuntimeError "undefined"
throw undefined;
// case
// expect: CODE_ERROR RuntimeError "null"
throw null;
// case
// expect: CODE_ERROR RuntimeError "text"
throw "text";
// case
// expect: CODE_ERROR RuntimeError "Symbol(s)"
throw Symbol("s");
// case
// expect: CODE_ERROR RuntimeError "1"
throw 1n;
// case
// expect: CODE_ERROR RuntimeError "() => 1"
throw () => 1;
// case
// expect: CODE_ERROR RuntimeError "The code threw something without a message"
throw new Proxy({}, { get() { throw 1 }, ownKeys() { throw 1 }, getPrototypeOf() { throw 1 } });
// case
// expect: CODE_ERROR RuntimeError "The code threw something without a message"
throw new Proxy(new Error("x"), { get() { throw 1 } });
// case
// expect: CODE_ERROR RuntimeError "The code threw something without a message"
throw { toString() { throw 1 }, toJSON() { throw 1 } };
// case
// expect: CODE_ERROR RuntimeError "The code threw something without a message"
const e = new Error("x");
e.message = { toString() { throw new Error("y") } };
e.name = Symbol("s");
throw e;
// case
// expect: CODE_ERROR RuntimeError "[object Object]"
const cycle = {};
cycle.self = cycle;
throw cycle;
// case
// expect: CODE_ERROR RuntimeError "quota"
throw new DOMException("quota", "QuotaExceededError");
// twin
// expect: SUCCESS "caught"
try { throw null } catch { return "caught" }
