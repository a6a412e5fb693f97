// with Array.from
// with Array.isArray
// with Object.getPrototypeOf([][Symbol.iterator]()).next
// with Array.prototype[Symbol.iterator]
// with Array.prototype.concat
// with Array.prototype.forEach
// with Array.prototype.indexOf
// with Array.prototype.join
// with Array.prototype.map
// with Array.prototype.push
// with Array.prototype.slice
// with Array.prototype.toString
// with Error.isError
// with Function.prototype.apply
// with Function.prototype.bind
// with Function.prototype.call
// with Function.prototype.toString
// with JSON.parse
// with JSON.stringify
// with Map.prototype.delete
// with Map.prototype.get
// with Map.prototype.has
// with Map.prototype.set
// with Number.isInteger
// with Object.assign
// with Object.create
// with Object.defineProperty
// with Object.freeze
// with Object.getOwnPropertyDescriptor
// with Object.getPrototypeOf
// with Object.is
// with Object.keys
// with Object.prototype[Symbol.iterator]
// with Promise.all
// with Promise.prototype.catch
// with Promise.prototype.finally
// with Promise.prototype.then
// with Promise.reject
// with Promise.resolve
// with Promise.withResolvers
// with Reflect.apply
// with Reflect.construct
// with Reflect.defineProperty
// with Reflect.get
// with Reflect.ownKeys
// with RegExp.prototype[Symbol.replace]
// with RegExp.prototype.exec
// with RegExp.prototype.test
// with Set.prototype.add
// with Set.prototype.has
// with String.prototype[Symbol.iterator]
// with String.prototype.charCodeAt
// with String.prototype.indexOf
// with String.prototype.replace
// with String.prototype.slice
// with String.prototype.split
// with String.prototype.startsWith
// with String.prototype.toString
// with Symbol.for
// with WeakMap.prototype.delete
// with WeakMap.prototype.get
// with WeakMap.prototype.has
// with WeakMap.prototype.set
// with WeakSet.prototype.add
// with WeakSet.prototype.has
// expect: SUCCESS true
// expect-call: echo:x {"a":1,"b":["c",{"d":null}]}
// expect-call: fail:x {}
// expect-log: hello
const input = { a: 1, b: ["c", { d: null }] };
$CASE = () => { throw new Error("mine") };
const got = await mcp.echo.x(input);
let code;
try {
    await mcp.fail.x();
} catch (e) {
    code = e.code;
}
console.log("hello");
return code === "RPC_ERROR" && got.a === 1 && got.b[0] === "c" && got.b[1].d === null;
// case
// expect: RPC_ERROR RuntimeError "the test refuses"
// expect-call: fail:x {}
$CASE = () => { throw new Error("mine") };
await mcp.fail.x();
// case
// expect: TOOL_ERROR MCPToolError "no such row"
// expect-call: tool:error {}
$CASE = () => { throw new Error("mine") };
await mcp.tool.error();
// case
// expect: PERMISSION_DENIED PermissionError "Requires eval access"
// expect-blocked: eval eval -
$CASE = () => { throw new Error("mine") };
eval("1");
// case
// expect: CODE_ERROR RuntimeError "1"
$CASE = () => { throw new Error("mine") };
throw 1;
// twin
// expect: SUCCESS true
// expect-call: echo:x {"a":1,"b":["c",{"d":null}]}
// expect-log: hello { a: 1 }
const got = await mcp.echo.x({ a: 1, b: ["c", { d: null }] });
console.log("hello", { a: 1 });
return got.a === 1 && got.b[0] === "c" && got.b[1].d === null;
