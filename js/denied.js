// denied.js - what code written for Deno, Node, Bun or a browser reaches for and cannot have.
//
// Each attempt gets an error with the name of what to use instead, thrown or rejected as the real
// API would, and is put on record by the natives `deny` and `refuse`. Looking is not reaching: to
// name a thing, to ask for its type, or to take a function out of its object is no attempt; to call
// it, to construct it, to convert, to iterate, to write or to list it is.
//
// It is loaded when one of these globals is first touched.
(function (native) {
    "use strict";
    const { deny, refuse, isDenied, proxy } = native;
    const bare = (members) => ({ __proto__: null, ...members });

    const tool = "use mcp.<server>.<tool>()";
    const instead = bare({
        read: tool, write: tool, net: tool, run: tool, ffi: tool, sys: tool,
        env: "use args.env, and \"env\" in the capability's metadata",
        import: "put the code in this file, or " + tool,
    });

    // --- what was reached for ---------------------------------------------------------------

    const textOf = (value) => {
        if (typeof value === "string") return value;
        if (value === undefined || value === null) return undefined;
        try {
            return `${value}`;
        } catch {
            return undefined; // a toString of the capability's own threw
        }
    };
    const hostOf = (url) => {
        const text = textOf(typeof url === "object" && url !== null && "url" in url ? url.url : url);
        try {
            const { URL } = native.load("url");
            return new URL(text).host || text;
        } catch {
            return text;
        }
    };
    const addressOf = (options) => textOf(options?.hostname ?? options?.path ?? "0.0.0.0");
    const programOf = (given) => textOf(given?.cmd?.[0] ?? (isList(given) ? given[0] : given));
    const { isArray: isList } = Array;

    // --- tables: name -> [access, how it fails, what was reached for] -------------------------

    const first = (args) => textOf(args[0]);
    const kinds = bare({
        "read": ["read", deny, first],
        "read, later": ["read", refuse, first],
        "write": ["write", deny, first],
        "write, later": ["write", refuse, first],
        "net": ["net", deny, (args) => addressOf(typeof args[0] === "function" ? args[1] : args[0])],
        "net, later": ["net", refuse, (args) => addressOf(args[0])],
        "run": ["run", deny, (args) => programOf(args[0])],
        "ffi": ["ffi", deny, first],
    });
    const table = (lists) => {
        const names = bare({});
        for (const kind in lists) for (const name of lists[kind].split(" ")) names[name] = kinds[kind];
        return names;
    };

    const deno = table({
        "read, later": "readFile readTextFile readLink realPath stat lstat open",
        "read": "watchFs readFileSync readTextFileSync readLinkSync realPathSync statSync lstatSync " +
            "openSync readDirSync",
        "write, later": "writeFile writeTextFile remove mkdir rename create truncate chmod chown utime " +
            "symlink link copyFile makeTempDir makeTempFile",
        "write": "writeFileSync writeTextFileSync removeSync mkdirSync renameSync createSync " +
            "truncateSync chmodSync chownSync utimeSync symlinkSync linkSync copyFileSync " +
            "makeTempDirSync makeTempFileSync",
        "net, later": "connect connectTls startTls connectQuic",
        "net": "listen listenTls listenDatagram serve serveHttp",
        "run": "Command run",
        "ffi": "dlopen",
    });
    deno.resolveDns = ["net", refuse, first];
    const bun = table({
        "read": "file",
        "write, later": "write",
        "net": "serve listen",
        "net, later": "connect udpSocket",
        "run": "spawn spawnSync $",
        "ffi": "dlopen",
    });
    const node = table({ "read": "loadEnvFile", "write": "chdir", "ffi": "dlopen binding" });

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
    const unsaid = bare({ then: 1, toJSON: 1, constructor: 1, prototype: 1, __proto__: null });

    // Anything without a row of its own: it can be named, and denies whatever is done with it.
    const unknown = (api, name) => {
        const reach = () => deny(api, "sys", name, better[api] ?? instead.sys);
        const members = bare({});
        return proxy(function () {}, bare({
            apply: reach,
            construct: reach,
            get: (target, key) => {
                if (typeof key === "symbol") return key === Symbol.hasInstance ? undefined : reach;
                if (key in unsaid) return undefined;
                if (key === "toString" || key === "valueOf") return reach;
                return (members[key] ??= unknown(`${api}.${key}`, name));
            },
            set: reach,
            defineProperty: reach,
            deleteProperty: reach,
        }));
    };

    const known = (api, [access, fail, target]) => {
        const reach = (args) => fail(api, access, target(args), instead[access]);
        return proxy(function () {}, bare({
            apply: (called, self, args) => reach(args),
            construct: (called, args) => deny(api, access, target(args), instead[access]),
        }));
    };

    // The environment: as an object, and as the functions that Deno has for it.
    const variable = (api) => (key) => deny(api, "env", typeof key === "string" ? key : undefined, instead.env);
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
    const denoEnvironment = () => {
        const functions = {};
        for (const name of ["get", "set", "delete", "has", "toObject"]) {
            const reach = variable(`Deno.env.${name}`);
            functions[name] = (key) => reach(textOf(key));
        }
        return functions;
    };

    // `error instanceof Deno.errors.PermissionDenied` is how Deno code asks.
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

    // A directory is listed by iterating: the error comes with the first step.
    const readDir = (path) => {
        const failed = refuse("Deno.readDir", "read", textOf(path), instead.read);
        failed.catch(() => {});
        return { [Symbol.asyncIterator]: () => ({ next: () => failed }) };
    };

    const namespace = (name, rows, special) => {
        const members = bare(special);
        return proxy({}, bare({
            get: (target, key) => {
                if (typeof key === "symbol" || key in unsaid) return undefined;
                if (key in members) return members[key];
                const api = `${name}.${key}`;
                return (members[key] = key in rows ? known(api, rows[key]) : unknown(api, key));
            },
            set: (target, key) => deny(`${name}.${textOf(key)}`, "sys", textOf(key), better[`${name}.${textOf(key)}`] ?? instead.sys),
            defineProperty: () => deny(name, "sys", undefined, instead.sys),
            deleteProperty: () => deny(name, "sys", undefined, instead.sys),
        }));
    };

    const reader = (api) => () => deny(api, "read", ".", instead.read);
    const Deno = namespace("Deno", deno, { env: denoEnvironment(), errors: errors(), readDir, cwd: reader("Deno.cwd") });
    const process = namespace("process", node, { env: environment("process.env"), cwd: reader("process.cwd") });
    const Bun = namespace("Bun", bun, { env: environment("Bun.env") });

    // --- functions and classes ----------------------------------------------------------------

    const net = (api, url, fail) => fail(api, "net", hostOf(url), instead.net);
    const fetch = function fetch(input) { return net("fetch", input, refuse); };
    const WebSocket = class WebSocket { constructor(url) { net("WebSocket", url, deny); } };
    const EventSource = class EventSource { constructor(url) { net("EventSource", url, deny); } };
    const XMLHttpRequest = class XMLHttpRequest {
        open(method, url) { net("XMLHttpRequest", url, deny); }
        send() { net("XMLHttpRequest", undefined, deny); }
    };
    const Worker = class Worker {
        constructor(url) { deny("Worker", "run", textOf(url), "use await Promise.all([…]): one run is one thread"); }
    };
    const load = (api) => (specifier) => deny(api, "import", textOf(specifier), instead.import);
    const require = load("require");
    require.resolve = load("require.resolve");

    return { Deno, process, Bun, fetch, WebSocket, EventSource, XMLHttpRequest, Worker, require };
});
