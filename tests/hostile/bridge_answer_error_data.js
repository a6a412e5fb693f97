// expect: SUCCESS ["MCPToolError","TOOL_ERROR","tool:error_structured",{"row":7}]
// expect-call: tool:error_structured {}
const e = await mcp.tool.error_structured().catch((e) => e);
return [e.name, e.code, e.toolName, e.data];
// case
// expect: SUCCESS ["TOOL_ERROR","no such row"]
// expect-call: tool:error {}
const e = await mcp.tool.error().catch((e) => e);
return [e.code, e.data];
// case
// expect: SUCCESS ["TOOL_ERROR",{"reason":"r"}]
// expect-call: tool:error_json {}
const e = await mcp.tool.error_json().catch((e) => e);
return [e.code, e.data];
// twin
// expect: SUCCESS true
// expect-call: tool:error_structured {}
return (await mcp.tool.error_structured.raw()).isError;
