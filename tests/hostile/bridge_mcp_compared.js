// expect: SUCCESS [false,true,true,false,true,false]
const results = [mcp == null, mcp === mcp, mcp.a === mcp.a, mcp.a === mcp.b, mcp.a.b === mcp.a.b, mcp.a.b === mcp.c.b];
try { void (mcp == 1); void (mcp < 1); void +mcp.a } catch {}
return results;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
