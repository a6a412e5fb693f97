// expect: SUCCESS ["É€😀",5000,"aXbXc","  x","[\"a\",\"b\"]",true,"😀",500,"tagged 1 raw\\n"]
let rope = ""; for (let i = 0; i < 500; i++) rope += i % 7 ? "latin" : "wide€";
const flat = rope.charCodeAt(2499), upper = rope.toUpperCase().normalize("NFKD").toLowerCase(), parts = rope.split("l");
const replaced = rope.replaceAll("wide", (m, at) => `<${at}>`).padEnd(9000, "ab").trimEnd().repeat(3).substring(3, 9000);
const symbols = Array.from({length: 500}, (_, i) => Symbol.for("s" + i)), names = Object.fromEntries(parts.map((p, i) => [p + i, i]));
const coded = decodeURIComponent(encodeURIComponent(rope)) === rope && unescape(escape("é")) === "é" && atob(btoa("abc")) === "abc";
return ["é€😀".toUpperCase(), rope.length * 2, "a-b-c".split("-").join("X"), "x".padStart(3), JSON.stringify([..."ab"]), coded && upper.length > 2000 && replaced.length > 5000 && flat > 0 && Object.keys(names).length === parts.length,
        String.fromCodePoint(0x1f600), symbols.length, `tagged ${1} ${String.raw`raw\n`}`];
