// expect: MEMORY_LIMIT MemoryError
// memory: 32
for (let i = 0; ; i++) setTimeout(() => i, 1e6);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const text = 'x'.repeat(1000);
for (let i = 0; ; i++) setTimeout(() => 0, 1e6, text + i);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
for (;;) setInterval(() => 0, 1e6);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
for (const kept = []; ;) kept.push(new Promise(() => 0));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const p = new Promise(() => 0);
for (;;) p.then(() => 0);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const p = Promise.resolve();
for (;;) p.finally(() => 0);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
for (const kept = []; ;) kept.push(Promise.all(kept.slice(-10)));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
async function wait() { await new Promise(() => 0); }
for (const kept = []; ;) kept.push(wait());
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
function* g() { const a = new Array(100).fill(0); yield a; }
for (const kept = []; ;) { const i = g(); i.next(); kept.push(i); }
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
async function* g() { yield 1; }
const i = g();
for (;;) i.next();
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
for (let i = 0; ; i++) queueMicrotask(() => i);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
let p = Promise.reject(1);
for (;;) p = p.catch(() => p);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
// expect-call-count: any
for (;;) mcp.never.it({ a: 'x'.repeat(1e5) }).catch(() => 0);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
// expect-call-count: any
const m = [];
for (let i = 0; ; i++) m.push(mcp['n' + i].a);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
for (let i = 0, kept = []; ; i++) kept.push(() => i, async () => i, function* () { yield i; }, class { m() { return i; } });
// twin
// expect: SUCCESS [300,2,"x"]
let fired = 0;
for (let i = 0; i < 300; i++) setTimeout(() => fired++, 0);
const p = await Promise.all([1, 2]);
await new Promise((r) => setTimeout(r, 5));
return [fired, p.length, await Promise.reject('x').catch((e) => e)];
// twin
// expect: SUCCESS 1
// memory: 32
for (let i = 0; i < 20000; i++) {
    console.count("count" + i);
    console.time("timer".repeat(1000) + i);
    console.group("x".repeat(1000));
}
return 1;
