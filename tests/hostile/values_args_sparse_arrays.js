// expect: SUCCESS true
// expect-call: echo:x [[null,1,null,2],[null,null,null,1],[1]]
await mcp.echo.x([[, 1, , 2], Object.assign([], { 3: 1 }), Object.assign([1], { x: 2 })]);
return true;
// case
// expect: SUCCESS [[null,1,null,2],[null,null,null,1],[1]]
return [[, 1, , 2], Object.assign([], { 3: 1 }), Object.assign([1], { x: 2 })];
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
