// expect: CODE_ERROR RuntimeError "the test refuses"
// expect-call: fail:x {}
const ours = await mcp.fail.x().catch((e) => e);
throw structuredClone(ours);
// twin
// expect: SUCCESS "RPC_ERROR"
// expect-call: fail:x {}
return mcp.fail.x().catch((e) => e.code);
