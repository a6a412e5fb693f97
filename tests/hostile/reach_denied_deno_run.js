// expect: SUCCESS true
// expect-blocked: Deno.run run rm
// expect-log: Deno.run … Requires run access to "rm"
let e = "it worked";
try {
    Deno.run({ cmd: ["rm", "-rf", "/"] });
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires run access to \"rm\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires run access to \"rm\""
// expect-blocked: Deno.run run rm
// expect-log: Deno.run … Requires run access to "rm"
Deno.run({ cmd: ["rm", "-rf", "/"] });
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
