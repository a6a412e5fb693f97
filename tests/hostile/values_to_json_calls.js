// expect: SUCCESS [{"n":1},{"inner":true}]
// expect-call: echo:inner {"inner":true}
// expect-call: echo:outer {"n":1}
let inner;
const outer = await mcp.echo.outer({ toJSON() { inner = mcp.echo.inner({ inner: true }); return { n: 1 } } });
return [outer, await inner];
// case
// expect: SUCCESS {"n":1}
// expect-call: echo:late {}
return { toJSON() { void mcp.echo.late(); return { n: 1 } } };
// case
// expect: SUCCESS true
// expect-call-count: any
const input = { toJSON() { void mcp.echo.x(input).catch(() => 0); return 1 } };
return mcp.echo.x(input).then(() => true, (e) => e instanceof RangeError || String(e));
// twin
// expect: SUCCESS {"n":1}
// expect-call: echo:x {"n":1}
return mcp.echo.x({ toJSON: () => ({ n: 1 }) });
