// expect: SUCCESS 1
// expect-call: echo:x {"a":{}}
let reads = 0;
const input = { a: { toJSON() { reads++; return { toJSON() { reads += 10; return 1 } } } } };
await mcp.echo.x(input);
return reads;
// case
// expect: SUCCESS {"a":{}}
let reads = 0;
const input = { a: { toJSON() { reads++; return { toJSON() { reads += 10; return 1 } } } } };
return input;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
