// expect: SUCCESS true
// expect-call: echo:x {"":1,"__proto__x":1,"__proto__":2,"constructor":3,"toString":4,"\"":5}
await mcp.echo.x({ "": 1, "__proto__x": 1, ["__proto__"]: 2, constructor: 3, toString: 4, "\"": 5 });
return true;
// case
// expect: SUCCESS {"":1,"__proto__x":1,"__proto__":2,"constructor":3,"toString":4,"\"":5}
return { "": 1, "__proto__x": 1, ["__proto__"]: 2, constructor: 3, toString: 4, "\"": 5 };
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
