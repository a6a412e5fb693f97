// expect: SUCCESS [0,2]
const copy = { ...mcp, ...mcp.a };
let thrown = 0;
for (const value of [mcp, mcp.a]) try { [...value] } catch { thrown++ }
return [Object.keys(copy).length, thrown];
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
