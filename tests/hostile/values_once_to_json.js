// expect: SUCCESS 1
// expect-call: echo:x {"n":1}
let reads = 0;
const input = { toJSON() { return { n: ++reads } } };
await mcp.echo.x(input);
return reads;
// case
// expect: SUCCESS {"n":1}
let reads = 0;
const input = { toJSON() { return { n: ++reads } } };
return input;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
