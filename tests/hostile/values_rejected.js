// columns MAKE | CHECK | WORDS
// with bigint | const input = { outer: [0, { inner: 1n }] } | isRefused("outer", "inner") | "The result is not JSON: TypeError: a BigInt has no JSON, at result.outer[1].inner"
// with bigint_at_the_top | const input = 1n | isRefused() | "The result is not JSON: TypeError: a BigInt has no JSON, at result"
// with boxed_bigint | const input = { outer: Object(1n) } | isRefused("outer") | "The result is not JSON: TypeError: a BigInt has no JSON, at result.outer"
// with cycle | const input = { outer: { list: [] } }; input.outer.list[0] = { inner: input.outer } | isRefused("outer", "list", "inner") | "The result is not JSON: TypeError: a cycle has no JSON, at result.outer.list[0].inner"
// with cycle_by_getter | const input = { get self() { return input } } | isRefused("self") | "The result is not JSON: TypeError: a cycle has no JSON, at result.self"
// with cycle_by_to_json | const input = { outer: {} }; input.outer.toJSON = () => input | isRefused("outer") | "The result is not JSON: TypeError: a cycle has no JSON, at result.outer"
// with cycle_of_an_array | const input = []; input[0] = input | isRefused() | "The result is not JSON: TypeError: a cycle has no JSON, at result[0]"
// with function | const input = () => 1 | isRefused() | "The result is not JSON: TypeError: a function has no JSON"
// with symbol | const input = Symbol("s") | isRefused() | "The result is not JSON: TypeError: a symbol has no JSON"
// with revoked_proxy | const { proxy: input, revoke } = Proxy.revocable({}, {}); revoke() | isRefused() | "TypeError: revoked proxy"
// with getter_throws | const mine = { not: "an error" }, input = { get a() { throw mine } } | e === mine | "The result is not JSON: {\"not\":\"an error\"}"
// with proxy_throws | const mine = new Error("mine"), input = new Proxy({}, { ownKeys() { throw mine } }) | e === mine | "The result is not JSON: mine"
// with to_json_throws | const mine = new RangeError("mine"), input = { toJSON() { throw mine } } | e === mine | "The result is not JSON: RangeError: mine"
// expect: SUCCESS true
$MAKE;
let promise;
try {
    promise = mcp.echo.x(input);
} catch (e) {
    return ["thrown, not rejected", String(e)];
}
const e = await promise.then(() => "it was sent", (e) => e);
const isRefused = (...words) => e instanceof TypeError && e.code === undefined && words.every((word) => e.message.includes(word));
return ($CHECK) || String(e);
// case
// expect: CODE_ERROR RuntimeError $WORDS
$MAKE;
return input;
// twin
// expect: SUCCESS {"a":"1"}
// expect-call: echo:x {"a":"1"}
return mcp.echo.x({ a: String(1n) });
