// expect: SUCCESS true
// expect-blocked: Bun.write write /tmp/x
// expect-log: [blocked] Bun.write: Requires write access to "/tmp/x"; use 
let e = "it worked";
try {
    await Bun.write("/tmp/x", "y");
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith('Requires write access to "/tmp/x"; use ')) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires write access to \"/tmp/x\"; use "
// expect-blocked: Bun.write write /tmp/x
await Bun.write("/tmp/x", "y");
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
