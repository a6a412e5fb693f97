// expect: SUCCESS true
// expect-call: echo:x [1,"s",true,{}]
await mcp.echo.x([Object(1), Object("s"), Object(true), Object(Symbol.iterator)]);
return true;
// case
// expect: SUCCESS [1,"s",true,{}]
return [Object(1), Object("s"), Object(true), Object(Symbol.iterator)];
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
