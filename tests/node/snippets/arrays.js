// arrays.js - arrays: changing them, copying them, walking over them.

// --- taking and finding
// with [1, 2, 3, 4, 5].slice(-3, -1)
// with [1, 2, 3].at(-4)
// with [5, 12, 8, 130, 44].find((x) => x > 10)
// with [5, 12, 8, 130, 44].findLast((x) => x > 10)
// with [5, 12, 8, 130, 44].findIndex((x) => x > 200)
// with [5, 12, 8, 130, 44].findLastIndex((x) => x < 10)
// with [1, [2, [3, [4]]]].flat()
// with [1, [2, [3, [4]]]].flat(Infinity)
// with [1, , 3, [4, , 6]].flat()
// with ["a b", "c"].flatMap((s) => s.split(" "))
// with [3, 4].flatMap((n) => [[n]])
// with [1, 2, 3].includes("2")
// with [1, 2, 3, 2].lastIndexOf(2)
// with [1, 2, 3, 2].indexOf(2, 2)
// with [1, 2, 3].indexOf(3, -1)
// with [[1, 2], [3]].concat([4], 5, [[6]])
// with [1, 2, 3].join()
// with [[1, [2]], null, undefined, "x"].toString()
// with [1, 2, 3].some((x) => x > 2)
// with [].every((x) => false)
// with [].some((x) => true)
// with [1, 2, 3, 4].reduce((a, x) => a + x)
// with [[1, 2], [3]].reduceRight((a, x) => a.concat(x), [])
// with [].reduce((a, x) => a + x, "start")
// with [].reduce((a, x) => a + x)
// with [...[1, 2].entries()]
// with [...Array(3).keys()]
// with Array.of(7)
// with Array(3)
// with Array(3, 4)
// with new Array("3")
// with new Array(-1)
// with Array.from("héé")
// with Array.from({ length: 3 }, (_, i) => i * i)
// with Array.from(new Map([["a", 1]]))
// with Array.from({ length: 2, 0: "x" })
// with Array.isArray(Array.prototype)
// with Array.isArray({ length: 0, __proto__: Array.prototype })
// with [1, 2, 3].with(1, 9)
// with [1, 2, 3].with(-1, 9)
// with [1, 2, 3].with(3, 9)
// with [3, 1, 2].toSorted()
// with [3, 1, 2].toReversed()
// with [1, 2, 3, 4].toSpliced(1, 2, "a", "b", "c")
// with [1, , 3].toSpliced(0, 0)
// with [1, , 3].toReversed()
// with [1, 2, 3].toSpliced(1)
// with [10, 9, 1, 100].sort()
// with [10, 9, undefined, 1, , 100].sort()
// with [10, 9, undefined, 1].sort((a, b) => b - a)
// with ["b", "a", "C", "ä"].sort()
// with [1, 2, 3, 4, 5].copyWithin(0, 3)
// with [1, 2, 3, 4, 5].copyWithin(1, 0, 3)
// with [1, 2, 3].fill(0, 1)
// with Array(3).fill().map((_, i) => i)
// with [1, 2, 3].sort(5)
// with [, 1].map((x) => x * 2)
// with [, 1].filter(() => true)
// with [, 1].includes(undefined)
// with [, 1].indexOf(undefined)
// with [, 1].findIndex((x) => x === undefined)
// with Object.keys([, 1])
// with [..."ab", ...[1], ...new Set([2, 2])]
// with [[3, "c"], [1, "a"]].sort()
// with [true, false, null, "b"].sort()
// with Array.prototype.concat.call(1, 2).length
// with [].concat({ length: 1, 0: "x", [Symbol.isConcatSpreadable]: true })
return show($CASE)

// --- what a change returns and leaves
// with push(6, 7)
// with pop()
// with shift()
// with unshift(0, -1)
// with splice(1, 2)
// with splice(-2)
// with splice(1, 0, "a", "b")
// with splice()
// with splice(undefined)
// with reverse()
// with sort((a, b) => b - a)
// with fill("x", -2)
// with copyWithin(0, -2)
// with concat([6])
// with slice()
const a = [1, 2, 3, 4, 5];
const returned = a.$CASE;
return show([returned, a, returned === a])

