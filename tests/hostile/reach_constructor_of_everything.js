// with "".sub
// with [].at
// with /x/.exec
// with (1).toFixed
// with (1n).toString
// with true.valueOf
// with Symbol().valueOf
// with ({}).valueOf
// with (() => 1)
// with (class {})
// with console.log
// with setTimeout
// with performance.now
// with queueMicrotask
// with Reflect.get
// with JSON.parse
// with Math.max
// with globalThis.toString
// with Proxy
// with structuredClone
// with URL
// with crypto.getRandomValues
// with Promise
// with Promise.resolve().then
// with Promise.withResolvers().resolve
// with Promise.try
// with [][Symbol.iterator]().next
// with new Map().entries().next
// with ""[Symbol.iterator]().next
// with "".matchAll(/x/g).next
// with Iterator.from([]).map
// with [].values().map((x) => x).next
// with (function* () {})().next
// with (async function* () {})().next
// with (function* () {}).prototype.next
// with Object.getPrototypeOf(function* () {}).prototype.next
// with Object.getOwnPropertyDescriptor(Map.prototype, "size").get
// with Object.getOwnPropertyDescriptor(Object.prototype, "__proto__").set
// with Object.getOwnPropertyDescriptor(Error.prototype, "stack").get
// with new Error("x").toString
// with Error
// with (() => { try { null.x } catch (e) { return e.constructor } })()
// with AggregateError
// with DOMException
// with mcp.a.b
// with mcp.a.b.raw
// with mcp.a.b.bind(null)
// expect: PERMISSION_DENIED PermissionError "Requires eval access"
// expect-blocked: Function eval -
return ($CASE).constructor("return 1")();
// twin
// expect: SUCCESS true
return ($CASE).constructor === Function;
