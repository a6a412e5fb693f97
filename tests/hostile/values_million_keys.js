// expect: SUCCESS true
// expect-call-count: any
const input = {};
for (let i = 0; i < 1e6; i++) input["k" + i] = 0;
return mcp.echo.x(input).then((got) => Object.keys(got).length === 1e6, (e) => e instanceof Error);
// case
// expect: SUCCESS|CODE_ERROR|OUTPUT_LIMIT
const input = {};
for (let i = 0; i < 1e6; i++) input["k" + i] = 0;
return input;
// case
// expect: SUCCESS true
// expect-call-count: any
return mcp.echo.x(Array.from({ length: 1e6 }, (_, i) => i)).then((got) => got.length === 1e6, (e) => e instanceof Error);
// twin
// expect: SUCCESS 1000
// expect-call-count: 1
const input = {};
for (let i = 0; i < 1000; i++) input["k" + i] = 0;
return Object.keys(await mcp.echo.x(input)).length;
