// expect: SUCCESS []
const seen = [];
console.log({ get a() { seen.push(new Error("x").stack); return 1 } });
return seen;
// twin
// expect: SUCCESS true
return /at <anonymous> \(cap:[0-9a-f]{8}:1:\d+\)/.test(new Error("x").stack);
