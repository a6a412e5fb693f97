// expect: SUCCESS true
// expect-blocked: process.kill sys kill
// expect-log: [blocked] process.kill: Requires sys access to "kill"; use 
let e = "it worked";
try {
    process.kill(1, "SIGKILL");
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith('Requires sys access to "kill"; use ')) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires sys access to \"kill\"; use "
// expect-blocked: process.kill sys kill
process.kill(1, "SIGKILL");
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
