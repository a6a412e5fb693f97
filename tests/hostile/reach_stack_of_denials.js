// expect: SUCCESS
// expect-blocked: any
const seen = [];
for (const attempt of [() => eval("1"), () => new Function("1"), () => Deno.readFileSync("/x"), () => require("x"), () => process.env.X]) {
    try { attempt() } catch (e) { seen.push(e.stack, e.message, Object.getOwnPropertyNames(e)) }
}
for (const attempt of [() => fetch("https://a.example"), () => import("x"), () => Deno.readFile("/x")]) {
    await attempt().catch((e) => seen.push(e.stack, e.message));
}
return seen;
// twin
// expect: SUCCESS true
return /at <anonymous> \(cap:[0-9a-f]{8}:1:\d+\)/.test(new Error("x").stack);
