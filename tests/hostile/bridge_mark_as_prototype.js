// expect: CODE_ERROR RuntimeError "mine"
// expect-call: fail:x {}
const ours = await mcp.fail.x().catch((e) => e);
const e = new Error("mine");
Object.setPrototypeOf(e, ours);
throw e;
// twin
// expect: SUCCESS "RPC_ERROR"
// expect-call: fail:x {}
return mcp.fail.x().catch((e) => e.code);
