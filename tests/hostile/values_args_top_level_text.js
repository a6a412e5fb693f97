// expect: SUCCESS true
// expect-call: echo:x "text"
await mcp.echo.x("text");
return true;
// case
// expect: SUCCESS "text"
return "text";
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
