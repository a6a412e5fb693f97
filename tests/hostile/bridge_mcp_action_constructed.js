// expect: SUCCESS "TypeError"
try {
    new mcp.echo.x({ a: 1 });
    return "constructed";
} catch (e) {
    return e.name;
}
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
