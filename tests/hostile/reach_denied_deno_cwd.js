// expect: SUCCESS true
// expect-blocked: Deno.cwd read .
// expect-log: [blocked] Deno.cwd: Requires read access to "."; use 
let e = "it worked";
try {
    Deno.cwd();
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith('Requires read access to "."; use ')) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires read access to \".\"; use "
// expect-blocked: Deno.cwd read .
Deno.cwd();
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
