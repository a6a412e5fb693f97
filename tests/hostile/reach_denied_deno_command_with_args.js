// expect: SUCCESS true
// expect-blocked: Deno.Command run rm
// expect-log: Deno.Command … Requires run access to "rm"
let e = "it worked";
try {
    new Deno.Command("rm", { args: ["-rf", "/"] }).outputSync();
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires run access to \"rm\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires run access to \"rm\""
// expect-blocked: Deno.Command run rm
// expect-log: Deno.Command … Requires run access to "rm"
new Deno.Command("rm", { args: ["-rf", "/"] }).outputSync();
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
