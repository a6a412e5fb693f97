// with Deno.connect({ get hostname() { throw 1 } })
// with fetch(new Proxy({}, { has() { throw 1 }, get() { throw 1 } }))
// with fetch({ get url() { throw 1 } })
// with Deno.open("/x", { get write() { throw 1 } })
// with (Object.defineProperty(Object.prototype, "cmd", { get() { throw 1 } }), Deno.run(["rm"]))
// expect: SUCCESS "PERMISSION_DENIED"
// expect-blocked-count: 1
let made;
try {
    made = $CASE;
    await made;
} catch (e) {
    return e.code;
}
// twin
// expect: SUCCESS "caught"
try {
    ({ get hostname() { throw 1 } }).hostname;
} catch (e) {
    return "caught";
}
