// expect: SUCCESS true
// expect-blocked: Deno.somethingNew sys somethingNew
// expect-log: [blocked] Deno.somethingNew: Requires sys access to "somethingNew"; use 
let e = "it worked";
try {
    await Deno.somethingNew("x");
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith('Requires sys access to "somethingNew"; use ')) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires sys access to \"somethingNew\"; use "
// expect-blocked: Deno.somethingNew sys somethingNew
await Deno.somethingNew("x");
// twin
// expect: SUCCESS {"a":1}
// expect-call: echo:instead {"a":1}
return mcp.echo.instead({ a: 1 });
