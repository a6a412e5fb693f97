// expect: SUCCESS true
// expect-call: echo:x null
await mcp.echo.x(null);
return true;
// case
// expect: SUCCESS null
return null;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
