// expect: SUCCESS true
return [Object.keys(globalThis), Object.getOwnPropertyNames(Deno), Reflect.ownKeys(process)].length === 3;
// twin
// expect: SUCCESS true
// expect-blocked: Deno.readFile read /x
const e = await Deno.readFile("/x").catch((e) => e);
return e.code === "PERMISSION_DENIED";
