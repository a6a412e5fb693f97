// expect: SUCCESS 8
// expect-log: name
console.table([{name: "one", value: 1}, {name: "two", value: {deep: [1]}}, {other: new Map([[1, 2]])}]);
console.log("%s %d %o %j", "text", 42, {a: {b: {c: {d: 1}}}}, [1, , 3], new Set([1, "two"]), Symbol("s"), 1n, () => 0, class X {});
console.dir({get x() { return 1; }, [Symbol.toStringTag]: "T", date: new Date(0), error: new Error("e"), re: /x/g, typed: new Uint8Array(200)}, {depth: 5});
console.error(new AggregateError([new TypeError("a"), new RangeError("b")], "all", {cause: new Error("why")}));
console.group("group"); console.count(); console.count("c"); console.time("t"); console.timeEnd("t"); console.assert(false, "no"); console.groupEnd();
const cycle = {list: Array.from({length: 150}, (_, i) => ({i, text: "x".repeat(i)}))}; cycle.self = cycle;
console.log(cycle, new Proxy({}, {}), Promise.resolve(1), new (class Foo extends Map {})([[{}, []]]), Object.create(null));
console.trace("here");
return 8;
