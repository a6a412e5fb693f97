// expect: SUCCESS true
// expect-call: echo:x [{"0":1,"1":2},{"0":0.5},{}]
await mcp.echo.x([new Uint8Array([1, 2]), new Float64Array([0.5]), new Uint8Array(0)]);
return true;
// case
// expect: SUCCESS [{"0":1,"1":2},{"0":0.5},{}]
return [new Uint8Array([1, 2]), new Float64Array([0.5]), new Uint8Array(0)];
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
