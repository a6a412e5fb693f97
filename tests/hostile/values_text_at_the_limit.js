// expect: SUCCESS true
// expect-call-count: 1
const most = 16 * 1024 * 1024;
const fits = await mcp.echo.x("x".repeat(most - 2)).then((got) => got.length === most - 2, String);
const over = await mcp.echo.x("x".repeat(most - 1)).then(() => "sent", (e) => e instanceof RangeError);
return (fits === true && over === true) || [fits, over];
// case
// expect: SUCCESS
// expect-length: 16777214
return "x".repeat(16 * 1024 * 1024 - 2);
// case
// expect: OUTPUT_LIMIT LimitError
return "x".repeat(16 * 1024 * 1024 - 1);
// twin
// expect: SUCCESS "x"
return "x";
