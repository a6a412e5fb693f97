// expect: CODE_ERROR SyntaxError
return 1 /*
// case
// expect: CODE_ERROR SyntaxError
return 1 /* //
// case
// expect: CODE_ERROR SyntaxError
/*
// twin
// expect: SUCCESS 1
return 1 /* x */
