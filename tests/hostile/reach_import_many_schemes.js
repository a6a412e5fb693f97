// expect: SUCCESS true
// expect-blocked: any
const names = ["node:fs", "npm:left-pad", "jsr:@std/fs", "https://evil.example/x.js", "data:text/javascript,export default 1",
    "file:///etc/passwd", "/etc/passwd", "./x.js", "../x.js", "std", "os", "qjs:std", "bjson", "\0", "%2e%2e/x", "blob:x"];
const loaded = [];
for (const name of names) {
    await import(name).then(() => loaded.push(name), (e) => { if (e.code !== "PERMISSION_DENIED") loaded.push(String(e)) });
}
return loaded.length === 0 || loaded;
// twin
// expect: SUCCESS true
return typeof (await Promise.resolve(Math)).max === "function";
