// expect: SUCCESS true
// expect-blocked: EventSource net evil.example
// expect-log: EventSource … Requires net access to "evil.example"
let e = "it worked";
try {
    new EventSource("https://evil.example/x");
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires net access to \"evil.example\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires net access to \"evil.example\""
// expect-blocked: EventSource net evil.example
// expect-log: EventSource … Requires net access to "evil.example"
new EventSource("https://evil.example/x");
// twin
// expect: SUCCESS {"url":"https://evil.example/x"}
// expect-call: echo:fetch {"url":"https://evil.example/x"}
return mcp.echo.fetch({ url: "https://evil.example/x" });
