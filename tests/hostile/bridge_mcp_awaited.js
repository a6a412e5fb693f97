// expect: SUCCESS true
return (await mcp) === mcp && (await mcp.a) === mcp.a && (await mcp.a.b) === mcp.a.b;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
