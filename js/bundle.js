// bundle.js - makes one script of a module of js/web and the packages it needs.
//
//     node bundle.js NPM_FOLDER ENTRY.js OUT.js
//
// The script's value is a function: given `native`, it returns what the entry assigned to `exported`.
// Names stay as they are, because people see those of classes, and only bytecode is made of it.
//
// Code may have put things on Object.prototype before a module is loaded. So an entry does not
// `require` what is written with `import`: the bundler's glue for that goes through inherited names.
const path = require("node:path");
const fs = require("node:fs");

const [npm, entry, out] = process.argv.slice(2).map((word) => path.resolve(word));
const { build } = require(path.join(npm, "node_modules/esbuild"));
const shim = (name) => path.join(__dirname, "web/shims", name);

// Tables are quicker to parse, once, than to build with code; in ASCII they take half of the room.
const escaped = (char) => "\\u" + char.charCodeAt(0).toString(16).padStart(4, "0");
const tables = {
    name: "tables",
    setup(to) {
        to.onLoad({ filter: /\.json$/ }, ({ path: file }) => {
            const text = fs.readFileSync(file, "utf8").replace(/[^\0-\x7f]/g, escaped);
            return { contents: `module.exports = JSON.parse(${JSON.stringify(text)});`, loader: "js" };
        });
    },
};

// Of the package that evaluates schemas only the keywords are taken, by their files' names. Whatever
// else they import is replaced: js/web/schema/package.js says by what. What loads their schemas goes.
const hyperjump = path.join(npm, "node_modules/@hyperjump/json-schema");
const keywords = {
    name: "keywords",
    setup(to) {
        to.onResolve({ filter: /./ }, ({ path: name, importer }) => {
            if (!importer.startsWith(hyperjump) || name.endsWith("common.js") || name.endsWith("validation.js"))
                return undefined;
            const file = name.endsWith("instance.js") ? "instance.js" : "package.js";
            return { path: path.join(__dirname, "web/schema", file) };
        });
        to.onLoad({ filter: /[\\/]@hyperjump[\\/]/ }, ({ path: file }) =>
            ({ contents: fs.readFileSync(file, "utf8").replace("export default { id, compile, ", "export default { ") }));
    },
};

// The packages look for other platforms on the global object; there is none for them to find.
const common = {
    bundle: true, format: "cjs", platform: "neutral", target: "es2023", charset: "utf8",
    mainFields: ["main"], nodePaths: [path.join(npm, "node_modules")], plugins: [tables],
    legalComments: "none", logLevel: "warning",
    banner: { js: '(function (native) { "use strict"; let exported; const platform = {};' },
    footer: { js: "return exported; })" },
    define: { globalThis: "platform" },
};

const special = {
    url: {
        alias: {
            tr46: shim("tr46.js"),
            "webidl-conversions": shim("conversions.js"),
            "@exodus/bytes/encoding.js": shim("percent.js"),
            "@exodus/bytes/whatwg.js": shim("percent.js"),
        },
        inject: [shim("globals.js")],
    },
    events: { keepNames: true }, // else a class that names itself is renamed
    schema: {
        alias: { hyperjump },
        plugins: [keywords],
        logOverride: { "import-is-undefined": "silent" },
    },
    legacy: {
        alias: { "@exodus/bytes/base64.js": shim("base64.js"), "@exodus/bytes/utf8.js": shim("utf8.js") },
    },
};

build({ ...common, ...special[path.basename(entry, ".js")], entryPoints: [entry], outfile: out })
    .catch(() => process.exit(1));
