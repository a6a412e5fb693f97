// expect: SUCCESS []
// expect-blocked: any
const leaked = [];
const functions = {
    "(function* () {})().next": (function* () {})().next,
    "(async function* () {})().next": (async function* () {})().next,
    "(function* () {}).prototype.next": (function* () {}).prototype.next,
    "Object.getPrototypeOf(function* () {}).prototype.next": Object.getPrototypeOf(function* () {}).prototype.next,
};
for (const name of Object.keys(functions)) {
    try {
        const made = functions[name].constructor("return 1");
        leaked.push(`${name} made ${typeof made}`);
    } catch (e) {
        if (e.code !== "PERMISSION_DENIED") leaked.push(`${name}: ${e}`);
    }
}
return leaked;
// twin
// expect: SUCCESS true
return (() => 1).constructor === Function && (() => 1) instanceof Function;
