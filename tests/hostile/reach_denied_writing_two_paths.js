// with copyFile
// with link
// with symlink
// expect: SUCCESS true
// expect-blocked: Deno.$CASE write /tmp/y
// expect-log: Deno.$CASE … Requires write access to "/tmp/y"
let pending;
try {
    pending = Deno.$CASE("/tmp/x", "/tmp/y");
} catch (e) {
    return ["thrown, not rejected", String(e)];
}
const e = await pending.then(() => "it worked", (e) => e);
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires write access to \"/tmp/y\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires write access to \"/tmp/y\""
// expect-blocked: Deno.$CASE write /tmp/y
// expect-log: Deno.$CASE … Requires write access to "/tmp/y"
await Deno.$CASE("/tmp/x", "/tmp/y");
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
