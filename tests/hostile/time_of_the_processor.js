// expect: CPU_TIMEOUT TimeoutError
// cpu: 80
for (;;);
// case
// expect: CPU_TIMEOUT TimeoutError
// cpu: 80
[].reverse.call({ length: 2 ** 53 - 1 });
// case
// expect: CPU_TIMEOUT TimeoutError
// cpu: 80
/^(?=(a+)+$)(a|a)*b/.test('a'.repeat(60));
// case
// expect: CPU_TIMEOUT TimeoutError
// cpu: 80
for (;;) try { for (;;); } catch {} finally { continue; }
// case
// expect: CPU_TIMEOUT TimeoutError
// cpu: 80
for (;;) new Promise(() => { for (;;); });
// case
// expect: CPU_TIMEOUT TimeoutError
// cpu: 80
const f = () => Promise.resolve().then(f);
await f();
// case
// expect: CPU_TIMEOUT TimeoutError
// cpu: 80
return { toJSON() { for (;;); } };
// case
// expect: CPU_TIMEOUT TimeoutError
// cpu: 80
setInterval(() => { for (let i = 0; i < 1e5; i++); }, 1);
await new Promise(() => 0);
// case
// expect: CPU_TIMEOUT TimeoutError
// cpu: 80
const a = [];
for (;;) { a.length = 0; for (let i = 0; i < 1000; i++) a.push({ i }); }
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
// cpu: 100
for (;;);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
// cpu: 60
await new Promise((r) => setTimeout(r, 5000));
// twin
// expect: SUCCESS 1
// cpu: 200
await new Promise((r) => setTimeout(r, 300));
return 1;
// twin
// expect: SUCCESS "x"
// cpu: 200
// expect-call: echo:it {"x":"x"}
return (await mcp.echo.it({ x: 'x' })).x;
