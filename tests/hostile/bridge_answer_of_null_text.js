// expect: SUCCESS "null"
// expect-call: tool:null {"a":1}
return mcp.tool.null({ a: 1 });
// case
// expect: SUCCESS "null"
// expect-call: tool:null {"a":1}
// later
return mcp.tool.null({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"null"}]}
// expect-call: tool:null {"a":1}
return mcp.tool.null.raw({ a: 1 });
