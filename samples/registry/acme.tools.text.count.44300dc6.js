// Counts what a text is made of, and says how long it takes to read.
const { text, wordsPerMinute = 220 } = args;

const words = text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];
const counts = new Map();
for (const word of words) {
    const key = word.toLowerCase();
    counts.set(key, (counts.get(key) ?? 0) + 1);
}

return {
    characters: [...text].length, // code points: an emoji counts once
    words: words.length,
    differentWords: counts.size,
    sentences: (text.match(/[.!?…]+(?=\s|["”’)]|$)/gu) ?? []).length,
    paragraphs: text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim()).length,
    readingMinutes: Math.ceil(words.length / wordsPerMinute),
    mostFrequent: [...counts]
        .sort(([, a], [, b]) => b - a)
        .slice(0, 3)
        .map(([word, count]) => ({ word, count })),
};
