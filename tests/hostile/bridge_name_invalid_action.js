// expect: SUCCESS []
const names = ["", " ", "a b", "a:b", "ä", "a\n", "a\0", "x".repeat(129), "\udfff", "a\\b", "a\u202e", "😀", "a%", "a,b", "a\t"];
const wrong = [];
for (const name of names) {
    let promise;
    try {
        promise = mcp.echo[name]({ a: 1 });
    } catch (e) {
        wrong.push(["thrown", name]);
        continue;
    }
    const e = await promise.then(() => "sent", (e) => e);
    if (!(e instanceof TypeError) || e.code !== undefined) wrong.push([name, String(e)]);
}
return wrong;
// twin
// expect: SUCCESS [{},{}]
// expect-call: echo:../a.b/c_d-E {}
// expect-call: echo:. {}
return [await mcp.echo["../a.b/c_d-E"](), await mcp.echo["."]()];
