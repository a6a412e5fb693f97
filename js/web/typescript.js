// typescript.js - erases the types of TypeScript: each becomes spaces, so lines and columns stay the same.
//
// It runs in the worker before the code of the capability, so no prototype has been changed.
import { blankSourceFile } from "ts-blank-space";
import ts from "typescript";

const Kind = ts.SyntaxKind;

// What ts-blank-space needs of a node; in the whole TypeScript, other files add these.
const methods = {
    getStart(file) { return ts.getTokenPosOfNode(this, file); },
    getFullStart() { return this.pos; },
    getEnd() { return this.end; },
    getText(file) { return file.text.slice(this.getStart(file), this.end); },
    getFullText(file) { return file.text.slice(this.pos, this.end); },
    forEachChild(each, eachList) { return ts.forEachChild(this, each, eachList); },
};
for (const make of ["getNodeConstructor", "getTokenConstructor", "getIdentifierConstructor", "getSourceFileConstructor"])
    Object.assign(ts.objectAllocator[make]().prototype, methods);

// The code is the body of an async function, or a module (runtime/engine/compile.c).
const BODY = ["async function body(mcp, args) {\n", "\n}"];
const MODULE = ["", ""];

const parse = (code, [head, tail]) => {
    const options = { languageVersion: ts.ScriptTarget.ESNext, impliedNodeFormat: ts.ModuleKind.ESNext,
        jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
    const file = ts.createSourceFile("code.ts", head + code + tail, options, false, ts.ScriptKind.TS);
    return { file, head, tail, errors: file.parseDiagnostics };
};

// What cannot be erased, because it is more than a type; and what to write instead.
const instead = {
    [Kind.EnumDeclaration]: ["`enum`", "an object, as in `const Color = { Red: 0 } as const`"],
    [Kind.ModuleDeclaration]: ["`namespace` with values", "an object, or plain functions"],
    [Kind.ImportEqualsDeclaration]: ["`import … =`", "`const … =`"],
    [Kind.ExportAssignment]: ["`export =`", "`export default`"],
    [Kind.TypeAssertionExpression]: ["`<Type>value`", "`value as Type`"],
    [Kind.AsExpression]: ["`as` between operators", "`(value as Type)`, with parentheses"],
    [Kind.SatisfiesExpression]: ["`satisfies` between operators", "`(value satisfies Type)`, with parentheses"],
    [Kind.Decorator]: ["a decorator", "a call of the function"],
    [Kind.AccessorKeyword]: ["`accessor`", "a getter and a setter"],
    [Kind.PropertyDeclaration]: ["a field called `get`, `set` or `static` without `;`", "a `;` after it"],
};
const parameter = ["`public`, `private`, `protected` or `readonly` of a parameter",
    "a field, and assign it in the constructor"];

// Finds what ts-blank-space does not refuse: what the engine does not have, and a field that would become a
// part of the method after it.
const findRefused = (root, text) => {
    const joins = ({ kind, name, initializer, end }) => kind === Kind.PropertyDeclaration && !initializer &&
        /^(?:get|set|static)$/.test(name.escapedText) && text[end - 1] !== ";";
    const find = (node) => (node.kind === Kind.Decorator || node.kind === Kind.AccessorKeyword || joins(node)
        ? node : ts.forEachChild(node, find, (list) => list.map(find).find(Boolean)));
    return find(root);
};

const bytesOf = (text) => {
    let count = 0;
    for (const char of text) count += char < "\x80" ? 1 : char < "\u0800" ? 2 : char.length === 1 ? 3 : 4;
    return count;
};

// Where |at| is in the code: the line from 1, and the column in bytes from 1.
const place = (code, { head }, at) => {
    const before = code.slice(0, Math.max(0, at - head.length));
    const from = before.lastIndexOf("\n") + 1;
    let line = 1;
    for (const char of before) line += char === "\n" ? 1 : 0;
    return { line, column: bytesOf(before.slice(from)) + 1 };
};

const wordsOf = (message) => (typeof message === "string" ? message : message.messageText).replace(/\.$/, "");

const eraseTree = (code, tree) => {
    let refused = /@|\b(?:accessor|get|set|static)\b/.test(code) ? findRefused(tree.file, tree.file.text) : undefined;
    const text = refused ? "" : blankSourceFile(tree.file, (node) => { refused ??= node; });
    if (!refused) return { text: text.slice(tree.head.length, text.length - tree.tail.length) };
    const [what, todo] = instead[refused.kind] ?? parameter;
    return { message: `${what} is more than a type: write ${todo}`,
        ...place(code, tree, refused.getStart(tree.file)) };
};

// Were types erased before the first error of |tree|, and is that after |failed|, where JavaScript ends?
const hasTypesBefore = (code, tree, wrong, failed) => {
    if (wrong.line < failed.line || (wrong.line === failed.line && wrong.column <= failed.column)) return false;
    const { text } = eraseTree(code, tree), end = tree.errors[0].start - tree.head.length;
    return text === undefined || text.slice(0, end) !== code.slice(0, end);
};

const explain = (code, tree, failed) => {
    const wrong = { message: wordsOf(tree.errors[0].messageText), ...place(code, tree, tree.errors[0].start) };
    return !failed || hasTypesBefore(code, tree, wrong, failed) ? wrong : undefined;
};

// Returns {text}, or {message, line, column}. |failed|: the code is not JavaScript, from this line and
// column on; then returns undefined unless it is TypeScript and has types.
const erase = (source, failed) => {
    const code = source.startsWith("#!") ? `//${source.slice(2)}` : source;
    try {
        const body = parse(code, BODY);
        const module = body.errors.length ? parse(code, MODULE) : body;
        if (module.errors.length) return explain(code, module.file.externalModuleIndicator ? module : body, failed);
        const erased = eraseTree(code, module);
        return !failed || erased.text !== code ? erased : undefined;
    } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return failed ? undefined : { message: "the code nests too deeply", line: 1, column: 1 };
    }
};

exported = { erase };
