// expect: SUCCESS true
const mine = new RangeError("mine");
return import({ toString() { throw mine } }).then(() => "it loaded", (e) => e === mine || String(e));
// twin
// expect: SUCCESS true
return typeof (await Promise.resolve(Math)).max === "function";
