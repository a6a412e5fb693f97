// expect: SUCCESS true
// expect-blocked: Deno.writeFileSync write /tmp/x
// expect-log: Deno.writeFileSync … Requires write access to "/tmp/x"
let e = "it worked";
try {
    Deno.writeFileSync("/tmp/x");
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires write access to \"/tmp/x\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires write access to \"/tmp/x\""
// expect-blocked: Deno.writeFileSync write /tmp/x
// expect-log: Deno.writeFileSync … Requires write access to "/tmp/x"
Deno.writeFileSync("/tmp/x");
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
