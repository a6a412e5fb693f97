// expect: SUCCESS true
// expect-call: tool:no_content {}
const got = await mcp.tool.no_content().catch((e) => e.code);
return got === null || got === undefined || Array.isArray(got) || typeof got === "object" || got === "RPC_ERROR";
// twin
// expect: SUCCESS {}
// expect-call: tool:no_content {}
return mcp.tool.no_content.raw();
