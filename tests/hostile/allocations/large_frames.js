// expect: SUCCESS [100000,100000,"wide",2]
// expect-log: xxx
const text = "x".repeat(100000), wide = "€".repeat(50000), lists = [];
for (let i = 0; i < 3; i++) { console.log(text.slice(0, 50000 + i)); console.error({text, list: [wide.slice(0, i * 100)]}); }
const got = await Promise.all([mcp.echo.it({text}), mcp.echo.it({wide, deep: [[[{text}]]]}), mcp.fail.it({text}).catch((e) => e)]);
for (let i = 0; i < 30; i++) lists.push(mcp.echo.it({i, text: "y".repeat(i * 100)}));
await Promise.all(lists);
await new Promise((resolve) => setTimeout(resolve, 1, wide));
return [got[0].text.length, got[1].deep[0][0][0].text.length, got[1].wide === wide ? "wide" : "", got[2] instanceof Error ? 2 : 0];
