// expect: SUCCESS true
// expect-blocked: import import node:fs
// expect-blocked: import import npm:left-pad
// expect-blocked: import import jsr:@std/fs
// expect-blocked: import import https://evil.example/x.js
// expect-blocked: import import data:text/javascript,export default 1
// expect-blocked: import import file:///etc/passwd
// expect-blocked: import import /etc/passwd
// expect-blocked: import import ./x.js
// expect-blocked: import import ../x.js
// expect-blocked: import import std
// expect-blocked: import import os
// expect-blocked: import import qjs:std
// expect-blocked: import import bjson
// expect-blocked: import import ?
// expect-blocked: import import %2e%2e/x
// expect-blocked: import import blob:x
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
