// expect: SUCCESS true
// expect-call: echo:x {"a":1}
const child = Object.create(mcp);
return child.echo === mcp.echo && (await child.echo.x({ a: 1 })).a === 1;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
