// expect: SUCCESS true
// expect-call: echo:x {"a":1}
const action = mcp.echo.x;
for (const attack of [() => { action.call = 1 }, () => { action.bind = 1 }, () => { action.apply = () => 1 }, () => { Object.setPrototypeOf(action, null) },
    () => { action.prototype = {} }, () => { action.then = (done) => done("evil") }, () => { action.raw = () => "evil" }]) {
    try { attack() } catch {}
}
return (await mcp.echo.x({ a: 1 })).a === 1;
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
return mcp.echo.x({ a: 1 });
