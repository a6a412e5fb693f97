// expect: SUCCESS []
// expect-blocked: eval eval -
// expect-blocked: Function eval -
// expect-blocked: Function eval -
// expect-blocked: Function eval -
// expect-call: fail:x {}
const leaked = [];
const functions = {
    "(await mcp.fail.x().catch((e) => e)).constructor": (await mcp.fail.x().catch((e) => e)).constructor,
    "(await mcp[\"/\"].x().catch((e) => e)).constructor": (await mcp["/"].x().catch((e) => e)).constructor,
    "(() => { try { eval(\"1\") } catch (e) { return e.constructor } })()": (() => { try { eval("1") } catch (e) { return e.constructor } })(),
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
