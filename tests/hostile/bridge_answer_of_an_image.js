// expect: SUCCESS [{"type":"image","data":"AAAA","mimeType":"image/png"}]
// expect-call: tool:image {"a":1}
return mcp.tool.image({ a: 1 });
// case
// expect: SUCCESS [{"type":"image","data":"AAAA","mimeType":"image/png"}]
// expect-call: tool:image {"a":1}
// later
return mcp.tool.image({ a: 1 });
// twin
// expect: SUCCESS {}
// expect-call: echo:x {}
return mcp.echo.x();
