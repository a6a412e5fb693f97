// expect: SUCCESS true
const e = await mcp.echo.x({ text: "x".repeat(50e6) }).then(() => "sent", (e) => e);
return e instanceof RangeError || String(e);
// case
// expect: OUTPUT_LIMIT LimitError
return "x".repeat(50e6);
// case
// expect: OUTPUT_LIMIT LimitError
return "x".repeat(2 ** 24 - 1);
// case
// expect: CODE_ERROR RuntimeError
throw new Error("x".repeat(50e6));
// case
// expect: SUCCESS 1
console.log("x".repeat(50e6));
return 1;
// case
// expect: SUCCESS true
const e = await mcp.echo.x({ ["k".repeat(50e6)]: 1 }).then(() => "sent", (e) => e);
return e instanceof RangeError || String(e);
// case
// expect: OUTPUT_LIMIT LimitError
return "\0".repeat(4e6);
// twin
// expect: SUCCESS 8000000
// expect-call-count: 1
return (await mcp.echo.x("x".repeat(8e6))).length;
