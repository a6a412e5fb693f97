// expect: SUCCESS []
// expect-blocked: any
const leaked = [];
const functions = {
    "[][Symbol.iterator]().next": [][Symbol.iterator]().next,
    "new Map().entries().next": new Map().entries().next,
    "\"\"[Symbol.iterator]().next": ""[Symbol.iterator]().next,
    "\"\".matchAll(/x/g).next": "".matchAll(/x/g).next,
    "Iterator.from([]).map": Iterator.from([]).map,
    "[].values().map((x) => x).next": [].values().map((x) => x).next,
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
