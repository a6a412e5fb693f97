// expect: SUCCESS "{\"a\":"
// expect-call: tool:broken {"a":1}
return mcp.tool.broken({ a: 1 });
// case
// expect: SUCCESS "{\"a\":"
// expect-call: tool:broken {"a":1}
// later
return mcp.tool.broken({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"{\"a\":"}]}
// expect-call: tool:broken {"a":1}
return mcp.tool.broken.raw({ a: 1 });
