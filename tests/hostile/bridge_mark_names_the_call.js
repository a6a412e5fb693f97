// expect: SUCCESS ["tool:error","RPC_ERROR"]
// expect-call: tool:error {}
// expect-call: fail:x {}
const a = await mcp.tool.error().catch((e) => e);
const b = await mcp.fail.x().catch((e) => e);
return [a.toolName, b.code];
// twin
// expect: SUCCESS [true,true,"MCPToolError","TOOL_ERROR","no such row"]
// expect-call: tool:error {}
const e = await mcp.tool.error().catch((e) => e);
return [e instanceof Error, Object.keys(e).every((key) => ["toolName", "data", "code"].includes(key)), e.name, e.code, e.message];
