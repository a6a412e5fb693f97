// expect: SUCCESS []
// expect-blocked: any
const leaked = [];
const functions = {
    "new Error(\"x\").toString": new Error("x").toString,
    "Error": Error,
    "(() => { try { null.x } catch (e) { return e.constructor } })()": (() => { try { null.x } catch (e) { return e.constructor } })(),
    "AggregateError": AggregateError,
    "DOMException": DOMException,
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
