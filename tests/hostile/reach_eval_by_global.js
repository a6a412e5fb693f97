// expect: SUCCESS true
// expect-blocked: eval eval -
// expect-log: eval … Requires eval access
try {
    const made = globalThis.eval("1");
    return ["it ran", typeof made];
} catch (e) {
    return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
        e.message.startsWith("Requires eval access")) || String(e);
}
// twin
// expect: SUCCESS true
return globalThis.Math === Math;
