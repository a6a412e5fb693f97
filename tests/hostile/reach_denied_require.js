// expect: SUCCESS true
// expect-blocked: require import fs
// expect-log: require … Requires import access to "fs"
let e = "it worked";
try {
    require("fs");
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires import access to \"fs\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires import access to \"fs\""
// expect-blocked: require import fs
// expect-log: require … Requires import access to "fs"
require("fs");
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
