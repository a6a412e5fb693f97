// expect: SUCCESS [4,["the test refuses","not the name of a namespace","a BigInt has no JSON, at args","no such row"],[]]
// expect-call: fail:x {}
// expect-call: tool:error {}
const seen = [], messages = [];
for (const call of [() => mcp.fail.x(), () => mcp["/"].x(), () => mcp.a.b(1n), () => mcp.tool.error()]) {
    await call().catch((e) => { seen.push(e.stack); messages.push(e.message) });
}
// everything after the first line, which has name and message
const foreign = (stack) => stack.split("\n").slice(1).filter((line) => !/^    at .+ \((cap:[0-9a-f]{8}:\d+:\d+|native)\)$/.test(line));
return [seen.length, messages, seen.flatMap(foreign)];
// twin
// expect: SUCCESS true
return /at <anonymous> \(cap:[0-9a-f]{8}:1:\d+\)/.test(new Error("x").stack);
