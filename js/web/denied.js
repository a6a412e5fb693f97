// denied.js - denies the APIs of Deno, Node, Bun and browsers that are not available in the sandbox.
//
// Each attempt gets an error that names what to use instead, thrown or rejected like the real API,
// and the natives `deny` and `refuse` report it to the host. Reading a property, `typeof`, or storing
// a function in a variable is not an attempt. Calling, constructing, converting, iterating or writing
// is one; so is any access to environment variables.
//
// This module is loaded when one of these globals is first used.
const { deny, refuse, isDenied, proxy } = native;
const bare = (members) => ({ __proto__: null, ...members });

const tool = "use mcp.<server>.<tool>()";
const instead = bare({
    read: tool, write: tool, net: tool, run: tool, ffi: tool, sys: tool,
    import: tool + ", or put the code into the capability",
    env: "use args: what the code needs has to be passed to it",
});

// --- the target of an attempt ------------------------------------------------------------

// Untrusted getters and toString may throw; the attempt must be reported anyway.
const safely = (look) => {
    try {
        return look();
    } catch {
        return undefined;
    }
};
const textOf = (value) => {
    if (typeof value === "string") return value;
    if (value === undefined || value === null) return undefined;
    return safely(() => `${value}`);
};
const hostOf = (url) => {
    const isRequest = safely(() => typeof url === "object" && url !== null && "url" in url);
    const text = textOf(isRequest ? safely(() => url.url) : url);
    return safely(() => native.load("url").hostOf(text)) || text;
};
const addressOf = (options, otherwise) => textOf(options?.hostname ?? options?.path ?? otherwise);
const programOf = (given) => textOf(given?.cmd?.[0] ?? (typeof given === "object" ? given?.[0] : given));

// --- tables: for each API the access it needs, how it fails, and its target -----------------

const first = (args) => textOf(args[0]);
const read = { access: "read", fail: deny, target: first };
const readLater = { ...read, fail: refuse };
const write = { access: "write", fail: deny, target: first };
const writeLater = { ...write, fail: refuse };
const listen = {
    access: "net", fail: deny,
    target: (args) => addressOf(typeof args[0] === "function" ? args[1] : args[0], "0.0.0.0"),
};
const connect = { access: "net", fail: refuse, target: (args) => addressOf(args[0], "127.0.0.1") };
const lookUp = { access: "net", fail: refuse, target: first };
const run = { access: "run", fail: deny, target: (args) => programOf(args[0]) };
const writeSecond = { access: "write", fail: deny, target: (args) => textOf(args[1]) };
const writeSecondLater = { ...writeSecond, fail: refuse };
const ffi = { access: "ffi", fail: deny, target: first };

const deno = {
    __proto__: null,
    readFile: readLater, readTextFile: readLater, readLink: readLater, realPath: readLater,
    stat: readLater, lstat: readLater,
    watchFs: read, readFileSync: read, readTextFileSync: read, readLinkSync: read,
    realPathSync: read, statSync: read, lstatSync: read, readDirSync: read,
    writeFile: writeLater, writeTextFile: writeLater, remove: writeLater, mkdir: writeLater,
    rename: writeLater, create: writeLater, truncate: writeLater, chmod: writeLater,
    chown: writeLater, utime: writeLater, symlink: writeSecondLater, link: writeSecondLater,
    copyFile: writeSecondLater, makeTempDir: writeLater, makeTempFile: writeLater,
    writeFileSync: write, writeTextFileSync: write, removeSync: write, mkdirSync: write,
    renameSync: write, createSync: write, truncateSync: write, chmodSync: write,
    chownSync: write, utimeSync: write, symlinkSync: writeSecond, linkSync: writeSecond,
    copyFileSync: writeSecond, makeTempDirSync: write, makeTempFileSync: write,
    connect: connect, connectTls: connect, startTls: connect, connectQuic: connect,
    listen: listen, listenTls: listen, listenDatagram: listen, serve: listen, serveHttp: listen,
    Command: run, run: run,
    dlopen: ffi,
    resolveDns: lookUp,
};
const bun = {
    __proto__: null,
    file: read,
    write: writeLater,
    serve: listen, listen: listen,
    connect: connect, udpSocket: connect,
    spawn: run, spawnSync: run, $: run,
    dlopen: ffi,
};
const node = {
    __proto__: null,
    loadEnvFile: read,
    chdir: write,
    dlopen: { ...ffi, target: (args) => textOf(args[1]) },
    binding: ffi,
};

// What to use instead, where a tool is not the answer.
const better = bare({
    "Deno.args": "use args", "process.argv": "use args", "Bun.argv": "use args",
    "Deno.exit": "use return", "process.exit": "use return", "process.exitCode": "use return",
    "process.stdout.write": "use console.log()", "process.stderr.write": "use console.error()",
    "Deno.stdout.write": "use console.log()", "Deno.stderr.write": "use console.error()",
    "process.nextTick": "use queueMicrotask()",
    "process.hrtime": "use performance.now()", "process.hrtime.bigint": "use performance.now()",
    "process.uptime": "use performance.now()", "Bun.nanoseconds": "use performance.now()",
    "Bun.sleep": "use setTimeout()",
});

// --- objects that deny ------------------------------------------------------------------

// Names that the language itself looks up.
const unsaid = bare({ then: 1, toJSON: 1, constructor: 1, prototype: 1, ["__proto__"]: 1 });

