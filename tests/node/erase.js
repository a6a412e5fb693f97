// erase.js - compares files of TypeScript, as js/web/typescript.js erases them, with esbuild's output.
//
//     node erase.js TYPESCRIPT.js NPM_FOLDER < list of files
//
// Both are minified first, because esbuild moves lines. Prints {same, different, refused} as JSON.
"use strict";
const fs = require("node:fs");
const path = require("node:path");

const [module_, npm] = process.argv.slice(2);
const { transformSync } = require(path.join(npm, "node_modules/esbuild"));
const { erase } = (0, eval)(fs.readFileSync(module_, "utf8"))({});

const tsconfigRaw = { compilerOptions: { verbatimModuleSyntax: true, useDefineForClassFields: true } };
const minified = (text, loader) => {
    const options = { loader: "js", minifyWhitespace: true, minifySyntax: true, target: "esnext", legalComments: "none", logLevel: "silent" };
    return transformSync(transformSync(text, { ...options, loader, tsconfigRaw }).code, options).code;
};

const counts = { same: 0, different: [], refused: {} };
for (const file of fs.readFileSync(0, "utf8").trim().split("\n")) {
    const text = fs.readFileSync(file, "utf8");
    const { text: erased, message } = erase(text);
    if (message) {
        const what = message.split(" is more than a type")[0];
        counts.refused[what] = (counts.refused[what] ?? 0) + 1;
    } else if (minified(erased, "js") === minified(text, "ts")) {
        counts.same++;
    } else {
        counts.different.push(file);
    }
}
console.log(JSON.stringify(counts));
