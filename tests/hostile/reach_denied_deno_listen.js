// expect: SUCCESS true
// expect-blocked: Deno.listen net 0.0.0.0
// expect-log: Deno.listen … Requires net access to "0.0.0.0"
let e = "it worked";
try {
    Deno.listen({ hostname: "0.0.0.0", port: 80 });
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires net access to \"0.0.0.0\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires net access to \"0.0.0.0\""
// expect-blocked: Deno.listen net 0.0.0.0
// expect-log: Deno.listen … Requires net access to "0.0.0.0"
Deno.listen({ hostname: "0.0.0.0", port: 80 });
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
