// expect: SUCCESS true
let sites = 0;
Error.prepareStackTrace = (error, list) => { sites++; return list };
const stacks = [new Error("x").stack, (() => { try { null.x } catch (e) { return e.stack } })()];
console.log({ get a() { stacks.push(new Error("x").stack) } });
return sites === 0 && stacks.every((s) => typeof s === "string");
// case
// expect: SUCCESS ["undefined","undefined"]
return [typeof Error.prepareStackTrace, typeof Error.captureStackTrace];
// case
// expect: SUCCESS true
Object.defineProperty(Error, "prepareStackTrace", { get() { return () => "forged" }, configurable: true });
return new TypeError("x").stack.includes("cap:");
// case
// expect: CODE_ERROR RuntimeError "x"
Error.prepareStackTrace = () => { throw new Error("swallowed") };
throw new Error("x");
// twin
// expect: SUCCESS true
return new Error("x").stack.includes("cap:");
