// expect: SUCCESS true
// expect-call: echo:x {"b":[null,null],"c":1}
await mcp.echo.x({ a() {}, b: [() => 1, class {}], c: 1 });
return true;
// case
// expect: SUCCESS {"b":[null,null],"c":1}
return { a() {}, b: [() => 1, class {}], c: 1 };
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
