// expect: SUCCESS [3,[]]
// expect-call: echo:x {}
const seen = [];
const look = () => seen.push(new DOMException("x").stack);
look();
console.log({ get a() { look() } });
try { atob("*") } catch (e) { seen.push(e.stack) }
console.log({ get a() { try { atob("*") } catch (e) { seen.push(e.stack) } } });
await mcp.echo.x({ toJSON() { look(); return {} } });
// everything after the first line, which has name and message
const foreign = (stack) => stack.split("\n").slice(1).filter((line) => !/^    at .+ \((cap:[0-9a-f]{8}:\d+:\d+|native)\)$/.test(line));
return [seen.length, seen.flatMap(foreign)];
// twin
// expect: SUCCESS true
return /at <anonymous> \(cap:[0-9a-f]{8}:1:\d+\)/.test(new Error("x").stack);
