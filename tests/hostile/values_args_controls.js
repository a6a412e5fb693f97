// expect: SUCCESS true
// expect-call: echo:x "\u0001\b\t\n\f\r\u001f\"\\/  "
await mcp.echo.x("\u0001\b\t\n\f\r\u001f\u007f\"\\/\u2028\u2029");
return true;
// case
// expect: SUCCESS "\u0001\b\t\n\f\r\u001f\"\\/  "
return "\u0001\b\t\n\f\r\u001f\u007f\"\\/\u2028\u2029";
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
