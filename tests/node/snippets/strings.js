// strings.js - methods of strings.

// --- taking parts
// with "capability".slice(3, -2)
// with "capability".slice(-4)
// with "capability".substring(6, 2)
// with "capability".substring(-3, 4)
// with "capability".at(-1)
// with "capability".at(20)
// with "capability".charAt(20)
// with "capability".charCodeAt(20)
// with "capability"[3]
// with "naïve 😀".codePointAt(6)
// with "naïve 😀".charCodeAt(6)
// with "naïve 😀".length
// with [..."naïve 😀"].length
// with "abc".slice(2, 1)
// with "abc".substring(NaN, 2)
// with "abcdef".slice(undefined, 3)
return show($CASE)

// --- finding
// with "the cat sat on the mat".indexOf("at", 6)
// with "the cat sat on the mat".lastIndexOf("at")
// with "the cat sat on the mat".lastIndexOf("at", 8)
// with "the cat".indexOf("")
// with "the cat".indexOf("", 50)
// with "the cat".lastIndexOf("", 3)
// with "the cat".includes("cat", 5)
// with "the cat".includes("")
// with "the cat".startsWith("cat", 4)
// with "the cat".endsWith("the", 3)
// with "the cat".endsWith("")
// with "the cat".search(/c/)
// with "the cat".search("z")
// with "1.5".includes(.5)
// with "undefined".includes()
// with "x".startsWith(/x/)
return show($CASE)

// --- padding and repeating
// with "5".padStart(3, "0")
// with "abc".padEnd(2)
// with "abc".padEnd(10, "12345")
// with "abc".padStart(8, "")
// with "abc".padStart(5)
// with "ab".repeat(3)
// with "ab".repeat(0)
// with "ab".repeat(-1)
// with "ab".repeat(1.9)
// with "ab".repeat(Infinity)
// with "".repeat(1000000)
return $CASE

// --- trimming
// with "\t\n\u00a0\ufeff x y \u2003\u2028".trim()
// with "  a ".trimStart()
// with "  a ".trimEnd()
// with "\u200bx\u200b".trim().length
// with "\u180ex".trim().length
return $CASE

// --- changing case
// with "Straße".toUpperCase()
// with "ΌΔΟΣ ΟΔΟΣ".toLowerCase()
// with "ΑΣ. ΑΣ".toLowerCase()
// with "İstanbul".toLowerCase().length
// with "ﬁne ﬂow".toUpperCase()
// with "ŉ ǰ ΐ".toUpperCase()
// with "𐐨𐐩".toUpperCase()
// with "ǅ".toLowerCase() + "ǅ".toUpperCase()
// with "éÀÿ".toUpperCase()
// with "I".toLocaleLowerCase()
return $CASE

// --- splitting
// with "a,b,,c".split(",")
// with "a,b,,c".split(",", 2)
// with "abc".split("")
// with "".split("")
// with "".split(",")
// with "abc".split()
// with "2024-01-05T10:20".split(/[-T:]/)
// with "a1b2c3".split(/(\d)/)
// with "a1b2c3".split(/\d/, 2)
// with "one  two".split(" ")
// with "A😀B".split("")[1].charCodeAt(0)
// with "aXbxc".split(/x/i)
// with "test".split(/(?:)/u)
// with "ab".split(/(?:(a)|b)/)
return show($CASE)

// --- replacing
// with "a-b-c".replace("-", "+")
// with "a-b-c".replaceAll("-", "+")
// with "a.b.c".replaceAll(".", "$&$&")
// with "abc".replaceAll("", "_")
// with "aaa".replaceAll("aa", "b")
// with "John Smith".replace(/(\w+)\s(\w+)/, "$2, $1")
// with "2024-05-06".replace(/(?<y>\d+)-(?<m>\d+)-(?<d>\d+)/, "$<d>/$<m>/$<y>")
// with "price: 5".replace(/\d/, "$$$&")
// with "abc".replace("b", "[$`|$']")
// with "abc".replace(/(b)/, "$1$2$01$10")
// with "x".replace("x", "$0")
// with "camelCaseString".replace(/[A-Z]/g, (c) => "_" + c.toLowerCase())
// with "snake_case_here".replace(/_(\w)/g, (_, c) => c.toUpperCase())
// with "a1b22".replace(/\d+/g, (d, at, whole) => `<${d}@${at}/${whole.length}>`)
// with "aaa".replaceAll(/a/g, (m, i) => i)
// with "aaa".replaceAll(/a/, "b")
// with "abc".replace("z", "y")
// with "abc".replace("b", undefined)
// with "a\nb".replaceAll("\n", "\\n")
// with "k=v".replace(/(?<k>\w)=(?<v>\w)/, (...all) => JSON.stringify(all.at(-1)))
return $CASE

// --- comparing
// with "a".localeCompare("b")
// with "b".localeCompare("a")
// with "a".localeCompare("a")
// with "a" < "B"
// with "10" < "9"
// with "10" < 9
// with "é" === "e\u0301"
// with "é" === "e\u0301".normalize()
// with "\ud83d\ude00" > "\uffff"
// with "" < "a"
return $CASE

