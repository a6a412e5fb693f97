// expect: SUCCESS [8,[]]
// expect-blocked: eval eval -
// expect-blocked: Function eval -
// expect-blocked: Deno.readFileSync read /x
// expect-blocked: require import x
// expect-blocked: process.env env X
// expect-blocked: fetch net a.example
// expect-blocked: import import x
// expect-blocked: Deno.readFile read /x
const seen = [];
for (const attempt of [() => eval("1"), () => new Function("1"), () => Deno.readFileSync("/x"), () => require("x"), () => process.env.X]) {
    try { attempt() } catch (e) { seen.push(e.stack) }
}
for (const attempt of [() => fetch("https://a.example"), () => import("x"), () => Deno.readFile("/x")]) {
    await attempt().catch((e) => seen.push(e.stack));
}
// the engine starts an import when no code is running, so the stack is empty
// everything after the first line, which has name and message
const foreign = (stack) => stack.split("\n").slice(1).filter(Boolean).filter((line) => !/^    at .+ \((cap:[0-9a-f]{8}:\d+:\d+|native)\)$/.test(line));
return [seen.length, seen.flatMap(foreign)];
// twin
// expect: SUCCESS true
return /at <anonymous> \(cap:[0-9a-f]{8}:1:\d+\)/.test(new Error("x").stack);
