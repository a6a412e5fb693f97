// expect: SUCCESS {"a":1}
// expect-call: tool:spaced {"a":1}
return mcp.tool.spaced({ a: 1 });
// case
// expect: SUCCESS {"a":1}
// expect-call: tool:spaced {"a":1}
// later
return mcp.tool.spaced({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":" \n{\"a\":1} "}]}
// expect-call: tool:spaced {"a":1}
return mcp.tool.spaced.raw({ a: 1 });
