// expect: SUCCESS []
// expect-blocked: any
const leaked = [];
const functions = {
    "\"\".sub": "".sub,
    "[].at": [].at,
    "/x/.exec": /x/.exec,
    "(1).toFixed": (1).toFixed,
    "(1n).toString": (1n).toString,
    "true.valueOf": true.valueOf,
    "Symbol().valueOf": Symbol().valueOf,
    "({}).valueOf": ({}).valueOf,
    "(() => 1)": (() => 1),
    "(class {})": (class {}),
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
