// expect: SUCCESS true
// expect-call: echo:x {"b":[null],"c":1}
await mcp.echo.x({ a: Symbol("s"), b: [Symbol.iterator], [Symbol("k")]: 1, c: 1 });
return true;
// case
// expect: SUCCESS {"b":[null],"c":1}
return { a: Symbol("s"), b: [Symbol.iterator], [Symbol("k")]: 1, c: 1 };
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
