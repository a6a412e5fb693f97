// expect: SUCCESS true
// expect-call: echo:x {"a":"key a","b":["string0"]}
await mcp.echo.x({ a: { toJSON(key) { return `key ${key}` } }, b: [{ toJSON: (key) => typeof key + key }] });
return true;
// case
// expect: SUCCESS {"a":"key a","b":["string0"]}
return { a: { toJSON(key) { return `key ${key}` } }, b: [{ toJSON: (key) => typeof key + key }] };
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
