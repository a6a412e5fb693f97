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
const toText = Function.prototype.toString;
return [...seen].filter((f) => typeof f === "function" && !/\[native code\]/.test(toText.call(f)))
    .map((f) => toText.call(f)).filter((text) => !/^(async \(\) => 1|(async )?function\* \(\) {})$/.test(text));
// twin
// expect: SUCCESS "() => 1"
return (() => 1).toString();
