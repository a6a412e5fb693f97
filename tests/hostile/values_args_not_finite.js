// expect: SUCCESS true
// expect-call: echo:x [null,null,null,{"a":null}]
await mcp.echo.x([NaN, Infinity, -Infinity, { a: NaN }]);
return true;
// case
// expect: SUCCESS [null,null,null,{"a":null}]
return [NaN, Infinity, -Infinity, { a: NaN }];
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
