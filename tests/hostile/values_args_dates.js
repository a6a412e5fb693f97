// expect: SUCCESS true
// expect-call: echo:x ["1970-01-01T00:00:00.000Z",null,{"at":"2020-02-29T00:00:00.000Z"}]
await mcp.echo.x([new Date(0), new Date(NaN), { at: new Date(Date.UTC(2020, 1, 29)) }]);
return true;
// case
// expect: SUCCESS ["1970-01-01T00:00:00.000Z",null,{"at":"2020-02-29T00:00:00.000Z"}]
return [new Date(0), new Date(NaN), { at: new Date(Date.UTC(2020, 1, 29)) }];
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
