// expect: SUCCESS true
// expect-blocked: Deno.env.toObject env -
// expect-log: Deno.env.toObject … Requires env access
let e = "it worked";
try {
    Deno.env.toObject();
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires env access") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires env access"
// expect-blocked: Deno.env.toObject env -
// expect-log: Deno.env.toObject … Requires env access
Deno.env.toObject();
// twin
// expect: SUCCESS "from args"
// args: {"env":{"API_KEY":"from args"}}
return args.env.API_KEY;
