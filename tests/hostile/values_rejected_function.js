// expect: SUCCESS true
let promise;
try {
    promise = mcp.echo.x(() => 1);
} catch (e) {
    return ["thrown, not rejected", String(e)];
}
const e = await promise.then(() => "it was sent", (e) => e);
return (e instanceof TypeError && e.code === undefined) || String(e);
// case
// expect: CODE_ERROR RuntimeError "The result is not JSON: TypeError: a function has no JSON"
return () => 1;
// twin
// expect: SUCCESS {"a":"1"}
// expect-call: echo:x {"a":"1"}
return mcp.echo.x({ a: String(1n) });
