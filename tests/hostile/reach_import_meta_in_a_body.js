// expect: CODE_ERROR SyntaxError
// expect-blocked: any
return import.meta.url;
// twin
// expect: SUCCESS true
return typeof (await Promise.resolve(Math)).max === "function";
