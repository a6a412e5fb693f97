// expect: SUCCESS 6
// expect-call: echo:hasOwnProperty {"name":"hasOwnProperty"}
// expect-call: echo:toString {"name":"toString"}
// expect-call: echo:valueOf {"name":"valueOf"}
// expect-call: echo:isPrototypeOf {"name":"isPrototypeOf"}
// expect-call: echo:__defineGetter__ {"name":"__defineGetter__"}
// expect-call: echo:__lookupGetter__ {"name":"__lookupGetter__"}
const got = [];
for (const name of ["hasOwnProperty", "toString", "valueOf", "isPrototypeOf", "__defineGetter__", "__lookupGetter__"]) {
    got.push(await mcp.echo[name]({ name }));
}
return got.length;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
