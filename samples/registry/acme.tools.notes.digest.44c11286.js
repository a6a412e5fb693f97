// Adds notes to a server whose tools have names that are no identifiers: brackets take them as they
// are. What cannot be removed is an error of the tool, which is caught and told.
const { notes, remove = [] } = args;

for (const note of notes) {
    await mcp.modern["notes-add"](note);
}
const all = await mcp.modern["notes.list"]({});
const characters = await mcp.modern.stats({});

async function tryToRemove(id) {
    try {
        await mcp.modern["notes-remove"]({ id });
        return { id, removed: true };
    } catch (error) {
        if (error.code !== "TOOL_ERROR") {
            throw error;
        }
        return { id, removed: false, why: error.message };
    }
}
const removed = await Promise.all(remove.map(tryToRemove));

const tags = {};
for (const tag of all.flatMap((note) => note.tags).sort()) {
    tags[tag] = (tags[tag] ?? 0) + 1;
}

return { notes: all.length, characters, tags, removed };
