// expect: SUCCESS true
// expect-blocked: import import fs
let asked = 0;
const name = { toString() { asked++; return asked === 1 ? "fs" : "other" } };
return import(name).then(() => "it loaded", (e) => (asked === 1 && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" && e.message.startsWith('Requires import access to "fs"')) || [asked, String(e)]);
// twin
// expect: SUCCESS true
return typeof (await Promise.resolve(Math)).max === "function";
