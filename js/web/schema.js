// schema.js - checks args against a JSON Schema, before the code of the capability runs.
//
// The keywords are those of @hyperjump/json-schema, which generates no code. Only its evaluation is used:
// the package itself loads schemas asynchronously and from anywhere, and builds a tree of all args first.
// schema/compile.js, which reads only the schema itself, and schema/instance.js, which makes nodes on
// demand, replace these parts. schema/words.js makes the error messages.
import { compile } from "./schema/compile.js";
import { root } from "./schema/instance.js";
import { Validation } from "./schema/package.js";
import { Problems, join } from "./schema/words.js";

// Called when the stack is full. If the args are not deeply nested, the schema is the reason.
const isDeeper = (value, levels) => typeof value === "object" && value !== null &&
    (levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1)));
const tooDeep = (args) => (isDeeper(args, 64)
    ? { isBroken: false, lines: "/: nests deeper than can be checked" }
    : { isBroken: true, lines: "parametersSchema: refers to itself without end, or nests deeper than can be checked" });

// Returns undefined if |args| fit |schema|; otherwise whether the schema is broken, and the error lines.
const check = (schema, args) => {
    try {
        const { ast, url, broken } = compile(schema);
        if (broken.length) return { isBroken: true, lines: join(broken, broken.length) };
        if (Validation.interpret(url, root(args), { ast, plugins: ast.plugins })) return undefined;
        const problems = new Problems(); // slow, so only used after the check has failed
        Validation.interpret(url, root(args), { ast, plugins: [...ast.plugins, problems] });
        return { isBroken: false, lines: problems.text() };
    } catch (error) {
        if (error instanceof RangeError) return tooDeep(args);
        throw error;
    }
};

exported = { check };
