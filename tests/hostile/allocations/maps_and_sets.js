// expect: SUCCESS [300,250,[1,2,3,4],[2,3],[1],[1,4],true,100]
const m = new Map(), s = new Set(), w = new WeakMap(), keys = [];
for (let i = 0; i < 300; i++) { m.set(i % 3 ? "k" + i : {i}, [i]); s.add(i * 1.5); const k = {}; keys.push(k); w.set(k, {i}); }
const copy = new Map([...m].reverse()), set = new WeakSet(keys);
for (const x of s) { if (x < 75) s.delete(x); }
const grouped = Map.groupBy(keys, (k) => w.get(k).i % 100);
m.forEach((v, k) => { if (typeof k === "object") m.delete(k); });
const a = new Set([1, 2, 3]), b = new Set([2, 3, 4]);
return [copy.size, s.size, [...a.union(b)], [...a.intersection(b)], [...a.difference(b)], [...a.symmetricDifference(b)], set.has(keys[9]) && m.size === 200, grouped.size];
