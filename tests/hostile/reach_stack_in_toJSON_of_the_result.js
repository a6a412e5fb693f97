// expect: SUCCESS
return { toJSON: () => new Error("x").stack };
// twin
// expect: SUCCESS true
return /at <anonymous> \(cap:[0-9a-f]{8}:1:\d+\)/.test(new Error("x").stack);
