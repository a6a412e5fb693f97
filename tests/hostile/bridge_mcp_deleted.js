// expect: SUCCESS true
// expect-call: echo:x {"a":1}
const action = mcp.echo.x, namespace = mcp.echo;
for (const attack of [() => { delete mcp.echo }, () => { delete mcp.echo.x }]) {
    try { attack() } catch {}
}
return mcp.echo === namespace && mcp.echo.x === action && (await mcp.echo.x({ a: 1 })).a === 1;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
