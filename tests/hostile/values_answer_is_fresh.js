// expect: SUCCESS [1,1]
// expect-call: echo:x {"a":1}
// expect-call: echo:x {"a":1}
const input = { a: 1 };
const got = await mcp.echo.x(input);
got.a = 2;
const again = await mcp.echo.x(input);
return [input.a, again.a];
// twin
// expect: SUCCESS 2
const input = { a: 1 };
input.a = 2;
return input.a;
