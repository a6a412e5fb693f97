// expect: SUCCESS true
// expect-blocked: Deno.readFile read -
// expect-blocked: fetch net -
// expect-blocked: Deno.readFile read -
// expect-blocked: fetch net -
// expect-blocked: Deno.readFile read -
// expect-blocked: fetch net -
// expect-blocked: Deno.readFile read 1
// expect-blocked: fetch net 1
// expect-blocked: Deno.readFile read -
// expect-blocked: fetch net -
// expect-blocked: Deno.readFile read -
// expect-blocked: fetch net -
// expect-blocked: Deno.readFile read -
// expect-blocked: fetch net -
// expect-blocked: Deno.readFile read () => 1
// expect-blocked: fetch net () => 1
// expect-blocked: Deno.readFile read -
// expect-blocked: fetch net -
// expect-blocked: Deno.readFile read -
// expect-blocked: fetch net -
const targets = [
    { toString() { throw new Error("mine") } }, { toString: 1, valueOf: 1 }, Symbol("s"), 1n, null, undefined,
    new Proxy({}, { get() { throw new Error("mine") } }), () => 1, [], Object.create(null),
];
const leaked = [];
for (const target of targets) {
    try {
        await Deno.readFile(target);
        leaked.push("it worked");
    } catch (e) {
        if (e.code !== "PERMISSION_DENIED") leaked.push(String(e));
    }
    try {
        await fetch(target);
        leaked.push("it worked");
    } catch (e) {
        if (e.code !== "PERMISSION_DENIED") leaked.push(String(e));
    }
}
return leaked.length === 0 || leaked;
// twin
// expect: SUCCESS true
// expect-blocked: fetch net evil.example
return (await fetch({ toString: () => "https://evil.example/" }).catch((e) => e)).code === "PERMISSION_DENIED";
