// with readFile
// with readTextFile
// with open
// with stat
// with lstat
// with readLink
// with realPath
// expect: SUCCESS true
// expect-blocked: Deno.$CASE read /etc/passwd
// expect-log: Deno.$CASE … Requires read access to "/etc/passwd"
let pending;
try {
    pending = Deno.$CASE("/etc/passwd");
} catch (e) {
    return ["thrown, not rejected", String(e)];
}
const e = await pending.then(() => "it worked", (e) => e);
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires read access to \"/etc/passwd\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires read access to \"/etc/passwd\""
// expect-blocked: Deno.$CASE read /etc/passwd
// expect-log: Deno.$CASE … Requires read access to "/etc/passwd"
await Deno.$CASE("/etc/passwd");
// twin
// expect: SUCCESS {"path":"/etc/passwd"}
// expect-call: echo:read_file {"path":"/etc/passwd"}
return mcp.echo.read_file({ path: "/etc/passwd" });
