// expect: SUCCESS true
// expect-call: echo:x [{},{},{},{},{"0":1}]
await mcp.echo.x([/x/g, new Error("x"), Promise.resolve(1), new ArrayBuffer(2), (function () { return arguments })(1)]);
return true;
// case
// expect: SUCCESS [{},{},{},{},{"0":1}]
return [/x/g, new Error("x"), Promise.resolve(1), new ArrayBuffer(2), (function () { return arguments })(1)];
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
