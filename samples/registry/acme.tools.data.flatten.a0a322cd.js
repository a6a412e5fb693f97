// Flattens nested JSON to one level: {"a": {"b": [1]}} becomes {"a.b.0": 1}.
const { value, separator = "." } = args;

function* leaves(node, path) {
    const children = node !== null && typeof node === "object" ? Object.entries(node) : [];
    if (children.length === 0) {
        yield [path.join(separator), node]; // an empty object or array is a leaf, too
    }
    for (const [key, child] of children) {
        yield* leaves(child, [...path, key]);
    }
}

const flat = new Map();
for (const [path, leaf] of leaves(value, [])) {
    if (flat.has(path)) {
        throw new Error(`two values have the path "${path}"; choose another "separator"`);
    }
    flat.set(path, leaf);
}

return Object.fromEntries(flat);
