// expect: SUCCESS [190,"0,1,2,3","closed","thrown",3]
async function* count(n) { try { for (let i = 0; i < n; i++) yield i; } finally { await null; } }
let sum = 0, closed = "open", thrown;
for await (const n of count(20)) sum += n;
const sync = {*[Symbol.iterator]() { try { yield* [0, 1, Promise.resolve(2), 3]; } finally { closed = "closed"; } }};
const seen = [];
for await (const n of sync) seen.push(n);
try { for await (const _ of count(5)) throw "thrown"; } catch (e) { thrown = e; }
const slow = Array.from({length: 50}, (_, i) => count(i).next());
await Promise.all(slow);
return [sum, seen.join(), closed, thrown, (await Array.fromAsync(count(3))).length];
