// expect: SUCCESS true
// expect-blocked: any
return import(Symbol("s")).then(() => "it loaded", (e) => e instanceof Error || String(e));
// twin
// expect: SUCCESS true
return typeof (await Promise.resolve(Math)).max === "function";
