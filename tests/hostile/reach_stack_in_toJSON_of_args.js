// expect: SUCCESS [1,[]]
// expect-call: echo:x {}
let seen;
await mcp.echo.x({ toJSON() { seen = new Error("x").stack; return {} } });
// everything after the first line, which has name and message
const foreign = (stack) => stack.split("\n").slice(1).filter((line) => !/^    at .+ \((cap:[0-9a-f]{8}:\d+:\d+|native)\)$/.test(line));
return [1, foreign(seen)];
// twin
// expect: SUCCESS true
return /at <anonymous> \(cap:[0-9a-f]{8}:1:\d+\)/.test(new Error("x").stack);