// A member that is not in the tables: it can be read, and denies everything that is done with it.
const unknown = (api, name, use) => {
    use = better[api] ?? use;
    const reach = () => deny(api, "sys", name, use);
    const members = bare({});
    return proxy(function () {}, bare({
        apply: reach,
        construct: reach,
        get: (target, key) => {
            if (typeof key === "symbol") return key === Symbol.hasInstance ? undefined : reach;
            if (key in unsaid) return undefined;
            if (key === "toString" || key === "valueOf") return reach;
            return (members[key] ??= unknown(`${api}.${key}`, name, use));
        },
        set: reach,
        defineProperty: reach,
        deleteProperty: reach,
    }));
};

const known = (api, { access, fail, target }) => proxy(function () {}, bare({
    apply: (called, self, args) => fail(api, access, safely(() => target(args)), instead[access]),
    construct: (called, args) => deny(api, access, safely(() => target(args)), instead[access]),
}));

// Environment variables: as an object, and as the functions of Deno.env.
const variable = (api) => (key) =>
    deny(api, "env", typeof key === "string" ? key : undefined, instead.env);
const environment = (api) => {
    const reach = variable(api);
    const all = () => reach(undefined);
    return proxy({}, bare({
        get: (target, key) => (typeof key === "symbol" || key in unsaid ? undefined : reach(key)),
        set: (target, key) => reach(key),
        has: (target, key) => reach(key),
        deleteProperty: (target, key) => reach(key),
        defineProperty: (target, key) => reach(key),
        getOwnPropertyDescriptor: (target, key) => reach(key),
        ownKeys: all,
    }));
};
const denoEnvironment = {
    get: (key) => variable("Deno.env.get")(textOf(key)),
    set: (key) => variable("Deno.env.set")(textOf(key)),
    has: (key) => variable("Deno.env.has")(textOf(key)),
    delete: (key) => variable("Deno.env.delete")(textOf(key)),
    toObject: () => variable("Deno.env.toObject")(),
};

// For `error instanceof Deno.errors.PermissionDenied` in Deno code.
const errors = () => {
    const classes = bare({});
    const isOurs = bare({ PermissionDenied: isDenied, NotCapable: isDenied });
    return proxy({}, bare({
        get: (target, key) => {
            if (typeof key === "symbol" || key in unsaid) return undefined;
            return (classes[key] ??= class extends Error {
                static name = key;
                static [Symbol.hasInstance](error) { return isOurs[key]?.(error) ?? false; }
            });
        },
    }));
};

// Listing a directory is an iteration: its first step is rejected.
const readDir = (path) => {
    const failed = refuse("Deno.readDir", "read", textOf(path), instead.read);
    return { [Symbol.asyncIterator]: () => ({ next: () => failed }) };
};

// A file is opened to read it, or to change it.
const opener = (api, fail) => (path, how) => {
    const access = safely(() => how?.write || how?.append || how?.create) ? "write" : "read";
    return fail(api, access, textOf(path), instead[access]);
};

const change = (api, key) => deny(api, "sys", textOf(key), better[api] ?? instead.sys);
const namespace = (name, rows, special) => {
    const members = bare(special);
    return proxy({}, bare({
        get: (target, key) => {
            if (typeof key === "symbol" || key in unsaid) return undefined;
            if (key in members) return members[key];
            const api = `${name}.${key}`;
            if (key in rows) return (members[key] = known(api, rows[key]));
            if (key in target) return target[key]; // toString, hasOwnProperty
            return (members[key] = unknown(api, key, instead.sys));
        },
        set: (target, key) => change(`${name}.${textOf(key)}`, key),
        defineProperty: (target, key) => change(`${name}.${textOf(key)}`, key),
        deleteProperty: (target, key) => change(`${name}.${textOf(key)}`, key),
    }));
};

const reader = (api) => () => deny(api, "read", ".", instead.read);
// Code reads these two to choose between variants. They are the same on every machine, so that a run
// can be repeated elsewhere: those of Deno 2.0.0, the oldest that the binding supports.
const version = { deno: "2.0.0", v8: "12.9.202.13-rusty", typescript: "5.6.2" };
const build = {
    target: "x86_64-unknown-linux-gnu", arch: "x86_64", os: "linux", vendor: "unknown", env: "gnu",
};
const Deno = namespace("Deno", deno, {
    version, build, env: denoEnvironment, errors: errors(), cwd: reader("Deno.cwd"), readDir,
    open: opener("Deno.open", refuse), openSync: opener("Deno.openSync", deny),
});
const process = namespace("process", node,
    { env: environment("process.env"), cwd: reader("process.cwd") });
const Bun = namespace("Bun", bun, { env: environment("Bun.env") });

// --- functions and classes ----------------------------------------------------------------

const net = (api, url, fail) => fail(api, "net", hostOf(url), instead.net);
const { fetch } = { fetch(input) { return net("fetch", input, refuse); } }; // no constructor
const WebSocket = class { constructor(url) { net("WebSocket", url, deny); } };
const EventSource = class { constructor(url) { net("EventSource", url, deny); } };
const XMLHttpRequest = class {
    open(method, url) { net("XMLHttpRequest", url, deny); }
    send() { net("XMLHttpRequest", undefined, deny); }
};
const Worker = class {
    constructor(url) { deny("Worker", "run", textOf(url), "use Promise.all(): a run has one thread"); }
};
const load = (api) => (specifier) => deny(api, "import", textOf(specifier), instead.import);
const require = load("require");
require.resolve = load("require.resolve");

exported = { Deno, process, Bun, fetch, WebSocket, EventSource, XMLHttpRequest, Worker, require };
