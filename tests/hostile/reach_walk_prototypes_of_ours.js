// expect: SUCCESS []
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
// twin
// expect: SUCCESS true
return "log" in console && "now" in performance;
