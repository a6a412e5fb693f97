// expect: SUCCESS true
// expect-blocked: Bun.file read /etc/passwd
// expect-log: [blocked] Bun.file: Requires read access to "/etc/passwd"; use 
let e = "it worked";
try {
    await Bun.file("/etc/passwd").text();
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith('Requires read access to "/etc/passwd"; use ')) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires read access to \"/etc/passwd\"; use "
// expect-blocked: Bun.file read /etc/passwd
await Bun.file("/etc/passwd").text();
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
