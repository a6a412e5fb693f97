// expect: SUCCESS "\"quoted\""
// expect-call: tool:quoted {"a":1}
return mcp.tool.quoted({ a: 1 });
// case
// expect: SUCCESS "\"quoted\""
// expect-call: tool:quoted {"a":1}
// later
return mcp.tool.quoted({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"\"quoted\""}]}
// expect-call: tool:quoted {"a":1}
return mcp.tool.quoted.raw({ a: 1 });
