// expect: SUCCESS true
// expect-blocked: Deno.hostname sys hostname
// expect-log: [blocked] Deno.hostname: Requires sys access to "hostname"; use 
let e = "it worked";
try {
    Deno.hostname();
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith('Requires sys access to "hostname"; use ')) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires sys access to \"hostname\"; use "
// expect-blocked: Deno.hostname sys hostname
Deno.hostname();
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
