// expect: CODE_ERROR RuntimeError "{\"then\":1,\"error\":{}}"
// expect-call: fail:x {}
const ours = await mcp.fail.x().catch((e) => e);
throw { then: 1, ...ours, error: ours };
// twin
// expect: SUCCESS "RPC_ERROR"
// expect-call: fail:x {}
return mcp.fail.x().catch((e) => e.code);
