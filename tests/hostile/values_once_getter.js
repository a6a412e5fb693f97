// expect: SUCCESS 1
// expect-call: echo:x {"a":1}
let reads = 0;
const input = { get a() { return ++reads } };
await mcp.echo.x(input);
return reads;
// case
// expect: SUCCESS {"a":1}
let reads = 0;
const input = { get a() { return ++reads } };
return input;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
