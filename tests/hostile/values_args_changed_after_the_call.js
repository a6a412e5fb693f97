// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
// later
const input = { a: 1 };
const pending = mcp.echo.x(input);
input.a = 2;
return pending;
// twin
// expect: SUCCESS {"a":2}
// expect-call: echo:x {"a":2}
const input = { a: 1 };
input.a = 2;
return mcp.echo.x(input);
