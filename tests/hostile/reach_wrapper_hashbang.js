// expect: CODE_ERROR|SUCCESS
#!/usr/bin/env node
return 1
// case
// expect: CODE_ERROR|SUCCESS

#!/usr/bin/env node
return 1
// twin
// expect: SUCCESS 2
return '#!'.length
