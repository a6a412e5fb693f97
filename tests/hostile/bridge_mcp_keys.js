// expect: SUCCESS []
const found = [...Object.keys(mcp), ...Reflect.ownKeys(mcp), ...Object.getOwnPropertyNames(mcp.a), ...Object.entries(mcp)];
for (const key in mcp) found.push(key);
for (const key in mcp.a) found.push(key);
return found;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
