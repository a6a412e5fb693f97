// expect: SUCCESS "mine"
globalThis.fetch = async () => "mine";
return fetch("https://evil.example/");
// case
// expect: PERMISSION_DENIED PermissionError "Requires net access"
// expect-blocked: fetch net evil.example
const real = fetch;
globalThis.fetch = async () => "mine";
await real("https://evil.example/");
// twin
// expect: SUCCESS "shadowed"
const fetch = () => "shadowed";
return fetch();
