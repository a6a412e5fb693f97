// expect: SUCCESS true
// expect-blocked: Deno.dlopen ffi /lib/libc.so.6
// expect-log: Deno.dlopen … Requires ffi access to "/lib/libc.so.6"
let e = "it worked";
try {
    Deno.dlopen("/lib/libc.so.6", {});
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires ffi access to \"/lib/libc.so.6\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires ffi access to \"/lib/libc.so.6\""
// expect-blocked: Deno.dlopen ffi /lib/libc.so.6
// expect-log: Deno.dlopen … Requires ffi access to "/lib/libc.so.6"
Deno.dlopen("/lib/libc.so.6", {});
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
