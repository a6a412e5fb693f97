// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
console.log({ get [Symbol.toStringTag]() { for (;;); } }); for (;;);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
console.log('%s', { toString() { for (;;); } }); for (;;);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
console.log(new Proxy({}, { ownKeys() { for (;;); }, get() { for (;;); }, getPrototypeOf() { for (;;); } })); for (;;);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
console.table(new Proxy([], { get() { for (;;); }, ownKeys() { for (;;); } })); for (;;);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
console.table({ [Symbol.iterator]() { for (;;); }, get a() { for (;;); } }); for (;;);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
class E extends Error { get stack() { for (;;); } get name() { for (;;); } get message() { for (;;); } }
console.error(new E()); for (;;);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
console.count({ toString() { for (;;); } }); for (;;);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
console.log(new (class extends Map { [Symbol.iterator]() { for (;;); } entries() { for (;;); } })([[1, 2]])); for (;;);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
throw { get message() { for (;;); }, get stack() { for (;;); }, toString() { for (;;); } }, new (class extends Error { toString() { for (;;); } get cause() { for (;;); } get name() { for (;;); } })();
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
structuredClone({ get a() { for (;;); } });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
structuredClone(new Proxy([1], { get() { for (;;); } })); for (;;);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
setTimeout(() => 0, { valueOf() { for (;;); } });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
new URL({ toString() { for (;;); } });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
new URLSearchParams({ [Symbol.iterator]: () => ({ next: () => ({ value: ['a', { toString() { for (;;); } }] }) }) });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
new TextDecoder({ toString() { for (;;); } });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
new TextEncoder().encode({ toString() { for (;;); } });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
atob({ toString() { for (;;); } });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const c = new AbortController();
c.signal.addEventListener('abort', () => { for (;;); });
c.abort();
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
[2, 1].sort(() => { for (;;); });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
[2, 1].toSorted(() => { for (;;); });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
new Float64Array(5).sort(() => { for (;;); });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
JSON.parse('[1]', () => { for (;;); });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
JSON.stringify({ a: 1 }, () => { for (;;); });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
'x'.replace('x', () => { for (;;); });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
({}) instanceof { [Symbol.hasInstance]() { for (;;); } };
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
`${{ [Symbol.toPrimitive]() { for (;;); } }}`;
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
// expect-call-count: any
await mcp[{ toString() { for (;;); } }].a();
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
// expect-call-count: any
await mcp.echo.it(new Proxy({}, { ownKeys() { for (;;); } }));
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
// expect-call-count: any
await mcp.echo.it([{ a: [{ toJSON() { for (;;); } }] }]);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
return [1, { a: new Proxy([], { get() { for (;;); } }) }];
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
return { then(resolve) { for (;;); } };
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
return { get then() { for (;;); } };
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
(async (x) => String(x))({ toString() { for (;;); } }).catch(() => 0); for (;;);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
export default { get then() { for (;;); } };
for (;;);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
await 0;
export default () => { for (;;); };
// twin
// expect: SUCCESS ["{}",[1,2],"http://h.example/",1]
// expect-call: echo:it {"a":1}
const a = await mcp.echo.it({ get a() { for (let i = 0; i < 1000; i++); return 1; } });
console.log('%s', { toString: () => 'text' });
return [JSON.stringify(structuredClone({})), [2, 1].sort((x, y) => x - y), new URL({ toString: () => 'http://h.example' }).href, a.a];
