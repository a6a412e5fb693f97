// walk.js - lists everything that code in the sandbox can reach, for tests/golden/globals.txt.
//
// It starts at globalThis, mcp, args and values that only syntax or a call makes, and follows own
// properties, getters, setters and prototypes. An object is described once, under the shortest path
// that leads to it; every other path to it is a line with "=". Returns {lines, faults}.

// --- where to start; golden.t puts import.meta here for a run as a module ------------------------

const fromModule = {};

const strictArguments = (function () { return arguments })(1);
const tag = (strings) => strings;
const plain = class { static s() {} m() {} };
const bySyntax = {
    arrow: () => 1,
    function: function () {},
    async: async () => 1,
    generator: function* () {},
    asyncGenerator: async function* () {},
    method: { m() {} }.m,
    getter: Object.getOwnPropertyDescriptor({ get g() { return 1 } }, "g").get,
    class: plain,
    subclass: class extends plain {},
    instance: new plain(),
    bound: function () {}.bind(null),
    arguments: strictArguments,
    thrower: Object.getOwnPropertyDescriptor(strictArguments, "callee").get,
    match: /(?<a>x)/d.exec("x"),
    template: tag`a${1}b`,
    regexp: /x/,
    array: [],
    object: {},
    promise: Promise.resolve(),
    resolvers: Promise.withResolvers(),
    revocable: Proxy.revocable({}, {}),
    settled: (await Promise.allSettled([1]))[0],
    boxed: [Object(1), Object(""), Object(true), Object(1n), Object(Symbol.iterator)],
    error: new Error("x"),
    aggregate: new AggregateError([], "x", { cause: 1 }),
    fromEngine: (() => { try { null.x } catch (e) { return e } })(),
    fromName: await mcp["/"].x().catch((e) => e),
    fromCall: await mcp.fail.x().catch((e) => e),
    denied: (() => { try { return eval("1") } catch (e) { return e } })(),
    generatorObject: (function* () {})(),
    asyncGeneratorObject: (async function* () {})(),
    arrayIterator: [].values(),
    mapIterator: new Map().entries(),
    setIterator: new Set().values(),
    stringIterator: ""[Symbol.iterator](),
    matchIterator: "".matchAll(/x/g),
    helper: [].values().map((x) => x),
    wrapped: Iterator.from({ next() {} }),
    concat: Iterator.concat([]),
    step: [].values().next(),
    date: new Date(0),
    bytes: new Uint8Array(1),
    view: new DataView(new ArrayBuffer(1)),
    weak: [new WeakMap(), new WeakSet()],
    raw: JSON.rawJSON("1"),
    grouped: [Object.groupBy([1], () => "k"), Map.groupBy([1], () => "k")],
    timer: setTimeout(() => 0, 0),
};

// Web APIs, each only if it exists: a missing one gives a missing line, not a failed walk.
const webApis = {
    url: () => new URL("https://a.example/?b=c"),
    params: () => new URLSearchParams("a=b"),
    paramsIterator: () => new URLSearchParams("a=b").entries(),
    encoder: () => new TextEncoder(),
    encoded: () => new TextEncoder().encode("x"),
    encodedInto: () => new TextEncoder().encodeInto("x", new Uint8Array(1)),
    decoder: () => new TextDecoder(),
    abort: () => new AbortController(),
    signal: () => new AbortController().signal,
    aborted: () => AbortSignal.abort().reason,
    clone: () => structuredClone({ a: [1], b: new Map(), c: new Error("x") }),
    cloneError: () => structuredClone(() => 0),
    badText: () => atob("*"),
    random: () => crypto.getRandomValues(new Uint8Array(1)),
};

const madeBy = (make) => {
    try {
        return make();
    } catch (e) {
        return e;
    }
};

// --- the walk ------------------------------------------------------------------------------------

const paths = new Map(); // object -> its path
const queue = [], later = []; // objects whose properties, and whose prototype, must still be followed
const followed = new Set();
const unowned = new Set(); // paths that no property's line describes
const lines = [];
const denied = new Set(); // also lines; a set, since each access adds the same line
const faults = [];
const isObject = (v) => (typeof v === "object" && v !== null) || typeof v === "function";

const nameOf = (key) => (typeof key === "symbol" ? `[${key.description}]` : key);
const join = (path, key) => (path === "globalThis" ? nameOf(key) : `${path}.${nameOf(key)}`);

