// expect: CODE_ERROR RuntimeError "RangeError: Maximum call stack size exceeded"
function deeper() { [1].map(deeper); }
deeper();
// case
// expect: CODE_ERROR RuntimeError "RangeError: Maximum call stack size exceeded"
const o = {toJSON() { return JSON.stringify(o); }};
JSON.stringify(o);
// case
// expect: CODE_ERROR RuntimeError "RangeError: Maximum call stack size exceeded"
const o = {get a() { return Reflect.get(o, 'a'); }};
return o.a;
// case
// expect: CODE_ERROR RuntimeError "RangeError: Maximum call stack size exceeded"
function deeper(_, at) { 'x'.replace(/x/, deeper); return ''; }
deeper();
// twin
// expect: SUCCESS 100
let depth = 0;
function deeper() { if (depth < 100) { depth++; [1].map(deeper); } }
deeper();
return depth;
