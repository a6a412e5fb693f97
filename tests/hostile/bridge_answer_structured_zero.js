// expect: SUCCESS 0
// expect-call: tool:structured_zero {"a":1}
return mcp.tool.structured_zero({ a: 1 });
// case
// expect: SUCCESS 0
// expect-call: tool:structured_zero {"a":1}
// later
return mcp.tool.structured_zero({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"text"}],"structuredContent":0}
// expect-call: tool:structured_zero {"a":1}
return mcp.tool.structured_zero.raw({ a: 1 });
