// expect: SUCCESS true
// expect-call: echo:x {"a":1}
// expect-call: fail:x {}
let asked = 0;
Object.prototype.then = function (done) { asked++; done("mine") };
const got = await mcp.echo.x({ a: 1 });
const failed = await mcp.fail.x().catch((e) => { delete Object.prototype.then; return e.code });
return (got.a === 1 && asked === 0 && failed === "RPC_ERROR") || [got, asked, failed];
// case
// expect: RPC_ERROR RuntimeError "the test refuses"
// expect-call: fail:x {}
Object.prototype.then = function (done) { done("mine") };
await mcp.fail.x();
// case
// expect: STALLED RuntimeError "The code waits for something that cannot happen"
Object.prototype.then = function () {};
return {};
// case
// expect: SUCCESS {}
Object.prototype.then = function () {};
return mcp;
// twin
// expect: SUCCESS true
// expect-call: echo:x {"a":1,"b":["c",{"d":null}]}
// expect-log: hello { a: 1 }
const got = await mcp.echo.x({ a: 1, b: ["c", { d: null }] });
console.log("hello", { a: 1 });
return got.a === 1 && got.b[0] === "c" && got.b[1].d === null;
