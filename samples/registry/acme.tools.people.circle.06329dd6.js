// Keeps people and whom they know in the graph of a memory server, reads it back, and finds the
// pairs that could be introduced to each other: they have a friend in common, and do not know.
const { people } = args;

const names = [...new Set(people.flatMap(({ name, knows }) => [name, ...knows]))].sort();
await mcp.memory.create_entities({
    entities: names.map((name) => ({ name, entityType: "person", observations: [] })),
});
await mcp.memory.create_relations({
    relations: people.flatMap(({ name, knows }) =>
        knows.map((to) => ({ from: name, to, relationType: "knows" })),
    ),
});

const graph = await mcp.memory.open_nodes({ names });
const friends = new Map(graph.entities.map(({ name }) => [name, new Set()]));
for (const { from, to } of graph.relations) {
    friends.get(from)?.add(to);
    friends.get(to)?.add(from);
}

const introductions = [];
for (const [i, one] of names.entries()) {
    for (const other of names.slice(i + 1)) {
        const through = [...friends.get(one)].filter((name) => friends.get(other).has(name)).sort();
        if (through.length && !friends.get(one).has(other)) {
            introductions.push({ one, other, through });
        }
    }
}

return { people: friends.size, introductions };