const visit = (value, path) => {
    if (!isObject(value) || paths.has(value)) return;
    paths.set(value, path);
    queue.push(value);
};

const careful = (what, path, act) => {
    try {
        return act();
    } catch (e) {
        if (e?.code === "PERMISSION_DENIED") denied.add(`${path}: ${what} is denied`);
        else faults.push(`${path}: ${what}: ${e}`);
    }
};

// The keys in sorted order, so that the engine's order is not part of the list.
const keysOf = (object, path) =>
    (careful("ownKeys", path, () => Reflect.ownKeys(object)) ?? [])
        .map((key) => [nameOf(key), key]).sort((a, b) => (a[0] < b[0] ? -1 : 1)).map((pair) => pair[1]);

const descriptor = (object, key, path) =>
    careful("getOwnPropertyDescriptor", path, () => Reflect.getOwnPropertyDescriptor(object, key));

const prototypeOf = (object, path) =>
    careful("getPrototypeOf", path, () => Reflect.getPrototypeOf(object));

const follow = (object) => {
    const path = paths.get(object);
    for (const key of keysOf(object, path)) {
        const d = descriptor(object, key, path);
        const to = join(path, key);
        if (!d) continue;
        visit(d.value, to);
        visit(d.get, `get ${to}`);
        visit(d.set, `set ${to}`);
    }
};

// An object that is a constructor's `prototype` gets that name, so prototypes are followed last.
const start = (value, path) => {
    if (value !== globalThis) unowned.add(path);
    visit(value, path);
    for (let object; (object = queue.shift() ?? later.shift());) {
        if (followed.has(object)) {
            const path = paths.get(object), to = `${path}.__proto__`;
            unowned.add(to);
            visit(prototypeOf(object, path), to);
        } else {
            followed.add(object);
            follow(object);
            later.push(object);
        }
    }
};

// --- the lines -----------------------------------------------------------------------------------

const kindOf = (value) => (value === null ? "null" : typeof value);

const describe = (value, path) => {
    if (!isObject(value)) return kindOf(value);
    if (paths.get(value) !== path) return `= ${paths.get(value)}`;
    const above = prototypeOf(value, path);
    const length = typeof value === "function" ? `, length ${descriptor(value, "length", path)?.value}` : "";
    return `${kindOf(value)}${length}, prototype ${above ? paths.get(above) : "null"}` +
        (Object.isExtensible(value) ? "" : ", not extensible");
};

const flagsOf = (d) =>
    ("value" in d ? (d.writable ? "w" : "-") : "") + (d.enumerable ? "e" : "-") + (d.configurable ? "c" : "-");

const describeProperty = (path, d) => {
    if ("value" in d) return lines.push(`${path}: ${flagsOf(d)} ${describe(d.value, path)}`);
    lines.push(`${path}: ${flagsOf(d)} accessor`);
    if (d.get) lines.push(`get ${path}: ${describe(d.get, `get ${path}`)}`);
    if (d.set) lines.push(`set ${path}: ${describe(d.set, `set ${path}`)}`);
};

// Skips a function's `length` and `name`: its line has the length, and its path is mostly the name.
const isUsual = (object, key, d) =>
    typeof object === "function" && (key === "length" || key === "name") && flagsOf(d) === "--c" && !isObject(d.value);

const describeObject = (object, path) => {
    if (unowned.has(path)) lines.push(`${path}: ${describe(object, path)}`);
    for (const key of keysOf(object, path)) {
        const d = descriptor(object, key, path);
        if (d && !isUsual(object, key, d)) describeProperty(join(path, key), d);
    }
};

// Accesses globals that are created on first access.
for (const key of Reflect.ownKeys(globalThis)) careful("get", nameOf(key), () => globalThis[key]);

const roots = { globalThis, mcp, args, "mcp.ns": mcp.ns, "mcp.ns.action": mcp.ns.action,
    "mcp.ns.action.raw": mcp.ns.action.raw, ...fromModule };
for (const name of Object.keys(roots)) start(roots[name], name);
for (const name of Object.keys(bySyntax)) start(bySyntax[name], `value ${name}`);
for (const name of Object.keys(webApis)) start(madeBy(webApis[name]), `value ${name}`);
for (const [object, path] of paths) describeObject(object, path);

return { lines: [...lines, ...denied].sort(), faults };
