// expect: SUCCESS true
// expect-call: echo:x 1
await mcp.echo.x(Object.assign(new Date(0), { toJSON: () => 1 }));
return true;
// case
// expect: SUCCESS 1
return Object.assign(new Date(0), { toJSON: () => 1 });
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
