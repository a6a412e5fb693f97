// expect: SUCCESS 2
// expect-call: echo:x {"a":1,"b":2}
let reads = 0;
const input = new Proxy({ a: 0, b: 0 }, { get(target, key) { return key === "toJSON" || key === "then" ? undefined : ++reads } });
await mcp.echo.x(input);
return reads;
// case
// expect: SUCCESS {"a":1,"b":2}
let reads = 0;
const input = new Proxy({ a: 0, b: 0 }, { get(target, key) { return key === "toJSON" || key === "then" ? undefined : ++reads } });
return input;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
