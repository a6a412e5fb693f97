// expect: SUCCESS ""
// expect-call: tool:empty_text {"a":1}
return mcp.tool.empty_text({ a: 1 });
// case
// expect: SUCCESS ""
// expect-call: tool:empty_text {"a":1}
// later
return mcp.tool.empty_text({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":""}]}
// expect-call: tool:empty_text {"a":1}
return mcp.tool.empty_text.raw({ a: 1 });
