// expect: SUCCESS [{"a":1},{"a":1},true]
// expect-call: echo:raw {"a":1}
// expect-call: echo:raw {"a":1}
return [await mcp.echo.raw({ a: 1 }), await mcp.echo.raw.raw({ a: 1 }), mcp.echo.x.raw === mcp.echo.x.raw];
// case
// expect: SUCCESS ["undefined","undefined","undefined"]
return [typeof mcp.echo.x.raw.raw, typeof mcp.echo.x.other, typeof mcp.echo.x.then];
// case
// expect: RPC_ERROR RuntimeError "the test refuses"
// expect-call: fail:x {}
await mcp.fail.x.raw();
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x.raw({ a: 1 });
