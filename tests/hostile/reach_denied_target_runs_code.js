// expect: SUCCESS true
// expect-blocked: any
let times = 0;
const targets = [
    { toString() { times++; throw new Error("mine") } }, { toString: 1, valueOf: 1 }, Symbol("s"), 1n, null, undefined,
    new Proxy({}, { get() { times++; throw new Error("mine") } }), () => 1, [], Object.create(null),
];
const leaked = [];
for (const target of targets) {
    try {
        await Deno.readFile(target);
        leaked.push("it worked");
    } catch (e) {
        if (!(e instanceof Error)) leaked.push(String(e));
    }
    try {
        await fetch(target);
        leaked.push("it worked");
    } catch (e) {
        if (!(e instanceof Error)) leaked.push(String(e));
    }
}
return leaked.length === 0 || leaked;
// twin
// expect: SUCCESS true
// expect-blocked: fetch net evil.example
return (await fetch({ toString: () => "https://evil.example/" }).catch((e) => e)).code === "PERMISSION_DENIED";
