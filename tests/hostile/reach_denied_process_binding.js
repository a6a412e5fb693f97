// expect: SUCCESS true
// expect-blocked: process.binding ffi fs
// expect-log: [blocked] process.binding: Requires ffi access to "fs"; use 
let e = "it worked";
try {
    process.binding("fs");
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith('Requires ffi access to "fs"; use ')) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires ffi access to \"fs\"; use "
// expect-blocked: process.binding ffi fs
process.binding("fs");
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
