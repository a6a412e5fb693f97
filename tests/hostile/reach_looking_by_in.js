// expect: SUCCESS true
return ["Deno", "process", "fetch", "Bun", "require", "EventSource"].map((n) => n in globalThis).length === 6;
// twin
// expect: SUCCESS true
// expect-blocked: Deno.readFile read /x
const e = await Deno.readFile("/x").catch((e) => e);
return e.code === "PERMISSION_DENIED";
