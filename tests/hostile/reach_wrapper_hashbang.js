// expect: SUCCESS 1
#!/usr/bin/env node
return 1
// case
// expect: CODE_ERROR SyntaxError

#!/usr/bin/env node
return 1
// twin
// expect: SUCCESS 2
return '#!'.length
