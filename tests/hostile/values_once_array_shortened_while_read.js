// expect: SUCCESS 1
// expect-call: echo:x [1,null,null]
let reads = 0;
const input = [{ toJSON() { reads++; input.length = 1; return 1 } }, 2, 3];
await mcp.echo.x(input);
return reads;
// case
// expect: SUCCESS [1,null,null]
let reads = 0;
const input = [{ toJSON() { reads++; input.length = 1; return 1 } }, 2, 3];
return input;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
