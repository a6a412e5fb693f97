// expect: CODE_ERROR RuntimeError "AggregateError"
// expect-call: fail:x {}
const ours = await mcp.fail.x().catch((e) => e);
await Promise.any([Promise.reject(ours)]);
// twin
// expect: SUCCESS "RPC_ERROR"
// expect-call: fail:x {}
return mcp.fail.x().catch((e) => e.code);
