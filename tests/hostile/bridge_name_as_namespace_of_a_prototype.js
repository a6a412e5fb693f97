// expect: SUCCESS ["RPC_ERROR","RPC_ERROR","RPC_ERROR"]
// expect-call: hasOwnProperty:toString {}
// expect-call: __defineSetter__:x {}
// expect-call: valueOf:valueOf {}
const codes = [];
for (const [namespace, action] of [["hasOwnProperty", "toString"], ["__defineSetter__", "x"], ["valueOf", "valueOf"]]) {
    await mcp[namespace][action]().catch((e) => codes.push(e.code));
}
return codes;
// twin
// expect: SUCCESS {}
// expect-call: echo:x {}
return mcp.echo.x();
