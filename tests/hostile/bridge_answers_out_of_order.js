// expect: SUCCESS [1,2,3,"just text","RPC_ERROR"]
// expect-call: echo:a 1
// expect-call: echo:b 2
// expect-call: echo:c 3
// expect-call: tool:text {}
// expect-call: fail:x {}
// later
return Promise.all([mcp.echo.a(1), mcp.echo.b(2), mcp.echo.c(3), mcp.tool.text(), mcp.fail.x().catch((e) => e.code)]);
// twin
// expect: SUCCESS [1,2]
// expect-call: echo:a 1
// expect-call: echo:b 2
return [await mcp.echo.a(1), await mcp.echo.b(2)];
