// collections.js - Map, Set, WeakMap, WeakSet; grouping; the methods of sets.

// --- a map
const m = new Map([["a", 1], [NaN, 2], [0, 3]]);
m.set("a", 10).set(-0, 4).set({}, 5).set({}, 6);
return show([m.size, m.get(NaN), m.get(0), m.has({}), m.delete("a"), m.delete("a"), m])

// --- a negative zero as a key
const m = new Map([[-0, "z"]]), s = new Set([-0]);
return show([Object.is([...m.keys()][0], 0), Object.is([...s][0], 0)])

// --- keys in the order they came
const m = new Map([["z", 1], ["a", 2]]); m.set("z", 3); m.delete("a"); m.set("m", 4).set("a", 5);
return [...m.keys()]

// --- a map changed while walked
const m = new Map([[1, 1], [2, 2], [3, 3]]), seen = [];
for (const [k] of m) { seen.push(k); if (k === 1) m.delete(2); if (k === 3 && m.size < 4) m.set(4, 4); if (k === 4) { m.delete(1); m.set(1, 1); if (seen.length > 5) m.clear() } }
return [seen, [...m.keys()]]

// --- forEach of a map and a set
const log = [];
new Map([["k", "v"]]).forEach(function (v, k, m) { log.push([v, k, m.size, this.t]) }, { t: 1 });
new Set(["x"]).forEach((v, k) => log.push([v, k]));
return log

// --- maps are made from
// with new Map(Object.entries({ a: 1 }))
// with new Map([["a", 1]].values())
// with new Map(new Map([[1, 2]]))
// with new Map([1])
// with new Map(5)
// with new Map(null)
// with Map()
// with new Map([[1], []])
// with new Set("hello")
// with new Set([1, "1", 1, NaN, NaN, undefined, , null])
// with new Set(5)
// with new Set([[1], [1]])
// with new WeakMap([[1, 2]])
// with new WeakSet([{}]) instanceof WeakSet
// with new WeakMap([[Symbol("local"), 1]]) instanceof WeakMap
// with new WeakMap().set(Symbol.for("shared"), 1)
// with Map.prototype.get.call(new Set(), 1)
// with Map.prototype.size
return show($CASE)

// --- set methods
// with union
// with intersection
// with difference
// with symmetricDifference
// with isSubsetOf
// with isSupersetOf
// with isDisjointFrom
const a = new Set([1, 2, 3]), b = new Set([3, 4, 2]);
return show([a.$CASE(b), b.$CASE(a), a.$CASE(a), a.$CASE(new Set()), new Set().$CASE(a), a.$CASE(new Map([[1, "x"], [9, "y"]])), a.$CASE(new Set([5])), attempt(() => a.$CASE([1])), a])

// --- set methods with what is like a set
const like = { size: 2, has: (x) => x > 2, keys: () => [7, 8].values() };
const s = new Set([1, 2, 3, 4]);
return show([s.union(like), s.intersection(like), s.difference(like), s.isSupersetOf(like), attempt(() => s.union({ ...like, size: NaN })), attempt(() => s.union({ ...like, has: 1 })), attempt(() => s.union({ ...like, size: -1 }))])

// --- the order of an intersection
return [[...new Set([1, 2, 3]).intersection(new Set([3, 2]))], [...new Set([3, 2]).intersection(new Set([1, 2, 3]))], [...new Set("cab").union(new Set("dba"))]]

// --- grouping into a map
const even = { e: 1 }, odd = { o: 1 };
const m = Map.groupBy([1, 2, 3, 4, 5], (n) => n % 2 ? odd : even);
return [m.get(odd), m.get(even), m.size]

// --- grouping by a key
// with Map.groupBy("hello", (c) => c)
// with Map.groupBy([], (c) => c)
// with Map.groupBy([-0, 0, NaN, NaN], (n) => n)
// with Map.groupBy(5, (c) => c)
// with Map.groupBy([1], 5)
// with Object.groupBy("abcab", (c, i) => i < 3 ? "first" : "rest")
// with Object.groupBy([{ t: "a", n: 1 }, { t: "b", n: 2 }, { t: "a", n: 3 }], ({ t }) => t)
// with Object.groupBy([1.2, 1.8, 2.1], Math.floor)
// with Object.groupBy(new Set([1, 2]), () => Symbol.iterator)
// with Object.groupBy([1], null)
// with Map.groupBy(new Map([["a", 1], ["b", 1]]), ([, v]) => v)
return show($CASE)

// --- totals by group
const sales = [{ r: "N", v: 5 }, { r: "S", v: 3 }, { r: "N", v: 7 }];
return Object.entries(Object.groupBy(sales, (s) => s.r)).map(([r, xs]) => [r, xs.reduce((t, x) => t + x.v, 0)])

