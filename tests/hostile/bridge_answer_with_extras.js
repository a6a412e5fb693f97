// expect: SUCCESS "x"
// expect-call: tool:extra {"a":1}
return mcp.tool.extra({ a: 1 });
// case
// expect: SUCCESS "x"
// expect-call: tool:extra {"a":1}
// later
return mcp.tool.extra({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"x"}],"_meta":{"k":1},"resultType":"complete"}
// expect-call: tool:extra {"a":1}
return mcp.tool.extra.raw({ a: 1 });
