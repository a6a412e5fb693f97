// expect: SUCCESS 1
// expect-call: echo:x {"a":1,"c":3}
let reads = 0;
const input = { get a() { reads++; delete input.b; return 1 }, b: 2, c: 3 };
await mcp.echo.x(input);
return reads;
// case
// expect: SUCCESS {"a":1,"c":3}
let reads = 0;
const input = { get a() { reads++; delete input.b; return 1 }, b: 2, c: 3 };
return input;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
