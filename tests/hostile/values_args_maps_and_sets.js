// expect: SUCCESS true
// expect-call: echo:x [{},{},{},{}]
await mcp.echo.x([new Map([[1, 2]]), new Set([1]), new WeakMap(), new WeakSet()]);
return true;
// case
// expect: SUCCESS [{},{},{},{}]
return [new Map([[1, 2]]), new Set([1]), new WeakMap(), new WeakSet()];
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
