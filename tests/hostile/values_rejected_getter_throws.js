// expect: SUCCESS true
const mine = { not: "an error" };
let promise;
try {
    promise = mcp.echo.x({ get a() { throw mine } });
} catch (e) {
    return ["thrown, not rejected", String(e)];
}
const e = await promise.then(() => "it was sent", (e) => e);
return (e === mine) || String(e);
// case
// expect: CODE_ERROR RuntimeError "The result is not JSON: {\"not\":\"an error\"}"
const mine = { not: "an error" };
return { get a() { throw mine } };
// twin
// expect: SUCCESS {"a":"1"}
// expect-call: echo:x {"a":"1"}
return mcp.echo.x({ a: String(1n) });
