// expect: SUCCESS true
// expect-blocked: Deno.exit sys exit
// expect-log: [blocked] Deno.exit: Requires sys access to "exit"; use 
let e = "it worked";
try {
    Deno.exit(0);
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith('Requires sys access to "exit"; use ')) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires sys access to \"exit\"; use "
// expect-blocked: Deno.exit sys exit
Deno.exit(0);
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
