// expect: SUCCESS 1
// expect-call: echo:x [1]
let reads = 0;
const input = new Proxy([1, 2, 3], { get(target, key) { if (key === "length") return ++reads; return Reflect.get(target, key) } });
await mcp.echo.x(input);
return reads;
// case
// expect: SUCCESS [1]
let reads = 0;
const input = new Proxy([1, 2, 3], { get(target, key) { if (key === "length") return ++reads; return Reflect.get(target, key) } });
return input;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
