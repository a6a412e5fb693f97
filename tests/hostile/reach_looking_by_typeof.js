// expect: SUCCESS true
return [typeof fetch, typeof Deno, typeof process, typeof require, typeof Bun, typeof WebSocket, typeof Worker].length === 7;
// twin
// expect: SUCCESS true
// expect-blocked: Deno.readFile read /x
const e = await Deno.readFile("/x").catch((e) => e);
return e.code === "PERMISSION_DENIED";
