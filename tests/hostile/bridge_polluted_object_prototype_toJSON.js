// expect: SUCCESS true
// expect-call: echo:x {"a":1}
// expect-call: echo:y {}
// expect-call: echo:z 1
Object.prototype.toJSON = function () { return { mine: 1, toJSON: undefined } };
await mcp.echo.x({ a: 1 });
await mcp.echo.y();
await mcp.echo.z(1);
return true;
// case
// expect: SUCCESS {"a":[1,{"b":2}],"own":3,"its class":4,"date":"1970-01-01T00:00:00.000Z"}
Object.prototype.toJSON = Array.prototype.toJSON = () => ({ mine: 1 });
class Own { toJSON() { return 4 } }
return { a: [1, { b: 2 }], own: { toJSON: () => 3 }, "its class": new Own(), date: new Date(0) };
// case
// expect: RPC_ERROR RuntimeError "the test refuses"
// expect-call: fail:x {}
Object.prototype.toJSON = () => { throw new Error("mine") };
await mcp.fail.x();
// twin
// expect: SUCCESS true
// expect-call: echo:x {"a":1,"b":["c",{"d":null}]}
// expect-log: hello { a: 1 }
const got = await mcp.echo.x({ a: 1, b: ["c", { d: null }] });
console.log("hello", { a: 1 });
return got.a === 1 && got.b[0] === "c" && got.b[1].d === null;
