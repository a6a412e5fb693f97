// expect: SUCCESS []
// expect-blocked: Function eval -
// expect-blocked: AsyncFunction eval -
// expect-blocked: GeneratorFunction eval -
// expect-blocked: AsyncGeneratorFunction eval -
// expect-log: Function … Requires eval access
const kinds = [function () {}, async () => {}, function* () {}, async function* () {}];
const leaked = [];
for (const kind of kinds) {
    const C = kind.constructor;
    try {
        const made = new (class extends C { constructor() { super("return 1") } })();
        leaked.push(`${C.name} made ${typeof made}`);
    } catch (e) {
        if (e.code !== "PERMISSION_DENIED" || !e.message.startsWith("Requires eval access")) leaked.push(String(e));
    }
}
return leaked;
// twin
// expect: SUCCESS 2
return new (class extends Array { constructor() { super(1, 2) } })().length;
