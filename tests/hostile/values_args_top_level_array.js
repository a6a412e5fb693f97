// expect: SUCCESS true
// expect-call: echo:x []
await mcp.echo.x([]);
return true;
// case
// expect: SUCCESS []
return [];
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
