// expect: CODE_ERROR SyntaxError
let mcp
// case
// expect: CODE_ERROR SyntaxError
const args = 1
// case
// expect: CODE_ERROR SyntaxError
let mcp; let args
// twin
// expect: SUCCESS 2
{ let mcp = 2; return mcp }
