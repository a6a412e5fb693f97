// expect: SUCCESS true
const input = { outer: {} };
input.outer.toJSON = () => input;
let promise;
try {
    promise = mcp.echo.x(input);
} catch (e) {
    return ["thrown, not rejected", String(e)];
}
const e = await promise.then(() => "it was sent", (e) => e);
return (e instanceof TypeError && e.code === undefined && e.message.includes("outer")) || String(e);
// case
// expect: CODE_ERROR RuntimeError "The result is not JSON: TypeError: a cycle has no JSON, at result.outer"
const input = { outer: {} };
input.outer.toJSON = () => input;
return input;
// twin
// expect: SUCCESS {"a":"1"}
// expect-call: echo:x {"a":"1"}
return mcp.echo.x({ a: String(1n) });
