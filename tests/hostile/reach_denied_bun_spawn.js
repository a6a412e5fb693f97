// expect: SUCCESS true
// expect-blocked: Bun.spawn run rm
// expect-log: [blocked] Bun.spawn: Requires run access to "rm"; use 
let e = "it worked";
try {
    Bun.spawn(["rm"]);
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith('Requires run access to "rm"; use ')) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires run access to \"rm\"; use "
// expect-blocked: Bun.spawn run rm
Bun.spawn(["rm"]);
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
