// expect: SUCCESS true
// expect-call: echo:x {"a":1}
const seen = [];
const spy = new Proxy(mcp, { get(target, key) { seen.push(String(key)); return Reflect.get(target, key) } });
const got = await spy.echo.x({ a: 1 });
return got.a === 1 && seen.join() === "echo";
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
