// expect: SUCCESS 1
// expect-call: echo:x {"a":1,"b":2}
let reads = 0;
const input = { get a() { reads++; input.z = 1; return 1 }, b: 2 };
await mcp.echo.x(input);
return reads;
// case
// expect: SUCCESS {"a":1,"b":2}
let reads = 0;
const input = { get a() { reads++; input.z = 1; return 1 }, b: 2 };
return input;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
