// Makes slugs for addresses from titles: "Crème brûlée!" becomes "creme-brulee".
// Letters that have no accent to lose are spelled out, and no slug is given twice.
const spelled = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", "&": " and " };

function slugOf(title) {
    return title
        .normalize("NFD") // é is now e and an accent of its own
        .replace(/\p{M}/gu, "")
        .toLowerCase()
        .replace(/[ßæœøłđðþ&]/g, (letter) => spelled[letter])
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, "");
}

const taken = new Set();

function unique(slug) {
    let candidate = slug;
    for (let n = 2; taken.has(candidate); n++) {
        candidate = `${slug}-${n}`;
    }
    taken.add(candidate);
    return candidate;
}

return args.titles.map((title) => ({ title, slug: unique(slugOf(title) || "untitled") }));
