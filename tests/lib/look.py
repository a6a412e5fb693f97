"""look.py - code that lists everything it can reach, to find what something else has left behind."""

LOOK = """
const seen = [];
const look = (object, path, depth) => {
    if (depth > 3 || (typeof object !== "object" && typeof object !== "function") || object === null) return;
    for (const key of Reflect.ownKeys(object)) {
        const { value, get } = Object.getOwnPropertyDescriptor(object, key);
        const name = `${path}.${String(key)}`;
        seen.push(`${name} ${typeof value} ${typeof get}`);
        if (value !== globalThis && key !== "constructor") look(value, name, depth + 1);
    }
};
look(globalThis, "", 0);
return [seen.join("\\n"), Object.keys(args).join(), /a/.test("a"), new Error("x").stack, Error.stackTraceLimit];
"""
