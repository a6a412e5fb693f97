// expect: SUCCESS true
// expect-call: echo:x [1,[2]]
await mcp.echo.x(new Proxy([1, [2]], {}));
return true;
// case
// expect: SUCCESS [1,[2]]
return new Proxy([1, [2]], {});
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
