// expect: PERMISSION_DENIED PermissionError "Requires read access to \"/tmp/ok?/etc/shadow\""
// expect-blocked: Deno.readFileSync read /tmp/ok?/etc/shadow
// expect-log: Deno.readFileSync … /etc/shadow
Deno.readFileSync("/tmp/ok\0/etc/shadow");
// twin
// expect: SUCCESS 15
return "/tmp/ok\0/shadow".length;
