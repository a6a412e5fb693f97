// expect: SUCCESS "RangeError"
try { const f = async () => await f(); await f(); } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { function* g() { yield* g(); } g().next(); } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { const o = { get [Symbol.toStringTag]() { return String(this); } }; String(o); } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { const o = {}; o.valueOf = () => +o; +o; } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x; } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { const a = []; a[0] = a; const b = []; b[0] = { toString: () => String(b) }; String(b); } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { class A { static [Symbol.hasInstance](x) { return x instanceof A; } } ({}) instanceof A; } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { const t = (...a) => t`${a}`; t``; } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { const o = new Proxy({}, { ownKeys: () => Reflect.ownKeys(o) }); Object.keys(o); } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { const f = () => [1].map(f); f(); } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { const f = () => 'x'.replaceAll('x', f); f(); } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { const f = () => JSON.parse('[1]', f); f(); } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { const f = () => new (class { constructor() { f(); } static { } })(); f(); } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { const f = () => Reflect.apply(f, null, []); f(); } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { const f = () => { using x = { [Symbol.dispose]: f }; }; try { f(); } catch (e) { throw e.name === 'SuppressedError' ? new RangeError() : e; } } catch (e) { return e.name; }
// case
// expect: SUCCESS "RangeError"
try { let d = []; for (let i = 0; i < 1e5; i++) d = [d]; structuredClone(d); } catch (e) { return e.name; }
// twin
// expect: SUCCESS 5050
return (function f(n) { return n ? n + f(n - 1) : 0; })(100);
