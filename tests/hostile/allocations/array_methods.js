// expect: SUCCESS [500,"0,1,2",124750,[1,2,3,[4]],3,"c",[[0,1],[1,2]],true]
const a = Array.from({length: 500}, (_, i) => i);
const big = a.concat(a, a.map((n) => [n, {n}])).filter(Boolean).flatMap((x) => x).toSorted((x, y) => (x < y ? -1 : 1));
const grouped = Object.groupBy(a, (n) => "g" + n % 100);
a.splice(100, 0, ...a.slice(0, 50));
a.copyWithin(0, 50, 100); a.fill(7, 3, 9); a.reverse(); a.sort((x, y) => x - y); a.toSpliced(1, 2, "x");
const b = Array.from({length: 500}, (_, i) => i);
b.unshift(-1); b.shift(); b.with(0, 1);
return [b.length, b.slice(0, 3).join(), b.reduce((s, n) => s + n, 0), [1, [2, [3, [4]]]].flat(2),
        "abc".length, ["a", "b", "c"].at(-1), [...b.slice(1, 3).entries()].map(([i, n]) => [i, n]), big.length > 1000 && Object.keys(grouped).length === 100];
