const rows = await mcp.bench.rows({});
const found = rows.filter((row) => row.active && row.score > 90);
const by = {};
for (const row of found) by[row.address.city] = (by[row.address.city] ?? 0) + 1;
return {of: rows.length, found: found.length, by, first: found.slice(0, 3).map((row) => ({id: row.id, name: row.name, email: row.email}))};
