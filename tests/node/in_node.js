// in_node.js - runs a list of snippets in Node, one after the other, for node.t.
//
// Standard input is a JSON array of function bodies; standard output a JSON array with the JSON text
// of each result, or of {"threw": NAME}; with the argument "messages", of {"threw": "NAME: MESSAGE"}. A body is like the code of a capability: the body of an
// async strict-mode function with the parameters mcp and args.
"use strict";

const AsyncFunction = (async () => {}).constructor;

const withMessages = process.argv[2] === "messages";

const outcome = async (body) => {
    try {
        const value = await new AsyncFunction("mcp", "args", `"use strict";\n${body}`)({}, {});
        return JSON.stringify(value) ?? "null";
    } catch (error) {
        return JSON.stringify({ threw: withMessages ? String(error) : error.name });
    }
};

process.on("unhandledRejection", () => {});
const chunks = [];
process.stdin.on("data", (chunk) => chunks.push(chunk));
process.stdin.on("end", async () => {
    const outcomes = [];
    for (const body of JSON.parse(Buffer.concat(chunks))) outcomes.push(await outcome(body));
    process.stdout.write(JSON.stringify(outcomes));
});
