// expect: SUCCESS
// expect-call: fail:x {}
// expect-call: tool:error {}
const seen = [];
for (const call of [() => mcp.fail.x(), () => mcp["/"].x(), () => mcp.a.b(1n), () => mcp.tool.error()]) {
    await call().catch((e) => seen.push(e.stack, e.message, Object.getOwnPropertyNames(e)));
}
return seen;
// twin
// expect: SUCCESS true
return /at <anonymous> \(cap:[0-9a-f]{8}:1:\d+\)/.test(new Error("x").stack);
