// expect: SUCCESS true
// expect-call: echo:x {"a":1}
const action = mcp.echo.x, namespace = mcp.echo;
for (const attack of [() => { mcp.echo = 1 }, () => { mcp.echo.x = 1 }, () => { mcp.new = 1 }, () => { mcp[Symbol.iterator] = 1 }]) {
    try { attack() } catch {}
}
return mcp.echo === namespace && mcp.echo.x === action && (await mcp.echo.x({ a: 1 })).a === 1;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
