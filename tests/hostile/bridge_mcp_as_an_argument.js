// expect: SUCCESS {"m":{},"n":{},"l":[null]}
// expect-call: echo:x {"m":{},"n":{},"l":[null]}
return mcp.echo.x({ m: mcp, n: mcp.a, f: mcp.a.b, l: [mcp.a.b] });
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
