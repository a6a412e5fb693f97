// expect: SUCCESS true
// expect-blocked: process.env env API_KEY
// expect-log: process.env … Requires env access to "API_KEY"
let e = "it worked";
try {
    void process.env.API_KEY;
} catch (thrown) {
    e = thrown;
}
return (e instanceof Error && e.name === "PermissionDenied" && e.code === "PERMISSION_DENIED" &&
    e.message.startsWith("Requires env access to \"API_KEY\"") && /; use \S/.test(e.message)) || String(e);
// case
// expect: PERMISSION_DENIED PermissionError "Requires env access to \"API_KEY\""
// expect-blocked: process.env env API_KEY
// expect-log: process.env … Requires env access to "API_KEY"
void process.env.API_KEY;
// twin
// expect: SUCCESS "from args"
// args: {"env":{"API_KEY":"from args"}}
return args.env.API_KEY;
