// expect: CODE_ERROR SyntaxError
with (args) {}
// case
// expect: CODE_ERROR SyntaxError
return 010
// case
// expect: CODE_ERROR SyntaxError
function f(a, a) {}
// case
// expect: CODE_ERROR SyntaxError
delete mcp
// case
// expect: CODE_ERROR SyntaxError
var arguments
// case
// expect: CODE_ERROR SyntaxError
eval = 1
// twin
// expect: SUCCESS true
return this === undefined
