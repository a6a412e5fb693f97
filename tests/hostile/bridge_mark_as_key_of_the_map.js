// expect: CODE_ERROR RuntimeError "mine"
// expect-call: fail:x {}
const ours = await mcp.fail.x().catch((e) => e);
WeakMap.prototype.get = () => 1;
WeakMap.prototype.has = () => true;
throw new Error("mine");
// twin
// expect: SUCCESS "RPC_ERROR"
// expect-call: fail:x {}
return mcp.fail.x().catch((e) => e.code);
