// expect: STALLED RuntimeError "The code waits for something that cannot happen"
await new Promise(() => {});
// case
// expect: STALLED RuntimeError "The code waits for something that cannot happen"
return { then() {} };
// case
// expect: STALLED RuntimeError "The code waits for something that cannot happen"
// expect-call: echo:x {}
await mcp.echo.x();
return new Promise(() => {});
// case
// expect: EXECUTION_TIMEOUT TimeoutError "Execution timeout after 200 ms"
// timeout: 200
// expect-call: never:x {}
await mcp.never.x();
// case
// expect: EXECUTION_TIMEOUT TimeoutError "Execution timeout after 200 ms"
// timeout: 200
setInterval(() => 0, 10);
await new Promise(() => {});
// twin
// expect: SUCCESS "first"
// expect-call: never:x {}
return Promise.race([mcp.never.x(), new Promise((done) => setTimeout(done, 5, "first"))]);
