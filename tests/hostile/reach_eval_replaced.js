// expect: SUCCESS "mine: 1"
globalThis.eval = (text) => "mine: " + text;
return eval("1");
// case
// expect: PERMISSION_DENIED PermissionError "Requires eval access"
// expect-blocked: eval eval -
const real = eval;
delete globalThis.eval;
real("1");
// case
// expect: CODE_ERROR RuntimeError "eval"
delete globalThis.eval;
eval("1");
// twin
// expect: SUCCESS "function"
return typeof eval;
