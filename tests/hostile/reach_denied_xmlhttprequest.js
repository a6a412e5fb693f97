// expect: SUCCESS true
// expect-blocked: XMLHttpRequest net evil.example
// expect-log: XMLHttpRequest … Requires net access to "evil.example"
let e = "it worked";
try {
    const request = new XMLHttpRequest(); request.open("GET", "https://evil.example/x"); request.send();
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires net access to \"evil.example\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires net access to \"evil.example\""
// expect-blocked: XMLHttpRequest net evil.example
// expect-log: XMLHttpRequest … Requires net access to "evil.example"
const request = new XMLHttpRequest(); request.open("GET", "https://evil.example/x"); request.send();
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
