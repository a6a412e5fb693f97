// expect: SUCCESS true
globalThis[Symbol.for("left")] = 1;
Symbol.for("registered").description;
/x/.exec("x");
RegExp.prototype.left = 1;
(() => { const tag = (s) => s; tag`a`.raw })();
return Symbol.for("left") in globalThis;
// twin
// expect: SUCCESS [false,"undefined","undefined"]
return [Symbol.for("left") in globalThis, typeof /x/.left, typeof RegExp.$1];
