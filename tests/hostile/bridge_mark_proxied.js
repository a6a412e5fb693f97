// expect: CODE_ERROR RuntimeError "{}"
// expect-call: fail:x {}
const ours = await mcp.fail.x().catch((e) => e);
throw new Proxy(ours, {});
// twin
// expect: SUCCESS "RPC_ERROR"
// expect-call: fail:x {}
return mcp.fail.x().catch((e) => e.code);
