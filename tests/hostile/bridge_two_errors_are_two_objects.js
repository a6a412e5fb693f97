// expect: SUCCESS false
// expect-call: fail:x {}
// expect-call: fail:x {}
const [a, b] = await Promise.all([mcp.fail.x().catch((e) => e), mcp.fail.x().catch((e) => e)]);
return a === b;
// twin
// expect: SUCCESS true
// expect-call: fail:x {}
const pending = mcp.fail.x();
return (await pending.catch((e) => e)) === (await pending.catch((e) => e));
