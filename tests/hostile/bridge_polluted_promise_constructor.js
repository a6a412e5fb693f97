// expect: CODE_ERROR RuntimeError "mine"
// expect-call: echo:x {"a":1}
Object.defineProperty(Promise.prototype, "constructor", { get() { throw new Error("mine") } });
await mcp.echo.x({ a: 1 });
// case
// expect: CODE_ERROR RuntimeError "mine"
// expect-call: fail:x {}
Object.defineProperty(Promise.prototype, "constructor", { get() { throw new Error("mine") } });
await mcp.fail.x();
// twin
// expect: SUCCESS true
// expect-call: echo:x {"a":1,"b":["c",{"d":null}]}
// expect-log: hello { a: 1 }
const got = await mcp.echo.x({ a: 1, b: ["c", { d: null }] });
console.log("hello", { a: 1 });
return got.a === 1 && got.b[0] === "c" && got.b[1].d === null;
