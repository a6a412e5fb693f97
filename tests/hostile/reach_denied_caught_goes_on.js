// expect: SUCCESS "went on"
// expect-blocked: Deno.readFile read /x
// expect-blocked: eval eval -
// expect-blocked: fetch net evil.example
// expect-call: echo:still {"works":true}
await Deno.readFile("/x").catch(() => 0);
try { eval("1") } catch {}
await fetch("https://evil.example/").catch(() => 0);
await mcp.echo.still({ works: true });
return "went on";
// case
// expect: CODE_ERROR RuntimeError "my own"
// expect-blocked: Deno.readFile read /x
await Deno.readFile("/x").catch(() => 0);
throw new Error("my own");
// twin
// expect: SUCCESS "nothing denied"
return "nothing denied";
