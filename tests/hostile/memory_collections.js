// expect: MEMORY_LIMIT MemoryError
// memory: 32
let a = [1];
for (;;) a.push(...a.slice(0, 10000), ...a.slice(0, 10000));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const a = [];
for (let i = 0; ; i++) a[i * 1000] = i;
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const a = [];
for (let i = 0; ; i++) a.push([,,,,,,,,,]);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const o = {};
for (let i = 0; ; i++) o['name' + i] = 0;
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
for (let i = 0, kept = []; ; i++) kept.push(Symbol.for('name' + i));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
for (let i = 0, a = []; ; i++) a.push(Symbol('name' + i));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
Array.from({ length: 2 ** 31 });
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
new Array(2 ** 32 - 1).fill();
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
Array.from({ length: 1e7 }, () => []);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const m = new Map();
for (let i = 0; ; i++) m.set({}, m);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const s = new Set();
for (let i = 0; ; i++) s.add(i + 0.5);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const w = new WeakMap(), k = [];
for (;;) { k.push({}); w.set(k.at(-1), new Array(10)); }
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
Map.groupBy({ [Symbol.iterator]: () => ({ next: () => ({ value: {} }) }) }, (x) => x);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
[...{ [Symbol.iterator]: () => ({ next: () => ({ value: 1 }) }) }];
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const [...rest] = { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }) }) };
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
Iterator.from({ next: () => ({ value: 1 }) }).toArray();
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
let o = {};
for (;;) o = Object.create(o);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
let o = {};
for (;;) o = new Proxy(o, {});
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
let f = () => 0;
for (;;) f = f.bind(null, 1);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
let a = [];
for (;;) a = [a, a];
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const a = Array.from({ length: 1e5 }, (_, i) => ({ i }));
for (const kept = []; ;) kept.push(structuredClone(a));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
for (const kept = []; ;) kept.push(new Error('x', { cause: kept }));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
for (const kept = []; ;) kept.push(/(?<name>a)|b/d.exec('a'));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
for (let i = 0, kept = []; ; i++) kept.push(new RegExp('a{' + i % 1000 + '}[^\\p{L}]', 'u'));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const a = Array.from({ length: 3e5 }, (_, i) => 'k' + i);
a.sort(() => a.push(...a.slice(0, 1e5)));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
Object.groupBy(Array(1e6).fill(0), (_, i) => 'k' + i);
// twin
// expect: SUCCESS [100000,1000,true]
const a = [];
for (let i = 0; i < 1e5; i++) a.push(i);
const o = {};
for (let i = 0; i < 1000; i++) o['name' + i] = Symbol.for('name' + i);
return [a.length, Object.keys(o).length, structuredClone(a).length === 1e5];
