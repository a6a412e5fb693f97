// expect: SUCCESS true
// expect-blocked: any
const path = "/" + "x".repeat(1e6);
const e = await Deno.readFile(path).catch((e) => e);
return e.code === "PERMISSION_DENIED" || String(e);
// twin
// expect: SUCCESS true
// expect-blocked: Deno.readFile read /x
return (await Deno.readFile("/x").catch((e) => e)).message.startsWith('Requires read access to "/x"');
