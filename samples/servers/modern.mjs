// An MCP server for notes: MCP revision 2026-07-28 over stdio, with the SDK of that revision. Notes
// live as long as the process. `make run` and the tests get its packages into build/npm-servers.
//
//     node modern.mjs                over stdio
//     node modern.mjs --http 8080    over HTTP: http://127.0.0.1:8080/mcp; with 0 the system chooses the port
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

const require = createRequire(new URL("../../build/npm-servers/", import.meta.url));
const { createMcpHandler, McpServer } = require("@modelcontextprotocol/server");
const { serveStdio } = require("@modelcontextprotocol/server/stdio");
const { z } = require("zod");

const Note = z.object({ id: z.number().int(), text: z.string(), tags: z.array(z.string()) });
const notes = [];
let lastId = 0;

const answer = (structuredContent) => ({
    content: [{ type: "text", text: JSON.stringify(structuredContent) }],
    structuredContent,
});
const failure = (text) => ({ content: [{ type: "text", text }], isError: true });

function makeServer() {
    const server = new McpServer({ name: "notes", version: "1.0.0" }, { capabilities: { tools: {} } });

    server.registerTool(
        "notes-add",
        {
            description: "Keeps a note, and gives its id.",
            inputSchema: z.object({ text: z.string().min(1), tags: z.array(z.string()).default([]) }),
            outputSchema: z.object({ id: z.number().int() }),
            annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
        },
        ({ text, tags }) => {
            notes.push({ id: ++lastId, text, tags });
            return answer({ id: lastId });
        },
    );

    server.registerTool(
        "notes.list",
        {
            description: "All notes, or those with a tag: an array.",
            inputSchema: z.object({ tag: z.string().optional() }),
            outputSchema: z.array(Note),
            annotations: { readOnlyHint: true, openWorldHint: false },
        },
        ({ tag }) => answer(notes.filter((note) => tag === undefined || note.tags.includes(tag))),
    );

    server.registerTool(
        "notes-remove",
        {
            description: "Removes a note; an error if no note has that id.",
            inputSchema: z.object({ id: z.number().int() }),
            annotations: { destructiveHint: true, openWorldHint: false },
        },
        ({ id }) => {
            const at = notes.findIndex((note) => note.id === id);
            if (at < 0) {
                return failure(`there is no note ${id}`);
            }
            notes.splice(at, 1);
            return { content: [{ type: "text", text: `removed note ${id}` }] };
        },
    );

    server.registerTool(
        "stats",
        {
            description: "How many characters the notes have, in all: a number. Reports progress for each note.",
            outputSchema: z.number().int(),
            annotations: { readOnlyHint: true, openWorldHint: false },
        },
        async (ctx) => {
            const progressToken = ctx.mcpReq._meta?.progressToken;
            let characters = 0;
            for (const [index, note] of notes.entries()) {
                characters += note.text.length;
                if (progressToken !== undefined) {
                    const params = { progressToken, progress: index + 1, total: notes.length };
                    await ctx.mcpReq.notify({ method: "notifications/progress", params });
                }
            }
            return answer(characters);
        },
    );

    return server;
}

// Answers a request of node:http with a handler for the web's Request.
function answerWith(handler) {
    return async (req, res) => {
        const gone = new AbortController();
        res.on("close", () => gone.abort());
        const body = req.method === "POST" ? await buffer(req) : undefined;
        const response = await handler.fetch(
            new Request(`http://${req.headers.host}${req.url}`, { method: req.method, headers: req.headers, body, signal: gone.signal }),
        );
        res.writeHead(response.status, Object.fromEntries(response.headers));
        if (response.body) Readable.fromWeb(response.body).on("error", () => res.destroy()).pipe(res);
        else res.end();
    };
}

const [mode, port] = process.argv.slice(2);
if (mode === "--http") {
    const server = createServer(answerWith(createMcpHandler(makeServer)));
    server.listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
} else {
    serveStdio(makeServer);
}
