// expect: TOOL_ERROR MCPToolError "no such row"
// expect-call: tool:error {"a":1}
return mcp.tool.error({ a: 1 });
// case
// expect: TOOL_ERROR MCPToolError "no such row"
// expect-call: tool:error {"a":1}
// later
return mcp.tool.error({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"no such row"}],"isError":true}
// expect-call: tool:error {"a":1}
return mcp.tool.error.raw({ a: 1 });
