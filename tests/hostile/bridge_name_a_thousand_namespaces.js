// expect: SUCCESS true
const seen = new Set();
for (let i = 0; i < 100000; i++) seen.add(mcp["n" + i]);
return seen.size === 100000 && mcp.n5 === mcp.n5;
// twin
// expect: SUCCESS {}
// expect-call: echo:x {}
return mcp.echo.x();
