// expect: SUCCESS true
return [typeof Deno?.readFile, typeof Deno?.env, typeof Deno?.env?.get, typeof Deno?.Command, typeof process?.env].length === 5;
// twin
// expect: SUCCESS true
// expect-blocked: Deno.readFile read /x
const e = await Deno.readFile("/x").catch((e) => e);
return e.code === "PERMISSION_DENIED";
