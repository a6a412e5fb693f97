// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 300
return { toJSON() { for (;;); } };
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 300
await mcp.echo.x({ get a() { for (;;); } });
// case
// expect: CODE_ERROR RuntimeError "the args of a call are over 16 MiB"
// memory: 64
await mcp.echo.x(new Proxy([], { get: (target, key) => (key === "length" ? 2 ** 53 - 1 : undefined) }));
// twin
// expect: SUCCESS 1
// timeout: 5000
return { toJSON() { for (let i = 0; i < 1000; i++); return 1 } };
