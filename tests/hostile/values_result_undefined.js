// expect: SUCCESS null
return undefined;
// case
// expect: SUCCESS null
void 0;
// case
// expect: CODE_ERROR RuntimeError "The result is not JSON: TypeError: a function has no JSON"
return () => 1;
// case
// expect: CODE_ERROR RuntimeError "The result is not JSON: TypeError: a symbol has no JSON"
return Symbol("s");
// case
// expect: SUCCESS null
return NaN;
// twin
// expect: SUCCESS [null]
return [undefined];
