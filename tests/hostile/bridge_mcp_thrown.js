// expect: CODE_ERROR RuntimeError "{}"
throw mcp;
// case
// expect: CODE_ERROR RuntimeError "{}"
throw mcp.a;
// case
// expect: CODE_ERROR RuntimeError "function mcp.a.b()"
throw mcp.a.b;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
