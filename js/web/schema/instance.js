// instance.js - nodes with the values of the args and their positions, as the package's keywords expect.
const typeName = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

const child = (parent, key) => {
    const value = parent.value[key];
    return { value, type: typeName(value), parent, key };
};

// For schemas of property names: the name as a value, at the position of its object.
const nameOf = (parent, key) => ({ value: key, type: "string", parent, key: undefined });

export const root = (value) => ({ value, type: typeName(value), parent: undefined, key: undefined });
export const value = (node) => node.value;
export const typeOf = (node) => node.type;
export const has = (key, node) => Object.hasOwn(node.value, key);
export const length = (node) => (node.type === "array" ? node.value.length : undefined);

const keysOf = (node) => (node.type === "object" ? Object.keys(node.value) : []);

export function* iter(node) {
    if (node.type === "array") for (let i = 0; i < node.value.length; i++) yield child(node, i);
}

export function* keys(node) {
    for (const key of keysOf(node)) yield nameOf(node, key);
}

export function* entries(node) {
    for (const key of keysOf(node)) yield [nameOf(node, key), child(node, key)];
}

export const escapeKey = (key) => `${key}`.replaceAll("~", "~0").replaceAll("/", "~1");

// Returns the JSON Pointer of a node; "" for the args themselves.
export const pointer = (node) => {
    let path = "";
    for (; node.parent; node = node.parent)
        if (node.key !== undefined) path = `/${escapeKey(node.key)}${path}`;
    return path;
};
