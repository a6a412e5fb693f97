// expect: SUCCESS ["Error: x\n    at <anonymous> (cap)","Error: x\n    at a\n    at real (/etc/passwd:1:1) (cap)\n    at <anonymous> (cap)","Error: x\n    at (native) (cap)\n    at <anonymous> (cap)","Error: x\n    at <anonymous> (cap)\n    at <anonymous> (cap)","Error: x\n    at :0:1) (cap)\n    at <anonymous> (cap)","Error: x\n    at <anonymous> (cap)\n    at <anonymous> (cap)"]
const names = ["x (caprun:prelude:1:1)", "a\n    at real (/etc/passwd:1:1)", "(native)", "\u0000", ":0:1)", ""];
const seen = [];
for (const name of names) seen.push(({ [name]() { return new Error("x").stack } })[name]());
return seen.map((stack) => stack.replace(/cap:[0-9a-f]{8}:\d+:\d+/g, "cap"));
// twin
// expect: SUCCESS true
return (function named() { return new Error("x").stack })().includes("at named (cap:");