// --- normalizing
// with "e\u0301".normalize("NFC")
// with "é".normalize("NFD")
// with "ﬁ①Å".normalize("NFKC")
// with "ﬁ①½".normalize("NFKD")
// with "각".normalize("NFD")
// with "\u1100\u1161\u11a8".normalize("NFC")
// with "\u212b".normalize("NFC")
// with "a\u0323\u0307".normalize("NFC")
// with "a\u0307\u0323".normalize("NFD")
// with "ｶﾞ".normalize("NFKC")
return [$CASE, ...[...$CASE].map((c) => c.codePointAt(0).toString(16))]

// --- a form that does not exist
return "x".normalize("NFX")

// --- being well-formed
// with "abc"
// with "😀"
// with "\ud83d"
// with "a\ude00b"
// with "\ude00\ud83d"
return [$CASE.isWellFormed(), $CASE.toWellFormed(), $CASE.toWellFormed().length]

// --- making strings
// with String.fromCharCode(72, 105, 65601)
// with String.fromCodePoint(128512, 97)
// with String.fromCodePoint(1114112)
// with String.raw`a\n${1 + 1}\u0041`
// with String.raw({ raw: ["x", "y", "z"] }, 1, 2, 3)
// with String(null) + String(undefined) + String([1, [2, 3]]) + String({})
// with String(Symbol("s"))
// with `${[]}|${{}}|${() => 1}`
// with "a".concat(1, null, [2], {})
// with String(-0) + `${-0}`
// with [null, undefined, 1, [2, [null]]].join("-")
// with "\x41\u{1F600}\u0042\0".length
// with "tab\tquote\"backslash\\".length
// with `${1}${"a"}${`nested ${2 + 3}`}`
return $CASE.toString()

// --- a symbol is not made a string by a template
return `${Symbol("x")}`

// --- title case
return "the quick brown fox".split(" ").map((w) => w[0].toUpperCase() + w.slice(1)).join(" ")

// --- slug
const slug = (s) => s.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
return ["Crème Brûlée!", "  Ünïcödé -- Text ", "ÅÄÖ & øæ"].map(slug)

// --- reversing by code points
return [..."añ😀z"].reverse().join("")

// --- palindromes
const isPalindrome = (s) => { const t = s.toLowerCase().replace(/[^a-z]/g, ""); return t === [...t].reverse().join("") };
return ["A man, a plan, a canal: Panama", "hello", ""].map(isPalindrome)

// --- counting letters
const counts = {};
for (const c of "mississippi") counts[c] = (counts[c] ?? 0) + 1;
return Object.entries(counts).sort(([a, n], [b, m]) => m - n || a.localeCompare(b))

// --- caesar and back
const shift = (s, n) => s.replace(/[a-z]/gi, (c) => { const base = c <= "Z" ? 65 : 97; return String.fromCharCode((c.charCodeAt(0) - base + n + 26) % 26 + base) });
return [shift("Hello, World", 3), shift(shift("Hello, World", 3), -3)]

// --- wrapping lines
const wrap = (s, n) => s.split(" ").reduce((lines, w) => { const last = lines.at(-1); if ((last + " " + w).trim().length <= n) lines[lines.length - 1] = (last + " " + w).trim(); else lines.push(w); return lines }, [""]);
return wrap("the quick brown fox jumps over the lazy dog and runs away", 15)

// --- strings do not change
const s = "abc"; s[0] = "z"

// --- string objects
const s = new String("abc");
return show([typeof s, s == "abc", s === "abc", s.length, Object.keys(s), s instanceof String, [...s], Object.getOwnPropertyDescriptor(s, 1)])

// --- html methods of old
return ["x".anchor('a"b'), "x".big(), "x".link("u"), "abc".substr(-2, 1), escape("ä ü+/€"), unescape("%u20AC%E4")]

// --- levenshtein distance
const distance = (a, b) => {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
        let previous = row[0];
        row[0] = i;
        for (let j = 1; j <= b.length; j++)
            [previous, row[j]] = [row[j], Math.min(row[j] + 1, row[j - 1] + 1, previous + (a[i - 1] === b[j - 1] ? 0 : 1))];
    }
    return row[b.length];
};
return [["kitten", "sitting"], ["flaw", "lawn"], ["", "abc"], ["same", "same"]].map(([a, b]) => distance(a, b))

// --- run-length encoding
const encode = (s) => s.replace(/(.)\1+/g, (run, c) => run.length + c);
const decode = (s) => s.replace(/(\d+)(.)/g, (_, n, c) => c.repeat(n));
return [encode("wwwwaaadexxxxxx"), decode(encode("wwwwaaadexxxxxx")), encode("abc")]

// --- encoding components
// with encodeURIComponent("a b&c=ü/😀")
// with encodeURI("https://x.y/ä b?q=1&r=#h")
// with decodeURIComponent("%F0%9F%98%80%20")
// with decodeURI("%2Fa%20b")
// with decodeURIComponent("%")
// with decodeURIComponent("%FF")
// with encodeURIComponent("\ud800")
// with encodeURIComponent("!'()*~-_.")
// with btoa("Hello, World!")
// with atob("SGVsbG8=")
return $CASE
