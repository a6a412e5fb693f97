// expect: SUCCESS true
let promise;
try {
    promise = mcp.echo.x(1n);
} catch (e) {
    return ["thrown, not rejected", String(e)];
}
const e = await promise.then(() => "it was sent", (e) => e);
return (e instanceof TypeError && e.code === undefined) || String(e);
// case
// expect: CODE_ERROR RuntimeError "The result is not JSON: TypeError: a BigInt has no JSON, at result"
return 1n;
// twin
// expect: SUCCESS {"a":"1"}
// expect-call: echo:x {"a":"1"}
return mcp.echo.x({ a: String(1n) });
