// expect: SUCCESS true
// expect-call: echo:x {"shown":1}
await mcp.echo.x(Object.create({ inherited: 1 }, { hidden: { value: 1 }, shown: { value: 1, enumerable: true } }));
return true;
// case
// expect: SUCCESS {"shown":1}
return Object.create({ inherited: 1 }, { hidden: { value: 1 }, shown: { value: 1, enumerable: true } });
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
