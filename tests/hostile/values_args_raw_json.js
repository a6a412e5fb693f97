// expect: SUCCESS true
// expect-call: echo:x {"a":9007199254740993,"b":-0,"c":"x"}
await mcp.echo.x({ a: JSON.rawJSON("9007199254740993"), b: JSON.rawJSON("-0"), c: JSON.rawJSON('"x"') });
return true;
// case
// expect: SUCCESS "TypeError"
return mcp.echo.x({ a: JSON.rawJSON('"\\ud800"') }).then(() => "sent", (e) => e.name);
// case
// expect: SUCCESS "SyntaxError"
try {
    JSON.rawJSON('{"a":1}');
} catch (e) {
    return e.name;
}
// twin
// expect: SUCCESS {"rawJSON":"1"}
// expect-call: echo:x {"rawJSON":"1"}
return mcp.echo.x({ rawJSON: "1" });
