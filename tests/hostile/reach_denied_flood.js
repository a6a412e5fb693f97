// expect: SUCCESS 20000
// expect-blocked-count: 1000
let denied = 0;
for (let i = 0; i < 20000; i++) {
    await Deno.readFile("/" + i).catch((e) => { denied += e.code === "PERMISSION_DENIED" });
}
return denied;
// twin
// expect: SUCCESS 2
// expect-blocked: Deno.readFile read /0
// expect-blocked: Deno.readFile read /1
let denied = 0;
for (let i = 0; i < 2; i++) await Deno.readFile("/" + i).catch(() => denied++);
return denied;
