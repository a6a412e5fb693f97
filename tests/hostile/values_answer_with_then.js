// expect: SUCCESS "object"
// expect-call: value:proto {}
const got = await mcp.value.proto();
got.then = undefined;
return typeof (await got);
// case
// expect: SUCCESS {"then":"t"}
// expect-call: echo:x {"then":"t"}
return mcp.echo.x({ then: "t" });
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
