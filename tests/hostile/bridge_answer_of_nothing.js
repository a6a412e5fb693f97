// expect: SUCCESS []
// expect-call: tool:none {"a":1}
return mcp.tool.none({ a: 1 });
// case
// expect: SUCCESS []
// expect-call: tool:none {"a":1}
// later
return mcp.tool.none({ a: 1 });
// twin
// expect: SUCCESS {"content":[]}
// expect-call: tool:none {"a":1}
return mcp.tool.none.raw({ a: 1 });
