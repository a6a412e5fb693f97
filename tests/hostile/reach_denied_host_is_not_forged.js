// expect: PERMISSION_DENIED PermissionError "Requires net access to \"evil.example:81\""
// expect-blocked: fetch net evil.example:81
// expect-log: fetch … evil.example:81
for (const name of ["host", "hostname", "href", "origin"])
    Object.defineProperty(URL.prototype, name, { get() { return "good.example" } });
globalThis.URL = class { get host() { return "good.example" } };
await fetch("https://good.example@evil.example:81/x");
// twin
// expect: SUCCESS true
return new URL("https://good.example@evil.example:81/x").host === "evil.example:81";
