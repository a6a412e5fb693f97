// expect: SUCCESS [[0,1,2,3,4,5,6,7],"the test refuses","TypeError",3000]
const all = await Promise.all(Array.from({length: 8}, (_, n) => mcp.echo.it({n, nested: {list: [n, "text", null]}}))), fails = [];
for (const bad of [() => mcp.fail.it(), () => mcp["not a name"].it()]) await bad().catch((e) => fails.push(e));
const long = await mcp.echo["long.answer"]({text: "x€".repeat(1500)});
return [all.map((a) => a.n), fails[0].message, fails[1].name, long.text.length];
