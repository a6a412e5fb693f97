// expect: TOOL_ERROR MCPToolError "{\"reason\":\"r\"}"
// expect-call: tool:error_json {"a":1}
return mcp.tool.error_json({ a: 1 });
// case
// expect: TOOL_ERROR MCPToolError "{\"reason\":\"r\"}"
// expect-call: tool:error_json {"a":1}
// later
return mcp.tool.error_json({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"{\"reason\":\"r\"}"}],"isError":true}
// expect-call: tool:error_json {"a":1}
return mcp.tool.error_json.raw({ a: 1 });
