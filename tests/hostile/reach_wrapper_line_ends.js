// expect: SUCCESS ["2","4","5","6"]
const at = () => /:(\d+):\d+\)$/.exec(new Error("x").stack.split("\n")[2])[1];«CR»
const a = at(), more = [];«LS»more.push(a);«PS»more.push(at());
more.push(at());
more.push(at()); return more;
// case
// expect: CODE_ERROR SyntaxError
return 1 // a comment ends here«LS»}) ; (function () {
// twin
// expect: SUCCESS ["\u2028","\u2029"]
return ["«LS»", "«PS»"]
