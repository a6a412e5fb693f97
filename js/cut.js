// cut.js - takes out of typescript.js what its parser needs: a tenth of it.
//
// typescript.js is one function with some 5,000 statements. From the names in |roots|, this follows
// each name to the statements that declare or complete it, and leaves out the rest. |stubs| replaces
// parts that a parser can do without. Of the table of diagnostics, only those that are named are kept.
//
// A name that is only a property (`x.name`, `{name: …}`) is not followed.
"use strict";

// The name at the beginning of `name.a.b = …` and of `(…)(name || (name = {}))`.
const completed = (ts, expression) => {
    const target = ts.isCallExpression(expression) ? expression.arguments[0] : expression;
    let name = target && ts.isBinaryExpression(target) ? target.left : undefined;
    while (name && ts.isPropertyAccessExpression(name)) name = name.expression;
    return name && ts.isIdentifier(name) ? name.text : undefined;
};

const declared = (ts, statement) => {
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) return [statement.name.text];
    if (ts.isExpressionStatement(statement)) return [completed(ts, statement.expression)];
    if (!ts.isVariableStatement(statement)) return [];
    const names = [];
    const add = (name) => (ts.isIdentifier(name) ? names.push(name.text) : name.elements.forEach((each) => add(each.name)));
    statement.declarationList.declarations.forEach((each) => add(each.name));
    return names;
};

// Calls |use| with each name that |node| reads, and |useMember| with each `name.member`.
const readNames = (ts, node, use, useMember) => {
    const read = (each) => readNames(ts, each, use, useMember);
    if (ts.isIdentifier(node)) {
        use(node.text);
    } else if (ts.isPropertyAccessExpression(node)) {
        if (ts.isIdentifier(node.expression)) useMember(node.expression.text, node.name.text);
        read(node.expression);
    } else {
        ts.forEachChild(node, (child) => {
            if (child !== node.name || ts.isComputedPropertyName(child)) read(child);
        });
        if (ts.isVariableDeclaration(node) && !ts.isIdentifier(node.name)) read(node.name);
    }
};

module.exports = function cut(ts, text, roots, stubs) {
    const file = ts.createSourceFile("typescript.js", text, ts.ScriptTarget.ESNext, false, ts.ScriptKind.JS);
    const wrapper = file.statements.find((each) => ts.isExpressionStatement(each) && ts.isCallExpression(each.expression));
    const { statements } = wrapper.expression.expression.expression.body;
    const owners = new Map();
    for (const statement of statements)
        for (const name of declared(ts, statement)) owners.set(name, [...(owners.get(name) ?? []), statement]);

    const textOf = (node) => text.slice(node.getStart(file), node.end);
    const kept = new Set(), diagnostics = new Set(), names = new Set(roots);
    const unknown = roots.filter((name) => !owners.has(name));
    for (const name of names) { // grows meanwhile
        if (Object.hasOwn(stubs, name) || name === "Diagnostics") continue;
        for (const statement of owners.get(name) ?? []) {
            if (kept.has(statement)) continue;
            kept.add(statement);
            readNames(ts, statement, (each) => owners.has(each) && names.add(each), (object, member) => {
                if (object === "Diagnostics") diagnostics.add(member);
                else if (object === "Debug" && !stubs.Debug.includes(`${member}:`)) unknown.push(`Debug.${member}`);
            });
        }
    }
    if (unknown.length) throw new Error(`typescript.js has changed: ${unknown.join(", ")}`);
    const table = owners.get("Diagnostics")[0].declarationList.declarations[0].initializer;
    return [
        ...Object.entries(stubs).map(([name, value]) => `var ${name} = ${value};`),
        textOf(owners.get("diag")[0]),
        `var Diagnostics = {${table.properties.filter((each) => diagnostics.has(each.name.text)).map(textOf).join(",\n")}};`,
        ...statements.filter((each) => kept.has(each)).map(textOf),
        `module.exports = { ${roots.join(", ")} };`,
    ].join("\n");
};
