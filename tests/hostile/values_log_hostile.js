// expect: SUCCESS 1
const cycle = { list: [] };
cycle.list.push(cycle);
console.log(cycle, new Proxy({}, { get() { throw 1 }, ownKeys() { throw 1 } }), { get a() { throw 1 } }, Object.create(null));
console.log(Symbol("s"), 1n, -0, undefined, null, () => 1, class A {}, new Map([[{}, []]]), new Set([1]), new Date(NaN));
console.log(Object.defineProperty(new Error("x"), "message", { get() { throw 1 } }), Object.defineProperty(() => 1, "name", { get() { throw 1 } }));
console.log({ toString() { throw 1 }, [Symbol.toPrimitive]() { throw 1 }, [Symbol.toStringTag]: { toString() { throw 1 } } });
console.log(new Proxy([], { get: (target, key) => (key === "length" ? 2 ** 32 : undefined) }));
console.log("%s %d %i %f %j %o %O %c %%", { toString() { throw 1 } }, Symbol("s"), 1n, {}, cycle, cycle, cycle, "css");
let deep = 1;
for (let i = 0; i < 100000; i++) deep = [deep];
console.log(deep);
console.table(cycle);
console.table([[1], { a: cycle }, 1n]);
console.dir(cycle);
for (const name of Object.getOwnPropertyNames(console)) {
    try { console[name](cycle, Symbol("s")) } catch (e) { if (!(e instanceof TypeError)) throw e }
}
return 1;
// twin
// expect: SUCCESS 1
// expect-log: hello { a: 1 }
console.log("hello", { a: 1 });
return 1;
