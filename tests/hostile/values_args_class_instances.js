// expect: SUCCESS true
// expect-call: echo:x {"shown":2}
await mcp.echo.x(new (class { #secret = 1; shown = 2; get accessor() { return 3 } })());
return true;
// case
// expect: SUCCESS {"shown":2}
return new (class { #secret = 1; shown = 2; get accessor() { return 3 } })();
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
