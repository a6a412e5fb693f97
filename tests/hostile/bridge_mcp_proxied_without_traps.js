// expect: SUCCESS true
// expect-call: echo:x {"a":1}
const p = new Proxy(mcp, {});
return p.echo === mcp.echo && (await p.echo.x({ a: 1 })).a === 1;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
