// expect: SUCCESS []
const ways = ["ShadowRealm", "Realm", "Compartment", "std", "os", "bjson", "__loadScript", "loadScript", "evalScript", "WebAssembly"];
return ways.filter((name) => name in globalThis);
// twin
// expect: SUCCESS ["JSON"]
return ["JSON"].filter((name) => name in globalThis);
