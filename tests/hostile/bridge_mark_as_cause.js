// expect: CODE_ERROR RuntimeError "mine"
// expect-call: fail:x {}
const ours = await mcp.fail.x().catch((e) => e);
throw new Error("mine", { cause: ours });
// twin
// expect: SUCCESS "RPC_ERROR"
// expect-call: fail:x {}
return mcp.fail.x().catch((e) => e.code);
