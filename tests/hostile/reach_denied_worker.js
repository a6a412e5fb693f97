// expect: SUCCESS true
// expect-blocked: Worker run x.js
// expect-log: [blocked] Worker: Requires run access to "x.js"; use 
let e = "it worked";
try {
    new Worker("x.js");
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith('Requires run access to "x.js"; use ')) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires run access to \"x.js\"; use "
// expect-blocked: Worker run x.js
new Worker("x.js");
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
