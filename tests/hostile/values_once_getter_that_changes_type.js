// expect: SUCCESS 1
// expect-call: echo:x {"a":"safe"}
let reads = 0;
const input = { get a() { return ["safe", { evil: 1 }][reads++] } };
await mcp.echo.x(input);
return reads;
// case
// expect: SUCCESS {"a":"safe"}
let reads = 0;
const input = { get a() { return ["safe", { evil: 1 }][reads++] } };
return input;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
