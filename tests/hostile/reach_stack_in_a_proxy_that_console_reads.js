// expect: SUCCESS []
const seen = [];
const look = () => { seen.push(new Error("x").stack); return undefined };
const traps = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((trap) => [trap, (...all) => { look(); return Reflect[trap](...all) }]));
console.log(new Proxy({ a: 1 }, traps));
console.table(new Proxy([1], traps));
console.dir(new Proxy(() => 1, traps));
return seen;
// twin
// expect: SUCCESS true
return /at <anonymous> \(cap:[0-9a-f]{8}:1:\d+\)/.test(new Error("x").stack);
