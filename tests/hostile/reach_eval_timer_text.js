// expect: SUCCESS true
// expect-blocked: setTimeout eval -
// expect-blocked: setInterval eval -
let refused = 0;
for (const set of [setTimeout, setInterval, queueMicrotask]) {
    try {
        set("globalThis.ran = true", 0);
    } catch {
        refused++;
    }
}
await new Promise((done) => setTimeout(done, 5));
return refused === 3 && globalThis.ran === undefined;
// twin
// expect: SUCCESS true
queueMicrotask(() => { globalThis.ran = true });
await null;
return globalThis.ran;
