// expect: SUCCESS ["{}","{\"m\":{}}","[null]"]
return [JSON.stringify(mcp), JSON.stringify({ m: mcp.a }), JSON.stringify([mcp.a.b])];
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