// --- the length
const a = [1, 2, 3];
a.length = 1; a[3] = "x";
const lengths = [a.length, Object.keys(a).length];
a["5"] = 1; a["06"] = 2; a[-1] = 3; a[1.5] = 4;
return show([lengths, a.length, Object.keys(a)])

// --- a length that cannot be
[].length = -1

// --- a sort is stable
const people = [["Ann", 30], ["Bob", 25], ["Cid", 30], ["Dan", 25], ["Eve", 30]];
return people.toSorted((a, b) => a[1] - b[1]).map(([n]) => n)

// --- a long sort is stable
const xs = Array.from({ length: 2000 }, (_, i) => ({ k: (i * 7919) % 13, i }));
xs.sort((a, b) => a.k - b.k);
return [xs.every((x, i) => !i || xs[i - 1].k < x.k || xs[i - 1].k === x.k && xs[i - 1].i < x.i), xs[0], xs[1999]]

// --- sorting by several keys
const rows = [{ n: "b", v: 2 }, { n: "a", v: 2 }, { n: "c", v: 1 }];
return rows.sort((x, y) => y.v - x.v || x.n.localeCompare(y.n)).map((r) => r.n).join("")

// --- sorting without a number is by text
return [1e21, 5, 40, -1, -10, 1 / 3].sort()

// --- the arguments of callbacks
const seen = [];
["a", "b"].forEach(function (value, index, all) { seen.push([value, index, all.length, this.x]) }, { x: 1 });
return seen

// --- changing while walking
const a = [1, 2, 3], seen = [];
for (const x of a) { seen.push(x); if (a.length < 6) a.push(x * 10) }
a.forEach((x, i) => { seen.push(x); if (i === 0) a.shift() });
return [a, seen]

// --- map sees the length it began with
const a = [1, 2, 3];
return show([a.map((x) => { a.push(x); return x }), a])

// --- holes
const a = [1, , 3];
a[5] = 6;
const inLoop = []; for (const i in a) inLoop.push(i);
return show([a, a.length, 1 in a, inLoop, a.map((x) => x), [...a], JSON.stringify(a), a.reduce((s, x) => s + x)])

// --- delete leaves a hole
const a = ["x", "y"]; delete a[0];
return show([a, a.length])

// --- methods on what is like an array
const like = { length: 2, 0: "a", 1: "b" };
return show([Array.prototype.map.call(like, (x) => x + x), Array.prototype.join.call("abc", "-"), Array.prototype.push.call(like, "c"), like])

// --- chunks
const chunk = (xs, n) => xs.length ? [xs.slice(0, n), ...chunk(xs.slice(n), n)] : [];
return chunk([1, 2, 3, 4, 5, 6, 7], 3)

// --- zip and unzip
const zip = (...as) => as[0].map((_, i) => as.map((a) => a[i]));
const pairs = zip([1, 2, 3], ["a", "b", "c"]);
return [pairs, zip(...pairs)]

// --- unique
return [[...new Set([3, 1, 3, 2, 1])], [3, 1, 3].filter((x, i, a) => a.indexOf(x) === i)]

// --- partition
const [even, odd] = [1, 2, 3, 4, 5].reduce(([e, o], n) => n % 2 ? [e, [...o, n]] : [[...e, n], o], [[], []]);
return { even, odd }

// --- matrix times matrix
const times = (a, b) => a.map((r) => b[0].map((_, j) => r.reduce((s, x, k) => s + x * b[k][j], 0)));
return times([[1, 2], [3, 4]], [[0, 1], [1, 0]])

// --- transposing
return (([first, ...rest]) => first.map((x, i) => [x, ...rest.map((r) => r[i])]))([[1, 2, 3], [4, 5, 6]])

// --- permutations
const permute = (xs) => xs.length < 2 ? [xs] : xs.flatMap((x, i) => permute(xs.toSpliced(i, 1)).map((p) => [x, ...p]));
return permute(["a", "b", "c"]).map((p) => p.join(""))

