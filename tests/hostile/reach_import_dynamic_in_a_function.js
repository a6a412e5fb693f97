// expect: SUCCESS true
// expect-blocked: import import fs
const load = async (name) => import(name);
return load("fs").then(() => "it loaded", (e) => (e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" && e.message.startsWith('Requires import access to "fs"')) || String(e));
// twin
// expect: SUCCESS true
return typeof (await Promise.resolve(Math)).max === "function";
