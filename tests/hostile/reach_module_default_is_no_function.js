// expect: CODE_ERROR
export default 1;
// case
// expect: CODE_ERROR
export default class { static apply() { return "applied" } }
// case
// expect: CODE_ERROR
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
