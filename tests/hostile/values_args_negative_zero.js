// expect: SUCCESS true
// expect-call: echo:x [0,0,{"a":0}]
await mcp.echo.x([-0, 0, { a: -0 }]);
return true;
// case
// expect: SUCCESS [0,0,{"a":0}]
return [-0, 0, { a: -0 }];
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
