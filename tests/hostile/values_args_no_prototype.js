// expect: SUCCESS true
// expect-call: echo:x {"a":1}
await mcp.echo.x(Object.assign(Object.create(null), { a: 1 }));
return true;
// case
// expect: SUCCESS {"a":1}
return Object.assign(Object.create(null), { a: 1 });
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
