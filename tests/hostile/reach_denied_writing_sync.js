// with writeFileSync
// with mkdirSync
// with removeSync
// expect: SUCCESS true
// expect-blocked: Deno.$CASE write /tmp/x
// expect-log: Deno.$CASE … Requires write access to "/tmp/x"
let e = "it worked";
try {
    Deno.$CASE("/tmp/x");
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires write access to \"/tmp/x\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires write access to \"/tmp/x\""
// expect-blocked: Deno.$CASE write /tmp/x
// expect-log: Deno.$CASE … Requires write access to "/tmp/x"
Deno.$CASE("/tmp/x");
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
