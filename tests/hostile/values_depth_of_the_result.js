// expect: CODE_ERROR RuntimeError "The result is not JSON: RangeError: "
let input = "leaf";
for (let i = 0; i < 100000; i++) input = [input];
return input;
// case
// expect: CODE_ERROR RuntimeError "The result is not JSON: RangeError: "
let input = "leaf";
for (let i = 0; i < 100000; i++) input = { a: input };
return input;
// twin
// expect: SUCCESS [[["leaf"]]]
let input = "leaf";
for (let i = 0; i < 3; i++) input = [input];
return input;
