// expect: CODE_ERROR RuntimeError "TypeError: the module's default export is not a function"
export default 1;
// case
// expect: CODE_ERROR RuntimeError "TypeError: Class constructor default cannot be invoked without 'new'"
export default class { static apply() { return "applied" } }
// case
// expect: CODE_ERROR RuntimeError "TypeError: the module's default export is not a function"
export default { call() { return "called" } };
// case
// expect: CODE_ERROR RuntimeError "mine"
throw new Error("mine");
export default () => 1;
// case
// expect: CODE_ERROR SyntaxError
export default () => 1;
export default () => 2;
// twin
// expect: SUCCESS 1
export default () => 1;
