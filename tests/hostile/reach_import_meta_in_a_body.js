// expect: CODE_ERROR SyntaxError "import.meta"
return import.meta.url;
// twin
// expect: SUCCESS true
return typeof (await Promise.resolve(Math)).max === "function";
