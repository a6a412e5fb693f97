// with writeFile
// with writeTextFile
// with mkdir
// with remove
// with truncate
// with rename
// expect: SUCCESS true
// expect-blocked: Deno.$CASE write /tmp/x
// expect-log: Deno.$CASE … Requires write access to "/tmp/x"
let pending;
try {
    pending = Deno.$CASE("/tmp/x");
} catch (e) {
    return ["thrown, not rejected", String(e)];
}
const e = await pending.then(() => "it worked", (e) => e);
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires write access to \"/tmp/x\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires write access to \"/tmp/x\""
// expect-blocked: Deno.$CASE write /tmp/x
// expect-log: Deno.$CASE … Requires write access to "/tmp/x"
await Deno.$CASE("/tmp/x");
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
