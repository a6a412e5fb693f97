// expect: SUCCESS {"mcp":{},"list":[{},{}]}
return { mcp, list: [mcp, mcp.a] };
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
