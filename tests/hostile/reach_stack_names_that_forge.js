// expect: SUCCESS
const names = ["x (caprun:prelude:1:1)", "a\n    at real (/etc/passwd:1:1)", "(native)", "\u0000", ":0:1)", ""];
return names.map((name) => ({ [name]() { return new Error("x").stack } })[name]().includes("caprun:"));
// twin
// expect: SUCCESS true
return (function named() { return new Error("x").stack })().includes("at named (cap:");
