// expect: SUCCESS true
// expect-blocked-count: any
// expect-call-count: any
// timeout: 30000
const seen = new Set(), queue = [globalThis, mcp, mcp.a, mcp.a.b, args, async () => 1, function* () {}, async function* () {}];
while (queue.length) {
    const object = queue.pop();
    if ((typeof object !== "object" && typeof object !== "function") || object === null || seen.has(object)) continue;
    seen.add(object);
    queue.push(Object.getPrototypeOf(object));
    for (const key of Reflect.ownKeys(object)) {
        const d = Reflect.getOwnPropertyDescriptor(object, key);
        if (d) queue.push(d.value, d.get, d.set);
    }
}
const hostile = [undefined, null, 0, -1, 2 ** 31, NaN, "", "x", Symbol.iterator, 1n, {}, [], () => 1, /x/, new Proxy({}, {})];
const call = Reflect.apply, construct = Reflect.construct, wait = setTimeout, at = Math.floor;
const functions = [...seen].filter((f) => typeof f === "function");
const left = [Promise.prototype, "then"];
let count = 0;
for (const f of functions) {
    for (const value of hostile) {
        try { call(f, value, []); count++ } catch { count++ }
        try { construct(f, [value]); count++ } catch { count++ }
    }
}
return count > 1000;
// twin
// expect: SUCCESS 3
return Reflect.apply(Math.max, undefined, [1, 2, 3]);
