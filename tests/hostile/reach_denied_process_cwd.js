// expect: SUCCESS true
// expect-blocked: any
// expect-log: process.cwd … Requires 
let e = "it worked";
try {
    process.cwd();
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    /^Requires [a-z]+ access/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires "
// expect-blocked: any
process.cwd();
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
