// expect: SUCCESS {}
// expect-call: tool:no_content {}
return mcp.tool.no_content();
// twin
// expect: SUCCESS {}
// expect-call: tool:no_content {}
return mcp.tool.no_content.raw();
