// expect: SUCCESS "Error: x\n    at toJSON (cap)"
return { toJSON: () => new Error("x").stack.replace(/cap:[0-9a-f]{8}:\d+:\d+/, "cap") };
// twin
// expect: SUCCESS true
return /at <anonymous> \(cap:[0-9a-f]{8}:1:\d+\)/.test(new Error("x").stack);
