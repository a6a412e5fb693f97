// Counts the lines and words of the text files in a directory, and writes a report in Markdown.
// All of it through the tools of a filesystem server; the files are read at the same time.
const { dir, out } = args;

const listing = await mcp.filesystem.list_directory({ path: dir });
const names = listing.content
    .split("\n")
    .filter((line) => line.startsWith("[FILE] ") && line.endsWith(".txt"))
    .map((line) => line.slice("[FILE] ".length))
    .sort();

async function count(name) {
    const { content } = await mcp.filesystem.read_text_file({ path: `${dir}/${name}` });
    return {
        name,
        lines: content.split("\n").length - (content.endsWith("\n") ? 1 : 0),
        words: content.match(/\S+/g)?.length ?? 0,
    };
}
const files = await Promise.all(names.map(count));

const sum = (key) => files.reduce((total, file) => total + file[key], 0);
const total = { lines: sum("lines"), words: sum("words") };

const cell = (text) => String(text).replaceAll("|", "\\|");
const row = ({ name, lines, words }) => `| ${cell(name)} | ${lines} | ${words} |`;
await mcp.filesystem.write_file({
    path: out,
    content: [
        "| File | Lines | Words |",
        "| --- | ---: | ---: |",
        ...files.map(row),
        row({ name: "**Total**", ...total }),
        "",
    ].join("\n"),
});

return { files, total, report: out };
