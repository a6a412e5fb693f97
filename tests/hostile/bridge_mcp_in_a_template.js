// expect: SUCCESS ["string","string","string"]
const texts = [];
for (const value of [mcp, mcp.a, mcp.a.b]) {
    try { texts.push(typeof `${value}`) } catch (e) { texts.push("string") }
}
return texts;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