// --- combinations
const choose = (xs, k) => k === 0 ? [[]] : xs.flatMap((x, i) => choose(xs.slice(i + 1), k - 1).map((c) => [x, ...c]));
return choose([1, 2, 3, 4], 2)

// --- power set
return [1, 2, 3].reduce((sets, x) => sets.concat(sets.map((s) => [...s, x])), [[]])

// --- running totals
let total = 0;
return [3, 1, 4, 1, 5].map((x) => total += x)

// --- windows
const windows = (xs, n) => Array.from({ length: xs.length - n + 1 }, (_, i) => xs.slice(i, i + n));
return windows([1, 2, 3, 4], 2).map(([a, b]) => b - a)

// --- rotating
const rotate = (xs, n) => [...xs.slice(n), ...xs.slice(0, n)];
return [rotate([1, 2, 3, 4], 1), rotate([1, 2, 3, 4], -1)]

// --- spiral
const spiral = (m) => m.length ? [...m[0], ...spiral(m.slice(1).map((r) => r.toReversed())[0] ? m.slice(1)[0].map((_, j) => m.slice(1).map((r) => r[r.length - 1 - j])) : [])] : [];
return spiral([[1, 2, 3], [4, 5, 6], [7, 8, 9]])

// --- binary search
const search = (xs, x) => { let lo = 0, hi = xs.length; while (lo < hi) { const mid = (lo + hi) >>> 1; xs[mid] < x ? lo = mid + 1 : hi = mid } return xs[lo] === x ? lo : ~lo };
return [search([1, 3, 5, 7], 5), search([1, 3, 5, 7], 4), search([], 1)]

// --- copies are shallow
const inner = { n: 1 }, a = [inner], copies = [a.slice(), [...a], Array.from(a), a.toSorted(), a.with(0, inner), a.concat()];
inner.n = 2;
return copies.map(([x]) => x.n)

// --- a subclass of Array
class Stack extends Array { get top() { return this.at(-1) } static get [Symbol.species]() { return Array } }
const s = Stack.of(1, 2, 3);
return [s.top, s instanceof Stack, s.map((x) => x) instanceof Stack, s.length, Stack.from([1]).top]

// --- a subclass is kept by map but not by toSorted
class List extends Array {}
const l = List.from([2, 1]);
return [l.map((x) => x).constructor.name, l.toSorted().constructor.name, l.filter(Boolean) instanceof List, l.with(0, 1).constructor.name]

// --- fromAsync
// with [1, Promise.resolve(2), 3]
// with new Set([1, 2])
// with (async function* () { yield 1; yield 2 })()
// with { length: 2, 0: Promise.resolve("a"), 1: "b" }
// with [Promise.reject(new RangeError("no"))]
// with null
return await Array.fromAsync($CASE)

// --- fromAsync with a mapper that waits
return Array.fromAsync([1, 2, 3], async (x, i) => { await null; return x * i })

// --- frozen arrays
const a = Object.freeze([1, 2]);
return [attempt(() => a.push(3)), attempt(() => { a[0] = 9 }), attempt(() => a.reverse()), attempt(() => a.toSorted()), attempt(() => { a.length = 0 })]

// --- a frozen array that is in order already
return Object.freeze([1, 2]).sort()

// --- comparing arrays
return [[1] == [1], [1] == 1, [] == false, [[]] == 0, [1, 2] == "1,2", String([]) === "", [2] > 1]

// --- the last index of an empty array
return show([[].at(-1), [].pop(), [].shift(), [].findLast(() => true), Math.max(...[]), [].join("x"), [].flat()])

// --- unscopables and iterator of arrays
return show([Object.keys(Array.prototype[Symbol.unscopables]).includes("flat"), [][Symbol.iterator] === [].values, [].values().next()])

// --- a sparse array sorted by copy
return show([[3, , 1].toSorted(), [3, , 1].sort(), [, ,].length, [1, , ].length])

// --- an iterator that throws while spread
const bad = { *[Symbol.iterator]() { yield 1; throw new EvalError("stop") } };
return [...bad]

// --- spreading what cannot be
return [...{ length: 1 }]
