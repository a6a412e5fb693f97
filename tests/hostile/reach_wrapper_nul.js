// expect: REFUSED
return 1«NUL»
// case
// expect: REFUSED
return "«NUL»"
// case
// expect: REFUSED
return 1 // «NUL»
// twin
// expect: SUCCESS 1
return "\0".length
