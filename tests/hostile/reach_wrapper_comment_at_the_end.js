// expect: SUCCESS 1
return 1 //
// case
// expect: SUCCESS 1
return 1 // })
// case
// expect: SUCCESS 1
return 1 /* }) */
// twin
// expect: SUCCESS 1
return 1
