// expect: SUCCESS true
// expect-call: echo:x {"a":1,"b":["c",{"d":null}]}
// expect-call: fail:x {}
// expect-log: hello
const input = { a: 1, b: ["c", { d: null }] };
let stolen = 0;
for (const key of ["a", "b", "d", "0", "1", "code", "message", "data", "toolName"]) {
    Object.defineProperty(Object.prototype, key, { get: () => "evil", set() { stolen++ }, configurable: true });
}
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
let stolen = 0;
for (const key of ["a", "b", "d", "0", "1", "code", "message", "data", "toolName"]) {
    Object.defineProperty(Object.prototype, key, { get: () => "evil", set() { stolen++ }, configurable: true });
}
await mcp.fail.x();
// case
// expect: TOOL_ERROR MCPToolError "no such row"
// expect-call: tool:error {}
let stolen = 0;
for (const key of ["a", "b", "d", "0", "1", "code", "message", "data", "toolName"]) {
    Object.defineProperty(Object.prototype, key, { get: () => "evil", set() { stolen++ }, configurable: true });
}
await mcp.tool.error();
// case
// expect: PERMISSION_DENIED PermissionError "Requires eval access"
// expect-blocked: eval eval -
let stolen = 0;
for (const key of ["a", "b", "d", "0", "1", "code", "message", "data", "toolName"]) {
    Object.defineProperty(Object.prototype, key, { get: () => "evil", set() { stolen++ }, configurable: true });
}
eval("1");
// case
// expect: CODE_ERROR RuntimeError "1"
let stolen = 0;
for (const key of ["a", "b", "d", "0", "1", "code", "message", "data", "toolName"]) {
    Object.defineProperty(Object.prototype, key, { get: () => "evil", set() { stolen++ }, configurable: true });
}
throw 1;
// twin
// expect: SUCCESS true
// expect-call: echo:x {"a":1,"b":["c",{"d":null}]}
// expect-log: hello { a: 1 }
const got = await mcp.echo.x({ a: 1, b: ["c", { d: null }] });
console.log("hello", { a: 1 });
return got.a === 1 && got.b[0] === "c" && got.b[1].d === null;
