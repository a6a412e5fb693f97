// expect: CODE_ERROR RuntimeError "the test refuses"
// expect-call: fail:x {}
const ours = await mcp.fail.x().catch((e) => e);
const e = new Error(ours.message);
for (const key of Reflect.ownKeys(ours)) Object.defineProperty(e, key, Object.getOwnPropertyDescriptor(ours, key));
Object.setPrototypeOf(e, Object.getPrototypeOf(ours));
throw e;
// twin
// expect: SUCCESS "RPC_ERROR"
// expect-call: fail:x {}
return mcp.fail.x().catch((e) => e.code);
