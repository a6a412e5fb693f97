// expect: TOOL_ERROR MCPToolError "The tool answered with an error"
// expect-call: tool:error_empty {"a":1}
return mcp.tool.error_empty({ a: 1 });
// case
// expect: TOOL_ERROR MCPToolError "The tool answered with an error"
// expect-call: tool:error_empty {"a":1}
// later
return mcp.tool.error_empty({ a: 1 });
// twin
// expect: SUCCESS {"content":[],"isError":true}
// expect-call: tool:error_empty {"a":1}
return mcp.tool.error_empty.raw({ a: 1 });
