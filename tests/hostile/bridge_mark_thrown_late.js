// expect: RPC_ERROR RuntimeError "the test refuses"
// expect-call: fail:x {}
// expect-call: echo:y {}
const e = await mcp.fail.x().catch((e) => e);
await mcp.echo.y();
await new Promise((done) => setTimeout(done, 1));
throw e;
// case
// expect: RPC_ERROR RuntimeError "the test refuses"
// expect-call: fail:x {}
return Promise.all([1, mcp.fail.x()]);
// case
// expect: RPC_ERROR RuntimeError "the test refuses"
// expect-call: fail:x {}
const e = await mcp.fail.x().catch((e) => e);
setTimeout(() => { throw e }, 0);
await new Promise(() => {});
// twin
// expect: SUCCESS "went on"
// expect-call: fail:x {}
void mcp.fail.x();
await new Promise((done) => setTimeout(done, 5));
return "went on";
