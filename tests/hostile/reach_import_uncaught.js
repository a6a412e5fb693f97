// expect: PERMISSION_DENIED PermissionError "Requires import access to \"fs\""
// expect-blocked: import import fs
await import("fs");
// case
// expect: PERMISSION_DENIED PermissionError "Requires import access to \"fs\""
// expect-blocked: import import fs
return import("fs");
// twin
// expect: SUCCESS true
return typeof (await Promise.resolve(Math)).max === "function";
