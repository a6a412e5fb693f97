// Makes slugs for addresses from titles: "Crème brûlée!" becomes "creme-brulee".
function slugOf(title) {
    return title
        .normalize("NFD") // é is now e and an accent of its own
        .replace(/\p{M}/gu, "")
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, "");
}

return args.titles.map((title) => ({ title, slug: slugOf(title) }));
