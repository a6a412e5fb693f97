// expect: SUCCESS true
const uuids = Array.from({ length: 100 }, () => crypto.randomUUID());
const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
return new Set(uuids).size === 100 && uuids.every((u) => form.test(u));
// case
// expect: SUCCESS "QuotaExceededError"
try {
    crypto.getRandomValues(new Uint8Array(65537));
} catch (e) {
    return e.name;
}
// case
// expect: SUCCESS "TypeMismatchError"
try {
    crypto.getRandomValues(new Float64Array(1));
} catch (e) {
    return e.name;
}
// twin
// expect: SUCCESS true
const bytes = crypto.getRandomValues(new Uint8Array(64));
return bytes.some((b) => b !== 0);
