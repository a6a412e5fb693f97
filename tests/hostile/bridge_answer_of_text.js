// expect: SUCCESS "just text"
// expect-call: tool:text {"a":1}
return mcp.tool.text({ a: 1 });
// case
// expect: SUCCESS "just text"
// expect-call: tool:text {"a":1}
// later
return mcp.tool.text({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"just text"}]}
// expect-call: tool:text {"a":1}
return mcp.tool.text.raw({ a: 1 });
