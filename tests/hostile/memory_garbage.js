// expect: MEMORY_LIMIT MemoryError
// memory: 32
let all = null;
for (;;) { const o = { all }; o.self = o; all = o; }
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const kept = [];
for (;;) { const a = {}, b = { a }; a.b = b; kept.push(() => a); }
// twin
// expect: SUCCESS true
// memory: 32
for (let i = 0; i < 3e5; i++) { const o = { i }; o.self = o; }
return true;
// twin
// expect: SUCCESS true
// memory: 32
for (let i = 0; i < 1e5; i++) { const a = [], b = [a, () => b]; a.push(b); }
return true;
// twin
// expect: SUCCESS true
// memory: 32
for (let i = 0; i < 1e5; i++) { const m = new Map(), s = new Set([m]); m.set(s, m); }
return true;
// twin
// expect: SUCCESS true
// memory: 32
for (let i = 0; i < 5e4; i++) { const p = new Promise((r) => { setTimeout; r; }); p.self = p; p.then(() => p); }
return true;
// twin
// expect: SUCCESS true
// memory: 32
for (let i = 0; i < 5e4; i++) { const g = (function* () { yield g; })(); g.next(); }
return true;
// twin
// expect: SUCCESS true
// memory: 32
for (let i = 0; i < 5e4; i++) { const f = async () => { await new Promise(() => f); }; f(); }
return true;
// twin
// expect: SUCCESS true
// memory: 32
for (let i = 0; i < 300; i++) { new Uint8Array(1e6).fill(1); 'x'.repeat(1e6 + i).split('', 10); }
return true;
// twin
// expect: SUCCESS true
// memory: 32
for (let i = 0; i < 2e5; i++) ({})['name' + i];
return true;
// twin
// expect: SUCCESS true
// memory: 32
for (let i = 0; i < 5e4; i++) try { throw new Error('x' + i); } catch (e) { e.self = e; }
return true;
// twin
// expect: SUCCESS true
// memory: 32
for (let i = 0; i < 3e4; i++) { const w = new WeakMap(), k = {}; w.set(k, [w, k]); }
return true;
// twin
// expect: SUCCESS true
// memory: 32
for (let i = 0; i < 3e4; i++) { class A { static a = A; b = new Proxy({}, { A }); } new A(); }
return true;
// twin
// expect: SUCCESS true
// memory: 32
for (let i = 0; i < 3e4; i++) clearTimeout(setTimeout(() => 0, 1e6, new Array(100)));
return true;
// twin
// expect: SUCCESS true
// memory: 32
for (let i = 0; i < 300; i++) await new Promise((r) => setTimeout(r, 0, new Uint8Array(1e6)));
return true;
// twin
// expect: SUCCESS true
// memory: 32
for (let i = 0; i < 1e6; i++) Symbol.for('name' + i);
return true;
