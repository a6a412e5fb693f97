// expect: SUCCESS true
// expect-blocked: Deno.rename write /tmp/?
// expect-log: Deno.rename … Requires write access to "/tmp/
let pending;
try {
    pending = Deno.rename("/tmp/x", "/tmp/y");
} catch (e) {
    return ["thrown, not rejected", String(e)];
}
const e = await pending.then(() => "it worked", (e) => e);
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires write access to \"/tmp/") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires write access to \"/tmp/"
// expect-blocked: Deno.rename write /tmp/?
// expect-log: Deno.rename … Requires write access to "/tmp/
await Deno.rename("/tmp/x", "/tmp/y");
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
