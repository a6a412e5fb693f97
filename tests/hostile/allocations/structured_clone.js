// expect: SUCCESS [true,2,"Error: e",[1,2,3],"DataCloneError",true]
const shared = {x: 1}, original = {a: shared, b: shared, map: new Map([[{k: 1}, new Set([1, 2])]]), date: new Date(0), re: /x/gi, error: new Error("e", {cause: 1}),
    typed: new Uint8Array([1, 2, 3]), big: 10n ** 50n, boxed: [Object(1), Object("s"), Object(1n)], sparse: [1, , 3], list: Array.from({length: 200}, (_, i) => ({i, s: "t" + i}))};
original.self = original;
const copy = structuredClone(original);
let failure; try { structuredClone({f() {}}); } catch (e) { failure = e.name; }
return [copy.self === copy && copy.a === copy.b && copy !== original, [...copy.map.values()][0].size, String(copy.error), [...copy.typed], failure, copy.big === original.big && copy.list[199].s === "t199"];
