// expect: SUCCESS true
// expect-blocked: Deno.connect net evil.example
// expect-log: Deno.connect … Requires net access to "evil.example"
let pending;
try {
    pending = Deno.connect({ hostname: "evil.example", port: 80 });
} catch (e) {
    return ["thrown, not rejected", String(e)];
}
const e = await pending.then(() => "it worked", (e) => e);
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires net access to \"evil.example\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires net access to \"evil.example\""
// expect-blocked: Deno.connect net evil.example
// expect-log: Deno.connect … Requires net access to "evil.example"
await Deno.connect({ hostname: "evil.example", port: 80 });
// twin
// expect: SUCCESS {"url":"https://evil.example/x"}
// expect-call: echo:fetch {"url":"https://evil.example/x"}
return mcp.echo.fetch({ url: "https://evil.example/x" });
