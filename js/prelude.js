// prelude.js - what a capability finds beside the language: mcp, console, performance, self.
//
// It runs once, in the zygote, before any code of a stranger. What it needs of the language it takes
// here and keeps, so that nothing a capability does to a prototype changes what is sent. Handlers
// and tables have no prototype for the same reason. This is manners, not a boundary: the boundary
// is the worker's system call filter.
(function prelude(native) {
    const { tool, log, now } = native;
    const { create, freeze, keys, is, defineProperty } = Object;
    const { isArray } = Array;
    const OwnDate = Date, OwnRegExp = RegExp;
    const stringify = JSON.stringify;
    const uncurry = Function.prototype.bind.bind(Function.prototype.call);
    const toISOString = uncurry(Date.prototype.toISOString);
    const regExpToString = uncurry(RegExp.prototype.toString);
    const slice = uncurry(String.prototype.slice);
    const symbolToString = uncurry(Symbol.prototype.toString);
    const stackOf = uncurry(Object.getOwnPropertyDescriptor(Error.prototype, "stack").get);
    const errorToString = uncurry(Error.prototype.toString);
    const isError = Error.isError;

    const bare = (members) => {
        const object = create(null);
        const names = keys(members);
        for (let i = 0; i < names.length; i++) object[names[i]] = members[names[i]];
        return object;
    };

    // Names that the language itself looks up; answering them would send a call by accident.
    const unsent = bare({ then: 1, toJSON: 1, constructor: 1, prototype: 1 });
    const isUnsent = (key) => typeof key === "symbol" || key === "__proto__" || key in unsent;

    // Where text is wanted of a namespace, its `toString` would be a call.
    const { toPrimitive } = Symbol;
    const asText = () => "[mcp]";

    // An object whose every property is made on first use, and then kept.
    const lazily = (make) => {
        const made = create(null);
        return new Proxy(freeze(create(null)), bare({
            get(target, key) {
                if (key === toPrimitive) return asText;
                if (isUnsent(key)) return undefined;
                return key in made ? made[key] : (made[key] = make(key));
            },
        }));
    };

    const mcp = lazily((namespace) => lazily((action) => tool(namespace, action)));

    // --- console: values as a person wants to read them, cut before they can flood -------------
    const maxDepth = 4, maxItems = 100, maxText = 10000;

    const quoted = (text) => stringify(text.length > maxText ? slice(text, 0, maxText) + "…" : text);

    const inspectObject = (value, depth, above) => {
        for (let a = above; a; a = a.above) if (a.value === value) return "[Circular]";
        if (isError(value)) {
            const stack = stackOf(value);
            return errorToString(value) + (stack ? "\n" + stack : "");
        }
        if (typeof value === "function") return `[Function: ${value.name || "(anonymous)"}]`;
        if (value instanceof OwnDate) return toISOString(value);
        if (value instanceof OwnRegExp) return regExpToString(value);
        const list = isArray(value);
        if (depth > maxDepth) return list ? "[Array]" : "[Object]";
        const here = { __proto__: null, value, above };
        const names = list ? value : keys(value);
        let text = "";
        for (let i = 0; i < names.length; i++) {
            if (i === maxItems || text.length > maxText) {
                text += `, … ${names.length - i} more`;
                break;
            }
            const item = inspect(list ? value[i] : value[names[i]], depth + 1, here);
            text += (i ? ", " : "") + (list ? item : `${names[i]}: ${item}`);
        }
        return list ? `[${text}]` : text ? `{ ${text} }` : "{}";
    };

    const inspect = (value, depth, above) => {
        switch (typeof value) {
            case "string": return quoted(value);
            case "symbol": return symbolToString(value);
            case "bigint": return `${value}n`;
            case "object":
            case "function": return value === null ? "null" : inspectObject(value, depth, above);
            default: return is(value, -0) ? "-0" : `${value}`;
        }
    };

    let indent = "";
    const line = (values) => {
        let text = indent;
        for (let i = 0; i < values.length; i++) {
            let item = values[i];
            if (typeof item !== "string") {
                try {
                    item = inspect(item, 0, null);
                } catch {
                    item = "[unreadable]"; // a getter or a proxy threw
                }
            }
            text += (i ? " " : "") + item;
        }
        log(text);
    };

    const counts = create(null), times = create(null);
    const label = (given) => (given === undefined ? "default" : `${given}`);
    const print = (...values) => line(values);
    const since = (name) => (name in times ? `${name}: ${now() - times[name]} ms` : `${name}: no such timer`);
    const after = (first, values) => {
        const all = [first];
        for (let i = 0; i < values.length; i++) all[i + 1] = values[i];
        return all;
    };
    const console = {
        log: print, info: print, warn: print, error: print, debug: print, trace: print,
        dir: (value) => line([value]),
        table: (value) => line([value]),
        assert: (condition, ...values) => { if (!condition) line(after("Assertion failed", values)); },
        count: (given) => {
            const name = label(given);
            counts[name] = (counts[name] || 0) + 1;
            line([`${name}: ${counts[name]}`]);
        },
        countReset: (given) => { counts[label(given)] = 0; },
        time: (given) => { times[label(given)] = now(); },
        timeLog: (given, ...values) => line(after(since(label(given)), values)),
        timeEnd: (given) => { line([since(label(given))]); delete times[label(given)]; },
        group: (...values) => { if (values.length) line(values); if (indent.length < 40) indent += "  "; },
        groupEnd: () => { indent = slice(indent, 2); },
    };

    const globals = { console, self: globalThis, performance: freeze({ now }) };
    const names = keys(globals);
    for (let i = 0; i < names.length; i++) {
        defineProperty(globalThis, names[i],
            { __proto__: null, value: globals[names[i]], writable: true, enumerable: false, configurable: true });
    }
    return mcp;
});
