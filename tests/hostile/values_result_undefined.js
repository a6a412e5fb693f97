// expect: SUCCESS null
return undefined;
// case
// expect: SUCCESS null
void 0;
// case
// expect: CODE_ERROR
return () => 1;
// case
// expect: CODE_ERROR
return Symbol("s");
// case
// expect: SUCCESS null
return NaN;
// twin
// expect: SUCCESS [null]
return [undefined];
