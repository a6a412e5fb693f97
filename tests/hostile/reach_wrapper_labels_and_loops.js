// expect: CODE_ERROR SyntaxError
break
// case
// expect: CODE_ERROR SyntaxError
continue
// case
// expect: CODE_ERROR SyntaxError
yield 1
// twin
// expect: SUCCESS 1
out: { break out } return 1