// --- weak maps hold private data
const secrets = new WeakMap();
class A { constructor(s) { secrets.set(this, s) } get secret() { return secrets.get(this) } }
const a = new A("x");
return show([a.secret, secrets.has(a), secrets.delete(a), a.secret, attempt(() => secrets.set("text", 1)), secrets.get("text"), secrets.has(1)])

// --- weak sets mark what was seen
const seen = new WeakSet();
const cyclic = (o) => { if (typeof o !== "object" || !o) return false; if (seen.has(o)) return true; seen.add(o); return Object.values(o).some(cyclic) };
const o = { a: { b: {} } }, c = { x: {} }; c.x.c = c;
return [cyclic(o), cyclic(c), attempt(() => seen.add(1))]

// --- counting words
const count = new Map();
for (const w of "the cat and the dog and the bird".split(" ")) count.set(w, (count.get(w) ?? 0) + 1);
return [...count].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))

// --- inserting what is missing
const m = new Map([["a", 1]]);
return show([m.getOrInsert("a", 2), m.getOrInsert("b", 3), m.getOrInsertComputed("c", (k) => k + "!"), m.getOrInsertComputed("a", () => 9), m])

// --- inserting what is missing in a weak map
const k = {}, m = new WeakMap();
return [m.getOrInsert(k, 1), m.getOrInsert(k, 2), attempt(() => m.getOrInsert(1, 1)), m.getOrInsertComputed({}, () => "c")]

// --- a map as an object and back
const m = new Map(Object.entries({ x: 1, y: 2 }));
return [JSON.stringify(m), JSON.stringify([...m]), Object.fromEntries(m), JSON.stringify(new Set([1]))]

// --- sorted maps
return [...new Map([...new Map([["b", 1], ["a", 2]])].sort())]

// --- a bidirectional map
class Bi { #f = new Map(); #b = new Map(); set(k, v) { this.delete(k); this.#f.set(k, v); this.#b.set(v, k) } delete(k) { this.#b.delete(this.#f.get(k)); this.#f.delete(k) } of(v) { return this.#b.get(v) } }
const b = new Bi(); b.set("a", 1); b.set("a", 2);
return show([b.of(1), b.of(2)])

// --- a multimap
const mm = new Map(), add = (k, v) => mm.has(k) ? mm.get(k).push(v) : mm.set(k, [v]);
add("x", 1); add("y", 2); add("x", 3);
return Object.fromEntries(mm)

// --- a trie
const trie = new Map(), put = (w) => { let n = trie; for (const c of w) { if (!n.has(c)) n.set(c, new Map()); n = n.get(c) } n.set("$", w) };
["car", "cart", "dog"].forEach(put);
const all = (n) => [...n].flatMap(([k, v]) => k === "$" ? [v] : all(v));
const starts = (p) => all([...p].reduce((n, c) => n.get(c) ?? new Map(), trie));
return [starts("car"), starts("d"), starts("x")]

// --- a graph search
const g = new Map(Object.entries({ a: ["b", "c"], b: ["d"], c: ["d", "e"], d: ["f"], e: ["f"], f: [] }));
const path = (from, to) => { const q = [[from]], seen = new Set([from]); for (const p of q) { if (p.at(-1) === to) return p; for (const n of g.get(p.at(-1))) if (!seen.has(n)) { seen.add(n); q.push([...p, n]) } } };
return [path("a", "f"), path("b", "e") ?? null]

// --- topological order
const deps = { app: ["db", "log"], db: ["log"], log: [], ui: ["app"] }, order = new Set();
const visit = (n, above = new Set()) => { if (above.has(n)) throw new RangeError("cycle"); if (!order.has(n)) { deps[n].forEach((d) => visit(d, new Set([...above, n]))); order.add(n) } };
Object.keys(deps).forEach((n) => visit(n));
return [[...order], attempt(() => { deps.log.push("ui"); order.clear(); visit("app") })]

// --- union find
const parent = new Map(), find = (x) => { const p = parent.get(x) ?? x; if (p === x) return x; const r = find(p); parent.set(x, r); return r }, union = (a, b) => parent.set(find(a), find(b));
union(1, 2); union(3, 4); union(2, 3);
return [find(1) === find(4), find(1) === find(5)]

// --- subclasses of Map and Set
class Counter extends Map { add(k) { return this.set(k, (this.get(k) ?? 0) + 1) } top(n) { return [...this].toSorted((a, b) => b[1] - a[1]).slice(0, n) } }
const c = new Counter(); [..."banana"].forEach((x) => c.add(x));
return [c.top(2), c.size, c instanceof Map, Counter.groupBy([1], () => 1) instanceof Counter]

// --- union of a subclass is a plain set
class S extends Set {}
return [new S([1]).union(new Set([2])).constructor.name, new S([1]).has(1)]
