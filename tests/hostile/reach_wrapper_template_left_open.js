// expect: CODE_ERROR SyntaxError
return `
// case
// expect: CODE_ERROR SyntaxError
return `${
// case
// expect: CODE_ERROR SyntaxError
return '
// case
// expect: CODE_ERROR SyntaxError
return /
// case
// expect: CODE_ERROR SyntaxError
return `${1}
// twin
// expect: SUCCESS "}"
return `}`
