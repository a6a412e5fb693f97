// expect: SUCCESS true
// expect-call: echo:x {"a":1}
let asked = 0;
const key = { toString() { return ++asked === 1 ? "x" : "y" } };
const got = await mcp.echo[key]({ a: 1 });
return got.a === 1 && asked === 1;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:7 {"a":1}
return mcp.echo[7]({ a: 1 });
