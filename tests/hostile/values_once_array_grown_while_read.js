// expect: SUCCESS 1
// expect-call: echo:x [1,2]
let reads = 0;
const input = [{ toJSON() { reads++; input.push(9); return 1 } }, 2];
await mcp.echo.x(input);
return reads;
// case
// expect: SUCCESS [1,2]
let reads = 0;
const input = [{ toJSON() { reads++; input.push(9); return 1 } }, 2];
return input;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
