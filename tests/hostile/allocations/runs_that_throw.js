// expect: CODE_ERROR RuntimeError "the code's own: {\"a\":[1,2]}"
class Own extends Error { get name() { return "Own" + "Error"; } }
async function inner(n) { await null; if (n) return inner(n - 1); const e = new Own("the code's own: " + JSON.stringify({a: [1, 2]}), {cause: new Error("below")}); e.details = new Map([[1, {}]]); throw e; }
console.log("before"); setTimeout(() => console.log("never"), 1e6);
try { await inner(30); } finally { console.log("after"); }
