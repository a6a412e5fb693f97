// expect: PERMISSION_DENIED PermissionError "Requires read access to \"/x\"; use mcp.<server>.<tool>()"
// expect-blocked: Deno.readFile read /x
try {
    await Deno.readFile("/x");
} catch (e) {
    for (const key of ["name", "code", "message", "stack"]) Object.defineProperty(e, key, { value: "changed" });
    Object.setPrototypeOf(e, null);
    throw e;
}
// case
// expect: CODE_ERROR RuntimeError "PermissionDenied: Requires read access to \"/x\""
const e = new Error('Requires read access to "/x"');
e.name = "PermissionDenied";
e.code = "PERMISSION_DENIED";
throw e;
// case
// expect: CODE_ERROR RuntimeError "{}"
// expect-blocked: Deno.readFile read /x
const e = await Deno.readFile("/x").catch((e) => e);
throw Object.create(e);
// twin
// expect: SUCCESS true
// expect-blocked: Deno.readFile read /x
return (await Deno.readFile("/x").catch((e) => e)) instanceof Error;
