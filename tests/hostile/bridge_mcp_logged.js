// expect: SUCCESS 1
console.log(mcp, mcp.a, mcp.a.b, `${typeof mcp}`, [mcp], { mcp });
console.table(mcp);
console.dir(mcp.a);
console.error(mcp.a.b);
return 1;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
