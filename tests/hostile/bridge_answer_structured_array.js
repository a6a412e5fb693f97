// expect: SUCCESS [1]
// expect-call: tool:structured_array {"a":1}
return mcp.tool.structured_array({ a: 1 });
// case
// expect: SUCCESS [1]
// expect-call: tool:structured_array {"a":1}
// later
return mcp.tool.structured_array({ a: 1 });
// twin
// expect: SUCCESS {"content":[],"structuredContent":[1]}
// expect-call: tool:structured_array {"a":1}
return mcp.tool.structured_array.raw({ a: 1 });
