// expect: SUCCESS true
// expect-call: echo:x {"a":1}
// expect-call: echo:x {"a":1}
// expect-call: echo:x {"a":1}
// expect-call: echo:x {"a":1}
const { x } = mcp.echo;
const results = [await x({ a: 1 }), await x.call(null, { a: 1 }), await x.bind({})({ a: 1 }), await Reflect.apply(x, undefined, [{ a: 1 }])];
return results.every((got) => got.a === 1);
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
