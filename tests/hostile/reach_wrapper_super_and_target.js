// expect: CODE_ERROR SyntaxError
return super.x
// case
// expect: CODE_ERROR SyntaxError
super()
// case
// expect: SUCCESS true
return new.target === undefined
// twin
// expect: SUCCESS 1
return ({ __proto__: { x: 1 }, m() { return super.x } }).m()
