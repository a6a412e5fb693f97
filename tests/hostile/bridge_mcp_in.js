// expect: SUCCESS true
return ["a" in mcp, "b" in mcp.a, "then" in mcp, "constructor" in mcp, Symbol.iterator in mcp].every((found) => typeof found === "boolean");
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
