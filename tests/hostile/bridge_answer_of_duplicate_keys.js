// expect: SUCCESS {"a":2}
// expect-call: tool:duplicate {"a":1}
return mcp.tool.duplicate({ a: 1 });
// case
// expect: SUCCESS {"a":2}
// expect-call: tool:duplicate {"a":1}
// later
return mcp.tool.duplicate({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"{\"a\":1,\"a\":2}"}]}
// expect-call: tool:duplicate {"a":1}
return mcp.tool.duplicate.raw({ a: 1 });
