// bundle.js - bundles a module of js/web and the packages it needs into one script.
//
//     node bundle.js NPM_FOLDER ENTRY.js OUT.js
//
// The script's value is a function: given `native`, it returns what the entry assigned to `exported`.
// Names are not shortened: people see the names of classes, and the script becomes bytecode anyway.
//
// Untrusted code may have changed Object.prototype before a module is loaded. So an entry does not
// `require` a file that uses `import`: the bundler's code for that reads inherited properties.
const path = require("node:path");
const fs = require("node:fs");

const [npm, entry, out] = process.argv.slice(2).map((word) => path.resolve(word));
const { build } = require(path.join(npm, "node_modules/esbuild"));
const shim = (name) => path.join(__dirname, "web/shims", name);

// Tables are faster to parse once than to build with code; as ASCII text they need half the memory.
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

// From the package that evaluates schemas, only the keywords are used, selected by file name. All other
// files that they import are replaced by js/web/schema/package.js. The code that loads schemas is removed.
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

// Of TypeScript, only what its parser needs. Without a debugger, an assertion that holds does nothing.
const typescript = {
    name: "typescript",
    setup(to) {
        const roots = ["createSourceFile", "createScanner", "forEachChild", "getTokenPosOfNode", "isBinaryExpression",
            "isNamedExports", "isNamedImports", "isStatement", "objectAllocator", "JSDocParsingMode", "LanguageVariant",
            "ModuleKind", "NodeFlags", "ScriptKind", "ScriptTarget", "SyntaxKind"];
        const no = "() => {}", fail = '(words) => { throw new Error(words ?? "TypeScript failed"); }';
        const stubs = {
            mark: no, measure: no, timestamp: "() => 0", tracing: "undefined", sys: "undefined",
            Debug: `{ isDebugging: false, shouldAssert: () => false, checkDefined: (value) => value, assert: (holds) => {
                if (!holds) Debug.fail("TypeScript failed"); }, fail: ${fail}, assertNever: ${fail}, assertEqual: ${no},
                assertIsDefined: ${no}, assertGreaterThanOrEqual: ${no}, assertLessThanOrEqual: ${no}, assertNode: ${no},
                attachNodeArrayDebugInfo: ${no}, formatSyntaxKind: ${no}, getFunctionName: ${no} }`,
        };
        to.onLoad({ filter: /[\\/]typescript[\\/]lib[\\/]typescript\.js$/ }, ({ path: file }) =>
            ({ contents: require("./cut.js")(require(file), fs.readFileSync(file, "utf8"), roots, stubs) }));
    },
};

// The packages look for other platforms on the global object: they get an empty object instead.
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
    events: { keepNames: true }, // otherwise a class that refers to itself is renamed
    schema: {
        alias: { hyperjump },
        plugins: [keywords],
        logOverride: { "import-is-undefined": "silent" },
    },
    typescript: { plugins: [typescript] },
    legacy: {
        alias: { "@exodus/bytes/base64.js": shim("base64.js"), "@exodus/bytes/utf8.js": shim("utf8.js") },
    },
};

build({ ...common, ...special[path.basename(entry, ".js")], entryPoints: [entry], outfile: out })
    .catch(() => process.exit(1));
