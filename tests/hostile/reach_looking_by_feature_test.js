// expect: SUCCESS "deno"
return (() => { const runtime = typeof Deno !== "undefined" ? "deno" : typeof process !== "undefined" ? "node" : "none"; return runtime })();
// twin
// expect: SUCCESS true
// expect-blocked: Deno.readFile read /x
const e = await Deno.readFile("/x").catch((e) => e);
return e.code === "PERMISSION_DENIED";
