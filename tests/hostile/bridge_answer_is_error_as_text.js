// expect: SUCCESS true
// expect-call: tool:error_text {}
const got = await mcp.tool.error_text().catch((e) => e);
return got === "fine" || got.code === "TOOL_ERROR";
// twin
// expect: SUCCESS "fine"
// expect-call: tool:error_false {}
return mcp.tool.error_false();
