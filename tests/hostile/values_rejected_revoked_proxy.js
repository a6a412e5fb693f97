// expect: SUCCESS true
const revocable = Proxy.revocable({}, {});
revocable.revoke();
let promise;
try {
    promise = mcp.echo.x(revocable.proxy);
} catch (e) {
    return ["thrown, not rejected", String(e)];
}
const e = await promise.then(() => "it was sent", (e) => e);
return (e instanceof TypeError && e.code === undefined) || String(e);
// case
// expect: CODE_ERROR RuntimeError "TypeError: revoked proxy"
const revocable = Proxy.revocable({}, {});
revocable.revoke();
return revocable.proxy;
// twin
// expect: SUCCESS {"a":"1"}
// expect-call: echo:x {"a":"1"}
return mcp.echo.x({ a: String(1n) });
