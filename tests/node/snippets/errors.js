// errors.js - errors, causes, finally.

// --- made
// with new Error("m")
// with Error("without new")
// with new TypeError("t", { cause: "c" })
// with new Error("m", { cause: undefined })
// with new Error("m", {})
// with new Error(undefined)
// with new Error(null)
// with new Error("")
// with new RangeError({ toString: () => "obj" })
// with new AggregateError([1, new Error("x")], "many")
// with new AggregateError("ab")
// with new AggregateError(new Set([1]), "m", { cause: 5 })
// with new AggregateError(5)
// with new SuppressedError(1, 2, "s")
// with new URIError("u")
// with new EvalError("e")
// with new SyntaxError("s")
// with new ReferenceError("r")
// with Object.assign(new Error("m"), { code: "E_X", status: 404 })
// with new Error(Symbol("x"))
return show([$CASE].map((e) => [e.name, e.message, String(e), "cause" in e, e.cause, e.errors, Object.keys(e), Object.hasOwn(e, "message"), e instanceof Error, Object.prototype.toString.call(e), e.code]))

// --- thrown by the language
// with null.x
// with undefined.x
// with undefined.x.y
// with (void 0)()
// with ({}).x()
// with ({}).x.y
// with x
// with (() => { const c = 1; c = 2 })()
// with (() => { later; let later })()
// with new (class { constructor() { this.#p } #p = null.x })()
// with new 5
// with new (() => {})
// with 1 in 1
// with 1 instanceof 1
// with ({}) instanceof (() => {})
// with [].reduce((a) => a)
// with "x".repeat(-1)
// with new Array(1.5)
// with (1).toFixed(200)
// with (1).toString(100)
// with "x".normalize("q")
// with decodeURI("%")
// with JSON.parse("{")
// with new RegExp("[")
// with BigInt("x")
// with BigInt(0.5)
// with 1n + 1
// with Symbol() + 1
// with `${Symbol()}`
// with new Date(NaN).toISOString()
// with Object.defineProperty(1, "x", {})
// with Object.freeze([1]).push(2)
// with Object.setPrototypeOf(Object.preventExtensions({}), {})
// with Object.fromEntries([null])
// with new Map([1])
// with new Set(1)
// with new WeakSet([1])
// with [...1]
// with Math.max(...5)
// with (() => { const { a } = null })()
// with (() => { const [a] = {} })()
// with ((f) => f(f))((f) => f(f))
// with (function f() { return f() + 1 })()
// with new Proxy({}, null)
// with Reflect.construct(1)
// with String.fromCodePoint(-1)
// with new Uint8Array(-1)
// with new DataView(new ArrayBuffer(1)).getInt16(0)
// with Promise.resolve.call(1)
// with (class { static #x; static m() { return ({}).#x } }).m()
// with Object.create(1)
// with Function.prototype.call.call(1)
// with ({ get x() { throw new EvalError() } }).x
// with undefined?.x.y.z()
// with null[Symbol.iterator]
// with (async () => {})().x.y
// with Iterator.prototype.map.call(1, (x) => x)
// with [].at.call(null)
// with "".at.call(undefined)
// with "a".localeCompare.call(null)
// with [1, 2].toSpliced.call(undefined)
// with Array.from({ length: -1 }).length
// with Array.from({ length: Infinity })
// with new Array(2 ** 32)
return attempt(() => $CASE)

// --- the order of try, catch and finally
const log = [];
const f = (mode) => { try { log.push("try"); if (mode === "throw") throw "t"; if (mode === "return") return "r"; return "end" } catch (e) { log.push("catch " + e); return "c" } finally { log.push("finally"); if (mode === "over") return "f" } };
return [f("throw"), f("return"), f("over"), f(), log]

// --- finally replaces an error
const f = () => { try { throw new Error("first") } finally { throw new RangeError("second") } };
return attempt(f)

// --- finally with break and continue
const log = [];
for (let i = 0; i < 3; i++) { try { if (i === 1) continue; log.push(i) } finally { log.push("f" + i); if (i === 2) break } }
l: { try { break l } finally { log.push("out") } }
return log

// --- finally does not change what is returned
let x = 1;
const f = () => { try { return x } finally { x = 2 } }, g = () => { const o = { v: 1 }; try { return o } finally { o.v = 2 } };
return [f(), x, g()]

// --- nested
const log = [];
try { try { throw new TypeError("in") } catch (e) { log.push(e.name); throw new RangeError("from catch", { cause: e }) } finally { log.push("inner finally") } } catch (e) { log.push(e.name, e.cause.name) }
return log

