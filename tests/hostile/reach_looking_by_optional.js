// expect: SUCCESS true
return (Deno?.env, process?.env, globalThis.Bun?.file, true);
// twin
// expect: SUCCESS true
// expect-blocked: Deno.readFile read /x
const e = await Deno.readFile("/x").catch((e) => e);
return e.code === "PERMISSION_DENIED";
