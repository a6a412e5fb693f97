// expect: SUCCESS true
// expect-call: echo:x [{"a":1},{"a":1},{"o":{"a":1}}]
await mcp.echo.x((() => { const o = { a: 1 }; return [o, o, { o }] })());
return true;
// case
// expect: SUCCESS [{"a":1},{"a":1},{"o":{"a":1}}]
return (() => { const o = { a: 1 }; return [o, o, { o }] })();
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
