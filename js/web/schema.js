// schema.js - checks args against a JSON Schema, before the code that the schema belongs to runs.
//
// The keywords are those of @hyperjump/json-schema, which generates no code. Of that package only what
// evaluates is here: it loads schemas asynchronously and from anywhere, and makes a tree of all args
// beforehand. schema/compile.js, which reads nothing but the schema itself, and schema/instance.js,
// which makes nodes when they are asked for, stand in for that. schema/words.js says what is wrong.
import { compile } from "./schema/compile.js";
import { root } from "./schema/instance.js";
import { Validation } from "./schema/package.js";
import { Problems, join } from "./schema/words.js";

// The stack is full. Args that are not deep have not filled it.
const isDeeper = (value, levels) => typeof value === "object" && value !== null &&
    (levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1)));
const tooDeep = (args) => (isDeeper(args, 64)
    ? { isBroken: false, lines: "/: nests deeper than can be checked" }
    : { isBroken: true, lines: "parametersSchema: refers to itself without end, or nests deeper than can be checked" });

// Nothing if |args| fit |schema|; otherwise whose fault it is, and lines that say what is wrong.
const check = (schema, args) => {
    try {
        const { ast, url, broken } = compile(schema);
        if (broken.length) return { isBroken: true, lines: join(broken, broken.length) };
        if (Validation.interpret(url, root(args), { ast, plugins: ast.plugins })) return undefined;
        const problems = new Problems(); // it takes time to listen, so only now
        Validation.interpret(url, root(args), { ast, plugins: [...ast.plugins, problems] });
        return { isBroken: false, lines: problems.text() };
    } catch (error) {
        if (error instanceof RangeError) return tooDeep(args);
        throw error;
    }
};

exported = { check };
