// expect: SUCCESS true
let input = "leaf";
for (let i = 0; i < 100000; i++) input = [input];
return mcp.echo.x(input).then(() => "sent", (e) => e instanceof RangeError);
// case
// expect: SUCCESS true
let input = "leaf";
for (let i = 0; i < 100000; i++) input = { a: input };
return mcp.echo.x(input).then(() => "sent", (e) => e instanceof RangeError);
// case
// expect: SUCCESS true
let depth = 0;
const input = { toJSON: () => (depth++ < 100000 ? { a: input } : 1) };
return mcp.echo.x(input).then(() => "sent", (e) => e instanceof RangeError);
// twin
// expect: SUCCESS true
// expect-call-count: 1
let input = "leaf";
for (let i = 0; i < 50; i++) input = [input];
let got = await mcp.echo.x(input), depth = 0;
for (; Array.isArray(got); got = got[0]) depth++;
return depth === 50 && got === "leaf";
