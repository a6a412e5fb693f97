// expect: SUCCESS []
// expect-blocked: any
const leaked = [];
const functions = {
    "console.log": console.log,
    "setTimeout": setTimeout,
    "performance.now": performance.now,
    "queueMicrotask": queueMicrotask,
    "Reflect.get": Reflect.get,
    "JSON.parse": JSON.parse,
    "Math.max": Math.max,
    "globalThis.toString": globalThis.toString,
    "Proxy": Proxy,
    "structuredClone": structuredClone,
    "URL": URL,
    "crypto.getRandomValues": crypto.getRandomValues,
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
