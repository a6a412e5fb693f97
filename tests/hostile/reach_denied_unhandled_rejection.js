// expect: SUCCESS "went on"
// expect-blocked: Deno.readFile read /x
void Deno.readFile("/x");
await new Promise((done) => setTimeout(done, 1));
return "went on";
// twin
// expect: SUCCESS "went on"
void Promise.reject(new Error("mine"));
await new Promise((done) => setTimeout(done, 1));
return "went on";
