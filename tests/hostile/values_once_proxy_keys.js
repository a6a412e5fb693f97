// expect: SUCCESS 1
// expect-call: echo:x {"a":1}
let reads = 0;
const input = new Proxy({ a: 1, b: 2 }, { ownKeys() { reads++; return reads === 1 ? ["a"] : ["a", "b"] } });
await mcp.echo.x(input);
return reads;
// case
// expect: SUCCESS {"a":1}
let reads = 0;
const input = new Proxy({ a: 1, b: 2 }, { ownKeys() { reads++; return reads === 1 ? ["a"] : ["a", "b"] } });
return input;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
