// with atob
// with btoa
// with URL
// with Symbol
// with Proxy
// with Promise
// with Object
// with Error
// with Reflect
// with String
// with Array
// with TypeError
// expect: SUCCESS ["Requires write access to \"/x\"; use mcp.<server>.<tool>()", "PERMISSION_DENIED"]
// expect-blocked: Deno.writeTextFile write /x
// expect-log: Deno.writeTextFile … Requires write access to "/x"
delete globalThis.$CASE;
try {
    await Deno.writeTextFile("/x", "y");
} catch (e) {
    return [e.message, e.code];
}
// case
// expect: SUCCESS "Requires read access to \"/x\"; use mcp.<server>.<tool>()"
// expect-blocked: Deno.readFileSync read /x
// expect-log: Deno.readFileSync … Requires read access to "/x"
Object.defineProperty(globalThis, "$CASE", { get() { throw 1 } });
try {
    Deno.readFileSync("/x");
} catch (e) {
    return e.message;
}
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
delete globalThis.$CASE;
return mcp.echo.instead({ a: 1 });
