// expect: SUCCESS true
// expect-call: echo:x {"1":1,"2":1,"b":1,"a":1,"-1":1,"01":1}
await mcp.echo.x({ b: 1, 2: 1, a: 1, 1: 1, "-1": 1, "01": 1 });
return true;
// case
// expect: SUCCESS {"1":1,"2":1,"b":1,"a":1,"-1":1,"01":1}
return { b: 1, 2: 1, a: 1, 1: 1, "-1": 1, "01": 1 };
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
