// expect: SUCCESS []
// expect-blocked: any
const leaked = [];
const functions = {
    "Object.getOwnPropertyDescriptor(Map.prototype, \"size\").get": Object.getOwnPropertyDescriptor(Map.prototype, "size").get,
    "Object.getOwnPropertyDescriptor(Object.prototype, \"__proto__\").set": Object.getOwnPropertyDescriptor(Object.prototype, "__proto__").set,
    "Object.getOwnPropertyDescriptor(Error.prototype, \"stack\").get": Object.getOwnPropertyDescriptor(Error.prototype, "stack").get,
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
