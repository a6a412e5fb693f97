// expect: SUCCESS "undefined"
return typeof WebAssembly;
// twin
// expect: SUCCESS "object"
return typeof JSON;
