// expect: SUCCESS true
// expect-call-count: 2
const depth = (value) => { let n = 0; for (; Array.isArray(value); value = value[0]) n++; return n };
const found = [];
for (const call of [mcp.value.deep, mcp.tool.deep]) found.push(await call().then(depth, (e) => e.code));
return found.every((n) => n === 900 || n === "RPC_ERROR") || found;
// twin
// expect: SUCCESS [[1]]
// expect-call: echo:x [[1]]
return mcp.echo.x([[1]]);
