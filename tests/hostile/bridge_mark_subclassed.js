// expect: CODE_ERROR RuntimeError "mine"
// expect-call: fail:x {}
const ours = await mcp.fail.x().catch((e) => e);
throw new (class extends ours.constructor { code = "RPC_ERROR" })("mine");
// twin
// expect: SUCCESS "RPC_ERROR"
// expect-call: fail:x {}
return mcp.fail.x().catch((e) => e.code);
