// expect: SUCCESS true
// expect-blocked: Deno.readDir read /etc
// expect-log: Deno.readDir … Requires read access to "/etc"
try {
    for await (const entry of Deno.readDir("/etc")) return ["an entry", entry];
    return "an empty directory";
} catch (e) {
    return (e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
        e.message.startsWith('Requires read access to "/etc"')) || String(e);
}
// twin
// expect: SUCCESS {"path":"/etc/passwd"}
// expect-call: echo:read_file {"path":"/etc/passwd"}
return mcp.echo.read_file({ path: "/etc/passwd" });
