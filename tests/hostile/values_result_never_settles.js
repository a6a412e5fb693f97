// expect: STALLED RuntimeError
await new Promise(() => {});
// case
// expect: STALLED RuntimeError
return { then() {} };
// case
// expect: STALLED RuntimeError
// expect-call: echo:x {}
await mcp.echo.x();
return new Promise(() => {});
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 200
// expect-call: never:x {}
await mcp.never.x();
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 200
setInterval(() => 0, 10);
await new Promise(() => {});
// twin
// expect: SUCCESS "first"
// expect-call: never:x {}
return Promise.race([mcp.never.x(), new Promise((done) => setTimeout(done, 5, "first"))]);
