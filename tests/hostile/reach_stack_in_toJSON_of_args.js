// expect: SUCCESS
// expect-call: echo:x {}
let seen;
await mcp.echo.x({ toJSON() { seen = new Error("x").stack; return {} } });
return seen;
// twin
// expect: SUCCESS true
return /at <anonymous> \(cap:[0-9a-f]{8}:1:\d+\)/.test(new Error("x").stack);
