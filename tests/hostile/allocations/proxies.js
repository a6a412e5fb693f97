// expect: SUCCESS [["get","has","ownKeys","getOwnPropertyDescriptor","set","deleteProperty","apply","construct"],3,"TypeError",100]
const seen = [], log = (name) => (...rest) => { seen.push(name); return Reflect[name](...rest); };
const handler = Object.fromEntries(["get", "has", "ownKeys", "getOwnPropertyDescriptor", "set", "deleteProperty", "apply", "construct"].map((n) => [n, log(n)]));
const p = new Proxy({a: 1, b: {c: 2}}, handler), f = new Proxy(function (x) { return {x}; }, handler);
p.a; "a" in p; Object.keys(p); p.z = 3; delete p.a; f(1); new f(2);
const {proxy, revoke} = Proxy.revocable({}, {}); revoke();
let failure; try { proxy.x; } catch (e) { failure = e.name; }
let deep = {}; for (let i = 0; i < 100; i++) deep = new Proxy(Object.defineProperty({}, "n" + i, {value: i, enumerable: true, configurable: true}), {get: (t, k, r) => (k === "depth" ? i + 1 : Reflect.get(t, k, r))});
Reflect.defineProperty(p, "q", {get: () => 1}); Object.setPrototypeOf(p, null); Reflect.preventExtensions({...p});
return [[...new Set(seen)].slice(0, 8).sort((a, b) => seen.indexOf(a) - seen.indexOf(b)), p.z, failure, deep.depth];
