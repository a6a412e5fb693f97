// expect: SUCCESS []
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
const names = [...seen].filter((f) => typeof f === "function").map((f) => Reflect.getOwnPropertyDescriptor(f, "name")?.value);
return names.filter((name) => /caprun|prelude|native|inspect|lazily|uncurry/.test(String(name)));
// twin
// expect: SUCCESS true
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
return seen.has(Math.max) && seen.has(Object.getPrototypeOf(async () => 1)) && seen.size > 500;
