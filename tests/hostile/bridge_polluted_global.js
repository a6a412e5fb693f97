// with Array
// with Error
// with Function
// with JSON
// with Map
// with Object
// with Promise
// with Proxy
// with Reflect
// with String
// with Symbol
// with TypeError
// with WeakMap
// expect: SUCCESS true
// expect-call: echo:x {"a":1,"b":["c",{"d":null}]}
// expect-call: fail:x {}
// expect-log: hello
const input = { a: 1, b: ["c", { d: null }] };
globalThis.$CASE = function () { throw "mine" };
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
globalThis.$CASE = function () { throw "mine" };
await mcp.fail.x();
// case
// expect: TOOL_ERROR MCPToolError "no such row"
// expect-call: tool:error {}
globalThis.$CASE = function () { throw "mine" };
await mcp.tool.error();
// case
// expect: PERMISSION_DENIED PermissionError "Requires eval access"
// expect-blocked: eval eval -
globalThis.$CASE = function () { throw "mine" };
eval("1");
// case
// expect: CODE_ERROR RuntimeError "1"
globalThis.$CASE = function () { throw "mine" };
throw 1;
// twin
// expect: SUCCESS true
// expect-call: echo:x {"a":1,"b":["c",{"d":null}]}
// expect-log: hello { a: 1 }
const got = await mcp.echo.x({ a: 1, b: ["c", { d: null }] });
console.log("hello", { a: 1 });
return got.a === 1 && got.b[0] === "c" && got.b[1].d === null;
