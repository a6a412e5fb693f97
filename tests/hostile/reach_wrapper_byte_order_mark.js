// expect: SUCCESS 1
«BOM»return 1
// case
// expect: SUCCESS 1
return«BOM»1
// twin
// expect: SUCCESS 1
return "«BOM»".length
