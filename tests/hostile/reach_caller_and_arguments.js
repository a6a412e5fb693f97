// expect: SUCCESS []
// expect-call: echo:x {}
const leaked = [];
const look = (f, name) => {
    for (const key of ["caller", "arguments", "callee"]) {
        try {
            if (f[key] !== undefined && f[key] !== null) leaked.push(`${name}.${key}`);
        } catch {}
    }
};
function called() {
    look(called, "called");
    look(arguments, "its arguments");
}
called();
console.log({ get a() { called() } });
await mcp.echo.x({ toJSON() { called(); return {} } });
await { then(done) { called(); done() } };
setTimeout(called, 0);
await new Promise((done) => setTimeout(done, 2));
for (const f of [console.log, mcp.a.b, setTimeout, Array.prototype.map, () => 1, async () => 1, class {}]) look(f, String(f.name));
return leaked;
// twin
// expect: SUCCESS [1,2]
return (function () { return [...arguments] })(1, 2);
