// expect: SUCCESS true
// expect-blocked: eval eval -
// expect-log: eval … Requires eval access
try {
    const made = new Proxy(eval, {})("1");
    return ["it ran", typeof made];
} catch (e) {
    return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
        e.message.startsWith("Requires eval access")) || String(e);
}
// twin
// expect: SUCCESS 2
return new Proxy(Math.max, {})(1, 2);
