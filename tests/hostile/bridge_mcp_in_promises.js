// expect: SUCCESS true
const all = await Promise.all([mcp, mcp.a, mcp.a.b]);
const first = await Promise.race([mcp]);
return all[0] === mcp && first === mcp && (await Promise.resolve(mcp.a)) === mcp.a;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
