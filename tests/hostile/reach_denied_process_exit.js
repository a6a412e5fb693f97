// expect: SUCCESS true
// expect-blocked: process.exit sys exit
// expect-log: [blocked] process.exit: Requires sys access to "exit"; use 
let e = "it worked";
try {
    process.exit(0);
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith('Requires sys access to "exit"; use ')) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires sys access to \"exit\"; use "
// expect-blocked: process.exit sys exit
process.exit(0);
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
