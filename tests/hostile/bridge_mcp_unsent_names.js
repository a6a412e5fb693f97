// expect: SUCCESS []
const names = ["then", "toJSON", "constructor", "prototype", "__proto__", ...Object.getOwnPropertyNames(Symbol)
    .map((name) => Symbol[name]).filter((s) => typeof s === "symbol" && s !== Symbol.toPrimitive), Symbol("mine"), Symbol.for("then")];
return names.filter((name) => mcp[name] !== undefined || mcp.a[name] !== undefined).map(String);
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
