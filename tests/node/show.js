// show.js - helper functions that are put before every snippet.
//
// show(value) is JSON that also shows what JSON loses: undefined, NaN, -0, holes, Map, Set…
// attempt(f) shows the result of f(), or the name of the error that it throws.
const show = (value) => {
    const list = (items) => Array.from(items, show);
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    if (Object.is(value, -0)) return "<-0>";
    if (typeof value === "number") return Number.isFinite(value) ? value : `<${value}>`;
    if (typeof value === "bigint") return `<${value}n>`;
    if (typeof value === "function") return `<function ${value.name}>`;
    if (typeof value !== "object") return `<${String(value)}>`;
    if (Array.isArray(value)) return Array.from(value, (item, i) => (i in value ? show(item) : "<hole>"));
    if (value instanceof Map || value instanceof Set) return { [value.constructor.name]: list(value) };
    if (value instanceof Error) return `<${value.name}>`;
    if (value instanceof Date) return `<Date ${value.getTime()}>`;
    if (value instanceof RegExp) return `<${String(value)}>`;
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return { [value.constructor.name]: list(value) };
    return Object.fromEntries(Reflect.ownKeys(value).map((key) => [String(key), show(value[key])]));
};
const attempt = (f) => {
    try {
        return show(f());
    } catch (error) {
        return `threw ${error.name}`;
    }
};
