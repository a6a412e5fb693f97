// expect: SUCCESS "string"
let name = "cloned";
try { structuredClone(mcp) } catch (e) { name = e.name }
try { structuredClone(mcp.a.b) } catch (e) { name += e.name }
return typeof name;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
