// expect: CODE_ERROR
return mcp.a.b;
// twin
// expect: SUCCESS {}
return { action: mcp.a.b };
