// expect: SUCCESS ["DataCloneError","DataCloneError","DataCloneError","DataCloneError"]
return [mcp, mcp.a, mcp.a.b, { within: [mcp] }].map((value) => {
    try { return typeof structuredClone(value) } catch (e) { return e.name }
});
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
