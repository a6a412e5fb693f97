// Lists what changed between two JSON values, each change with its JSON pointer.
const isObject = (value) => value !== null && typeof value === "object";
const escaped = (key) => key.replaceAll("~", "~0").replaceAll("/", "~1");

function* changes(before, after, path = "") {
    const alike = isObject(before) && isObject(after) && Array.isArray(before) === Array.isArray(after);
    if (!alike) {
        if (before !== after) {
            yield { path, change: "changed", before, after };
        }
        return;
    }
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
        const child = `${path}/${escaped(key)}`;
        if (!Object.hasOwn(after, key)) {
            yield { path: child, change: "removed", before: before[key] };
        } else if (!Object.hasOwn(before, key)) {
            yield { path: child, change: "added", after: after[key] };
        } else {
            yield* changes(before[key], after[key], child);
        }
    }
}

const found = [...changes(args.before, args.after)];

return { equal: found.length === 0, changes: found };