// --- catch without a name
try { throw 1 } catch { return "caught" }

// --- the name in catch is its own
const e = "outer";
try { throw "inner" } catch (e) { var seen = e; e = "changed" }
return [e, seen]

// --- anything can be thrown
const caught = [];
for (const v of [1, "s", null, undefined, { a: 1 }, [2], Symbol.iterator, 5n, () => 1]) try { throw v } catch (e) { caught.push(e === v) }
return caught

// --- own errors
class HttpError extends Error { constructor(status, message, options) { super(message, options); this.status = status } get name() { return "HttpError" } static notFound(what) { return new HttpError(404, `no ${what}`) } }
const e = HttpError.notFound("page");
return [String(e), e.status, e instanceof HttpError, e instanceof Error, Object.keys(e), e.constructor.name, typeof e.stack]

// --- an own error thrown out
class ValidationError extends Error { name = "ValidationError" }
throw new ValidationError("bad: input")

// --- a name on the prototype
class MyError extends TypeError {} MyError.prototype.name = "MyError";
throw new MyError("x")

// --- a name is not that of the class unless it is set
class Plain extends Error {}
const e = new Plain("m");
return [e.name, String(e), e.constructor.name, Object.prototype.toString.call(e)]

// --- chains of causes
const chain = (e) => e ? [`${e.name}: ${e.message}`, ...chain(e.cause)] : [];
try { try { try { null.x } catch (cause) { throw new Error("load", { cause }) } } catch (cause) { throw new RangeError("start", { cause }) } } catch (e) { return chain(e).map((s) => s.split(":")[0]) }

// --- toString of errors
const t = Error.prototype.toString;
return [t.call({ name: "N", message: "m" }), t.call({ name: "", message: "m" }), t.call({ name: "N", message: "" }), t.call({}), t.call({ name: undefined, message: 5 }), attempt(() => t.call(1))]

// --- properties of errors
const e = new Error("m", { cause: 1 });
return show([Object.getOwnPropertyDescriptor(e, "message"), Object.getOwnPropertyDescriptor(e, "cause"), Error.length, AggregateError.length, Object.getPrototypeOf(TypeError) === Error, TypeError.prototype.name])

// --- what the prototype of errors has
return Object.getOwnPropertyNames(Error.prototype).sort()

// --- is it an error
return [Error.isError(new TypeError()), Error.isError({ name: "Error", message: "m" }), Error.isError(Object.create(Error.prototype)), Error.isError(new Proxy(new Error(), {})), Error.isError(), Error.isError(new (class X extends Error {})())]

// --- aggregated errors in a loop
const errors = [];
for (const f of [() => 1, () => { throw new TypeError("a") }, () => null.x]) try { f() } catch (e) { errors.push(e) }
try { if (errors.length) throw new AggregateError(errors, `${errors.length} failed`) } catch (e) { return [e.message, e.errors.map((x) => x.name)] }

// --- the stack runs out and goes on
let depth = 0;
const f = () => { depth++; f() };
const first = attempt(f), deep = depth > 500; depth = 0;
return [first, deep, attempt(f), depth > 500]

// --- an error in a getter, a setter, toString and valueOf
const bad = () => { throw new EvalError() };
return [attempt(() => ({ get x() { return bad() } }).x), attempt(() => { ({ set x(v) { bad() } }).x = 1 }), attempt(() => `${{ toString: bad }}`), attempt(() => +{ valueOf: bad }), attempt(() => [{ toJSON: bad }].map(JSON.stringify)), attempt(() => [1, 2].sort(bad)), attempt(() => "a".replace("a", bad)), attempt(() => new Map([[1, 1]]).forEach(bad)), attempt(() => Array.from({ length: 1 }, bad))]

// --- results instead of errors
const tryTo = (f, ...a) => { try { return { ok: true, value: f(...a) } } catch (e) { return { ok: false, error: e.name } } };
return [tryTo(JSON.parse, "[1]"), tryTo(JSON.parse, "["), tryTo(decodeURIComponent, "%E4")]

// --- asserting
const assert = (c, m = "failed") => { if (!c) throw new Error(m) };
return [attempt(() => assert(1)), attempt(() => assert(0)), attempt(() => assert("", "empty"))]

// --- errors of async code keep their cause
const load = async () => { try { await Promise.reject(new TypeError("net")) } catch (cause) { throw new Error("load failed", { cause }) } };
return load().catch((e) => [e.message, e.cause.name, e.cause.message])
