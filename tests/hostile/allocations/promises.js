// expect: SUCCESS [100,["fulfilled","rejected"],"first","AggregateError","tried",["executed","caught",1],50]
const wait = (n) => new Promise((resolve) => setTimeout(resolve, n % 3, n));
const all = await Promise.all(Array.from({length: 100}, (_, n) => wait(n)));
const settled = await Promise.allSettled([wait(1), Promise.reject(new Error("x"))]);
const race = await Promise.race([Promise.resolve("first"), wait(5)]);
const any = await Promise.any([Promise.reject(1)]).catch((e) => e.name);
const {promise, resolve} = Promise.withResolvers(); queueMicrotask(() => resolve("executed"));
let chain = Promise.resolve(0);
for (let i = 0; i < 50; i++) chain = chain.then((n) => n + 1).finally(() => null);
const thenable = {then(ok) { ok(1); }};
return [all.length, settled.map((s) => s.status), race, any, await Promise.try(() => "tried"),
        [await promise, await Promise.reject().catch(() => "caught"), await thenable], await chain];
