// expect: SUCCESS "42"
// expect-call: tool:number {"a":1}
return mcp.tool.number({ a: 1 });
// case
// expect: SUCCESS "42"
// expect-call: tool:number {"a":1}
// later
return mcp.tool.number({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"42"}]}
// expect-call: tool:number {"a":1}
return mcp.tool.number.raw({ a: 1 });
