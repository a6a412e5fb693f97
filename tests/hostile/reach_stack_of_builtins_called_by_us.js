// expect: SUCCESS [18,[]]
const seen = [];
const look = function () { seen.push(new Error("x").stack); return 1 };
setTimeout(look, 0);
queueMicrotask(look);
await new Promise((done) => setTimeout(done, 2));
await { then(done) { look(); done() } };
for (const api of ["structuredClone", "btoa", "atob", "TextEncoder", "URL", "URLSearchParams", "AbortController"]) {
    try { new globalThis[api]({ get a() { look() }, toString() { look(); return "" }, [Symbol.iterator]: look }) } catch (e) { seen.push(e.stack) }
    try { globalThis[api]({ get a() { look() }, toString() { look(); return "" } }) } catch (e) { seen.push(e.stack) }
}
// everything after the first line, which has name and message
const foreign = (stack) => stack.split("\n").slice(1).filter((line) => !/^    at .+ \((cap:[0-9a-f]{8}:\d+:\d+|native)\)$/.test(line));
return [seen.length, seen.flatMap(foreign)];
// twin
// expect: SUCCESS true
return /at <anonymous> \(cap:[0-9a-f]{8}:1:\d+\)/.test(new Error("x").stack);
