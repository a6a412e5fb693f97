// expect: SUCCESS [{},{},{}]
// expect-call: echo:x {}
// expect-call: echo:x {}
// expect-call: echo:x {}
return [await mcp.echo.x(), await mcp.echo.x(undefined), await mcp.echo.x(...[])];
// twin
// expect: SUCCESS null
// expect-call: echo:x null
return mcp.echo.x(null);
