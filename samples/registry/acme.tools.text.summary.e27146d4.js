// Summarises a text: its most telling sentences, in their own order, and its keywords.
// A sentence is telling when its words are frequent in the whole text.
const { text, sentences: wanted = 3, keywords: wantedWords = 5 } = args;

const stopWords = new Set(
    `about after all also and any are because been but can could for from had has have her his
    how into its more most not one only other our out over she some such than that the their
    them then there these they this those through was were what when where which while who will
    with would you your`.split(/\s+/),
);

function wordsOf(part) {
    const words = part.toLowerCase().match(/\p{L}[\p{L}'’-]*/gu) ?? [];
    return words.filter((word) => word.length > 2 && !stopWords.has(word));
}

const counts = new Map();
for (const word of wordsOf(text)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
}

// The root keeps long sentences from winning by length alone.
function score(sentence) {
    const words = wordsOf(sentence);
    const sum = words.reduce((total, word) => total + counts.get(word), 0);
    return sum / Math.sqrt(words.length || 1);
}

const sentences = text.trim().split(/(?<=[.!?]["”’)]?)\s+(?=["“‘(]?[\p{Lu}\p{N}])/u);
const chosen = sentences
    .map((sentence, position) => ({ sentence, position, score: score(sentence) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, wanted)
    .sort((a, b) => a.position - b.position);

return {
    summary: chosen.map(({ sentence }) => sentence.replace(/\s+/g, " ")).join(" "),
    keywords: [...counts]
        .sort(([, a], [, b]) => b - a)
        .slice(0, wantedWords)
        .map(([word]) => word),
    sentences: { kept: chosen.length, of: sentences.length },
};
