// expect: SUCCESS [1,2]
// expect-call: tool:array {"a":1}
return mcp.tool.array({ a: 1 });
// case
// expect: SUCCESS [1,2]
// expect-call: tool:array {"a":1}
// later
return mcp.tool.array({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"[1,2]"}]}
// expect-call: tool:array {"a":1}
return mcp.tool.array.raw({ a: 1 });
