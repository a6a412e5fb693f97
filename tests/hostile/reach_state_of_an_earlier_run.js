// expect: SUCCESS "polluted"
globalThis.left = 1;
Object.prototype.left = 1;
Array.prototype.push = () => "evil";
Error.left = 1;
console.left = 1;
console.log = () => 0;
mcp.echo.left;
try { mcp.left = 1 } catch {}
setInterval(() => 0, 1);
globalThis.Promise = undefined;
console.count?.("left");
console.group?.("left");
console.time?.("left");
return "polluted";
// twin
// expect: SUCCESS []
// expect-log: left: 1
// expect-log: not indented
console.count("left");
console.log("not indented");
const found = [];
if ("left" in globalThis || "left" in {} || "left" in Error || "left" in console) found.push("a property");
if ([].push(1) !== 1) found.push("push");
if (typeof Promise !== "function") found.push("Promise");
if (performance.now() > 1000) found.push("the clock");
return found;
