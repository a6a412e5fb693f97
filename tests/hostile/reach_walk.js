// columns BLOCKED | CALLS
// with and_call_everything | any | any
// with for_our_functions | 0 | 0
// with prototypes_of_ours | 0 | 0
// with sources | 0 | 0
// expect: SUCCESS []
// expect-blocked-count: $BLOCKED
// expect-call-count: $CALLS
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
const functions = [...seen].filter((f) => typeof f === "function");
const attacks = {
    and_call_everything() {
        const hostile = [undefined, null, 0, -1, 2 ** 31, NaN, "", "x", Symbol.iterator, 1n, {}, [], () => 1, /x/, new Proxy({}, {})];
        const call = Reflect.apply, construct = Reflect.construct;
        let count = 0;
        for (const f of functions) {
            for (const value of hostile) {
                try { call(f, value, []); count++ } catch { count++ }
                try { construct(f, [value]); count++ } catch { count++ }
            }
        }
        return count > 1000 ? [] : [count];
    },
    for_our_functions() {
        const names = functions.map((f) => Reflect.getOwnPropertyDescriptor(f, "name")?.value);
        return names.filter((name) => /caprun|prelude|native|inspect|lazily|uncurry/.test(String(name)));
    },
    prototypes_of_ours() {
        const ours = { mcp, "mcp.a": mcp.a, "mcp.a.b": mcp.a.b, args, console, performance };
        const leaked = [];
        for (const name of Object.keys(ours)) {
            for (let o = ours[name]; o; o = Object.getPrototypeOf(o)) {
                for (const key of Reflect.ownKeys(o)) {
                    if (/native|call|stringify|uncurry|handler|marks|pending/.test(String(key)) && o !== Object.prototype && o !== Function.prototype) {
                        leaked.push(`${name}: ${String(key)}`);
                    }
                }
            }
        }
        return leaked;
    },
    sources() {
        const toText = Function.prototype.toString;
        return functions.map((f) => toText.call(f)).filter((text) => !/\[native code\]/.test(text) &&
            !/^(async \(\) => 1|(async )?function\* \(\) {})$/.test(text));
    },
};
const found = seen.has(Math.max) && seen.has(Object.getPrototypeOf(async () => 1)) && seen.size > 500;
return found ? attacks.$CASE() : ["the walk found too little", seen.size];
// twin
// expect: SUCCESS [3,"() => 1",true,true]
return [Reflect.apply(Math.max, undefined, [1, 2, 3]), (() => 1).toString(), "log" in console, "now" in performance];
