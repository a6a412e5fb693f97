// with readFileSync
// with readTextFileSync
// with readDirSync
// with openSync
// with statSync
// expect: SUCCESS true
// expect-blocked: Deno.$CASE read /etc/passwd
// expect-log: Deno.$CASE … Requires read access to "/etc/passwd"
let e = "it worked";
try {
    Deno.$CASE("/etc/passwd");
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires read access to \"/etc/passwd\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires read access to \"/etc/passwd\""
// expect-blocked: Deno.$CASE read /etc/passwd
// expect-log: Deno.$CASE … Requires read access to "/etc/passwd"
Deno.$CASE("/etc/passwd");
// twin
// expect: SUCCESS {"path":"/etc/passwd"}
// expect-call: echo:read_file {"path":"/etc/passwd"}
return mcp.echo.read_file({ path: "/etc/passwd" });
