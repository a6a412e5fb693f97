// expect: SUCCESS true
return import(Symbol("s")).then(() => "it loaded", (e) => e instanceof TypeError || String(e));
// twin
// expect: SUCCESS true
return typeof (await Promise.resolve(Math)).max === "function";
