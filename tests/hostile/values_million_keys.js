// expect: RPC_ERROR RuntimeError "more than 200000 keys"
// expect-call-refused: echo:x
const input = {};
for (let i = 0; i < 1e6; i++) input["k" + i] = 0;
return mcp.echo.x(input);
// case
// expect: SUCCESS
// expect-length: 1000000
const input = {};
for (let i = 0; i < 1e6; i++) input["k" + i] = 0;
return input;
// case
// expect: SUCCESS 1000000
// expect-call-count: 1
return (await mcp.echo.x(Array.from({ length: 1e6 }, (_, i) => i))).length;
// twin
// expect: SUCCESS 1000
// expect-call-count: 1
const input = {};
for (let i = 0; i < 1000; i++) input["k" + i] = 0;
return Object.keys(await mcp.echo.x(input)).length;
