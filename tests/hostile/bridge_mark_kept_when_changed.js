// expect: RPC_ERROR RuntimeError "the test refuses"
// expect-call: fail:x {}
try {
    await mcp.fail.x();
} catch (e) {
    for (const key of ["name", "code", "message", "stack", "toolName"]) Object.defineProperty(e, key, { value: "changed", configurable: true });
    throw e;
}
// case
// expect: RPC_ERROR RuntimeError "the test refuses"
// expect-call: fail:x {}
const e = await mcp.fail.x().catch((e) => e);
for (const key of Reflect.ownKeys(e)) delete e[key];
Object.setPrototypeOf(e, null);
throw Object.freeze(e);
// case
// expect: RPC_ERROR RuntimeError "the test refuses"
// expect-call: fail:x {}
const e = await mcp.fail.x().catch((e) => e);
Object.defineProperty(e, "message", { get() { throw new Error("mine") } });
Object.defineProperty(e, "name", { get() { throw new Error("mine") } });
throw e;
// case
// expect: TOOL_ERROR MCPToolError "RPC_ERROR"
// expect-call: tool:error {}
const e = await mcp.tool.error().catch((e) => e);
e.message = e.name = e.code = "RPC_ERROR";
throw Object.freeze(e);
// twin
// expect: SUCCESS "changed"
// expect-call: fail:x {}
const e = await mcp.fail.x().catch((e) => e);
e.message = "changed";
return e.message;
