// expect: CODE_ERROR RuntimeError "The result is not JSON: TypeError: a function has no JSON"
return mcp.a.b;
// twin
// expect: SUCCESS {}
return { action: mcp.a.b };
