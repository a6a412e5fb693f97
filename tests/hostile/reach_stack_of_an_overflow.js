// expect: SUCCESS
const seen = [];
const deep = (f) => { try { f(); deep(f) } catch (e) { seen.push(String(e.stack)); throw e } };
for (const f of [() => console.log({ get a() { return 1 } }), () => mcp.a.b, () => JSON.stringify({ toJSON() { return 1 } })]) {
    try { deep(f) } catch (e) { seen.push(String(e.stack)) }
}
return [...new Set(seen.map((s) => s.slice(0, 2000)))].slice(0, 20);
// twin
// expect: SUCCESS true
return /at <anonymous> \(cap:[0-9a-f]{8}:1:\d+\)/.test(new Error("x").stack);
