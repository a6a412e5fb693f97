// expect: SUCCESS "fine"
// expect-call: tool:error_false {"a":1}
return mcp.tool.error_false({ a: 1 });
// case
// expect: SUCCESS "fine"
// expect-call: tool:error_false {"a":1}
// later
return mcp.tool.error_false({ a: 1 });
// twin
// expect: SUCCESS {}
// expect-call: echo:x {}
return mcp.echo.x();
