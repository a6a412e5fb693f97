// Counts the words of a text file. This code cannot open a file, so it calls a tool.
const { content } = await mcp.filesystem.read_text_file({ path: args.path });
return { path: args.path, words: content.match(/\S+/g).length };
