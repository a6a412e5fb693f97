// expect: SUCCESS [3,[]]
const seen = [];
const deep = (f) => { try { f(); deep(f) } catch (e) { seen.push(String(e.stack)); throw e } };
for (const f of [() => console.log({ get a() { return 1 } }), () => mcp.a.b, () => JSON.stringify({ toJSON() { return 1 } })]) {
    try { deep(f) } catch (e) { seen.push(String(e.stack)) }
}
// everything after the first line, which has name and message
const foreign = (stack) => stack.split("\n").slice(1).filter((line) => !/^    at .+ \((cap:[0-9a-f]{8}:\d+:\d+|native)\)$/.test(line));
const different = [...new Set(seen)];
return [different.length, different.flatMap(foreign)];
// twin
// expect: SUCCESS true
return /at <anonymous> \(cap:[0-9a-f]{8}:1:\d+\)/.test(new Error("x").stack);
