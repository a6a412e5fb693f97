// expect: SUCCESS [20,"RangeError","why","a,b",true,"SuppressedError"]
const kept = [];
function deep(n) { if (n) return deep(n - 1); throw new TypeError("deep " + kept.length, {cause: "why"}); }
for (let i = 0; i < 20; i++) try { deep(i * 20); } catch (e) { kept.push(e); }
let overflow; try { (function f() { f(); })(); } catch (e) { overflow = e; }
const many = await Promise.any([Promise.reject("a"), Promise.reject("b")]).catch((e) => e);
class Own extends Error { constructor(m) { super(m); this.name = "Own"; this.extra = new Array(50).fill(m); } }
let own, suppressed; try { null.property; } catch (e) { try { throw new Own(e.message); } catch (f) { own = f; } }
try { using x = {[Symbol.dispose]() { throw 1; }}; throw 2; } catch (e) { suppressed = e.name; }
return [kept.length, overflow.name, kept[3].cause, many.errors.join(), own instanceof Own && own.stack.includes("\n") && kept.every((e) => e.stack.length > 20), suppressed];
