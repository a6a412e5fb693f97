// expect: SUCCESS true
// expect-call-count: 1000
const got = await Promise.all(Array.from({ length: 1000 }, (_, i) => mcp.echo.x({ i })));
return got.every((answer, i) => answer.i === i);
// case
// expect: SUCCESS true
// expect-call-count: 1000
// later
const got = await Promise.all(Array.from({ length: 1000 }, (_, i) => mcp.echo.x({ i })));
return got.every((answer, i) => answer.i === i);
// case
// expect: CALL_LIMIT LimitError "More than 10000 calls in one run"
// expect-call-count: 10000
for (let i = 0; i < 10001; i++) await mcp.echo.x();
// twin
// expect: SUCCESS 10000
// expect-call-count: 10000
let n = 0;
for (let i = 0; i < 10000; i++) n += (await mcp.echo.x(1));
return n;
