// expect: SUCCESS true
// expect-call: echo:x {"a":1,"b":["c",{"d":null}]}
// expect-call: fail:x {}
// expect-log: hello
const input = { a: 1, b: ["c", { d: null }] };
Object.defineProperty(Object.prototype, "__proto__", { get: () => "evil", set() { throw new Error("mine") } });
const got = await mcp.echo.x(input);
let code;
try {
    await mcp.fail.x();
} catch (e) {
    code = e.code;
}
console.log("hello");
return code === "RPC_ERROR" && got.a === 1 && got.b[0] === "c" && got.b[1].d === null;
// case
// expect: RPC_ERROR RuntimeError "the test refuses"
// expect-call: fail:x {}
Object.defineProperty(Object.prototype, "__proto__", { get: () => "evil", set() { throw new Error("mine") } });
await mcp.fail.x();
// case
// expect: TOOL_ERROR MCPToolError "no such row"
// expect-call: tool:error {}
Object.defineProperty(Object.prototype, "__proto__", { get: () => "evil", set() { throw new Error("mine") } });
await mcp.tool.error();
// case
// expect: PERMISSION_DENIED PermissionError "Requires eval access"
// expect-blocked: eval eval -
Object.defineProperty(Object.prototype, "__proto__", { get: () => "evil", set() { throw new Error("mine") } });
eval("1");
// case
// expect: CODE_ERROR RuntimeError "1"
Object.defineProperty(Object.prototype, "__proto__", { get: () => "evil", set() { throw new Error("mine") } });
throw 1;
// twin
// expect: SUCCESS true
// expect-call: echo:x {"a":1,"b":["c",{"d":null}]}
// expect-log: hello { a: 1 }
const got = await mcp.echo.x({ a: 1, b: ["c", { d: null }] });
console.log("hello", { a: 1 });
return got.a === 1 && got.b[0] === "c" && got.b[1].d === null;
