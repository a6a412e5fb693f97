// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const endless = { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }) }) };
new Set(endless);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const endless = { [Symbol.iterator]: () => ({ next: () => ({ value: [1, 1] }) }) };
Object.fromEntries(endless);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const endless = { [Symbol.iterator]: () => ({ next: () => ({ value: [1, 1] }) }) };
new Map(endless);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const endless = Iterator.from({ next: () => ({ value: 1 }) });
endless.every(() => true);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const endless = Iterator.from({ next: () => ({ value: 1 }) });
endless.drop(2 ** 53 - 1).next();
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const endless = Iterator.from({ next: () => ({ value: 1 }) });
endless.filter(() => false).map(String).next();
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const endless = Iterator.from({ next: () => ({ value: [] }) });
endless.flatMap((x) => x).next();
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const keys = { next: () => ({ value: 1 }) };
new Set([1]).isSupersetOf({ size: 1, has: () => true, keys: () => keys });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const keys = { next: () => ({ value: 1 }) };
new Set([1, 2]).union({ size: 1, has: () => true, keys: () => keys });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
function* endless() { for (;;) yield* [[], []]; }
for (const [] of endless());
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
for await (const x of { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }) }) });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
async function* endless() { for (;;) yield 1; }
for await (const x of endless());
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
await Array.fromAsync({ [Symbol.asyncIterator]: () => ({ next: async () => ({ get value() { for (;;); } }) }) });
// twin
// expect: SUCCESS [1,[3],true]
const some = () => [1, 1, 2].values();
return [new Set([1, 1]).size, some().drop(2).map((n) => n + 1).toArray(), some().every(Boolean)];
