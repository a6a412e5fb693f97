// expect: MEMORY_LIMIT MemoryError
// memory: 32
let b = 1n;
for (const kept = []; ;) { kept.push(b <<= 9999n); if (b > 1n << 900000n) b = 1n; }
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const kept = [];
for (let i = 1n; ; i++) kept.push(i << 50000n);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
for (const kept = []; ;) kept.push((3n ** 20000n).toString(2));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
new ArrayBuffer(33 * 1024 * 1024);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
new Uint8Array(2 ** 31 - 1);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
new Float64Array(Array(1e7).fill(1));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
new BigUint64Array(5e6);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
for (const kept = []; ;) kept.push(new ArrayBuffer(0));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
for (const kept = []; ;) kept.push(new Uint8Array(100));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const b = new ArrayBuffer(1000);
for (const kept = []; ;) kept.push(new DataView(b), new Int8Array(b, 8));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const a = new Uint8Array(15e6);
a.slice().map((x) => x); a.toReversed().toSorted(); a.with(0, 1);
for (const kept = []; ;) kept.push(a.slice());
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
new TextEncoder().encode('€'.repeat(11e6));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
let n = 16;
for (const kept = []; ; n = n % 60000 + 997) { kept.push(new Uint8Array(n).fill(1)); if (kept.length % 2) kept[kept.length >> 1] = null; }
// twin
// expect: SUCCESS [25000000,10,"1024"]
return [new Uint8Array(25e6).fill(1).length, Array.from({ length: 10 }, () => new ArrayBuffer(1e6)).length, (2n ** 10n).toString()];
