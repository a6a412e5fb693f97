// expect: SUCCESS true
return Deno !== process && Deno === Deno && Deno.readFile === Deno.readFile && (Deno == null) === false;
// twin
// expect: SUCCESS true
// expect-blocked: Deno.readFile read /x
const e = await Deno.readFile("/x").catch((e) => e);
return e.code === "PERMISSION_DENIED";
