// regexps.js - regular expressions.

// --- exec
// with /(\d+)-(\d+)/.exec("tel 10-20-30")
// with /(?<y>\d{4})-(?<m>\d\d)/.exec("on 2024-05-06")
// with /(?<=\$)\d+(\.\d+)?/.exec("cost $42.50")
// with /(?<!\$)\b\d+/.exec("$42 or 17")
// with /(?<=(\d+)(\d+))$/.exec("1053")
// with /\b\w+(?=!)/.exec("hi there!")
// with /q(?!u)/.exec("queue qat")
// with /(a+)+b/.exec("aaac")
// with /a{2,3}?/.exec("aaaa")
// with /a{2,3}/.exec("aaaa")
// with /(z)((a+)?(b+)?(c))*/.exec("zaacbbbcac")
// with /(?:(a)|b)*/.exec("ab")
// with /(a)|(b)/.exec("b")
// with /^b/m.exec("a\nb")
// with /a.c/.exec("a\nc")
// with /a.c/s.exec("a\nc")
// with /\u{1F600}/u.exec("x😀")
// with /^.$/u.exec("😀")
// with /^.$/.exec("😀")
// with /\p{L}+/u.exec("123 Ünï")
// with /\p{Script=Greek}+/u.exec("abc αβγ")
// with /\p{Lu}/u.exec("abC")
// with /\P{L}+/u.exec("ab12")
// with /\p{Emoji_Presentation}/u.exec("a😀")
// with /[\p{L}\p{N}_]+/u.exec("-ñ1_-")
// with /[\p{L}--[a-z]]+/v.exec("abcÀÉd")
// with /[[a-z]&&[aeiou]]+/v.exec("xyzaeb")
// with /^\p{RGI_Emoji}$/v.exec("👨‍👩‍👧")
// with /[\q{abc|d}x]+/v.exec("zabcdx")
// with /(\w)\1/.exec("hello")
// with /(?<c>\w)\k<c>/.exec("hello")
// with /\cJ/.exec("\n")
// with /[\b]/.exec("\b")
// with /\x41\u0042/.exec("AB")
// with /[^]/.exec("\n")
// with /[]/.exec("a")
// with /\//.exec("a/b")
// with /(?i:a)b/.exec("Ab AB")
// with /(?-i:a)b/i.exec("AB aB")
// with /(?:(?<k>a)|(?<k>b))/.exec("b")
// with /ſ/i.exec("S")
// with /ſ/iu.exec("S")
// with /\w/iu.exec("ſ")
// with /[^x]/iu.exec("X")
// with /Σ/i.exec("ς")
// with /ß/iu.exec("ẞ")
// with /\d{3,}/.exec("12 1234")
// with /x*/.exec("aaa")
// with /(?=(a))ab\1?/.exec("aba")
// with /(?!(a))b|\1/.exec("b")
// with /^(?:\+|-)?\d+$/.exec("-12")
// with /(?<year>\d+)(?<rest>x)?/.exec("99").groups
// with /a|ab|abc/.exec("abc")
// with /((a)|b)+?c/.exec("abac")
// with /\s+/.exec("a\u00a0\ufeff\u2029b")
// with /\0/.exec("\0")
// with /[a-z\d-]+/.exec("_a-9_")
// with /$^/.exec("")
// with /(?:)/.exec("abc")
// with /(?<=^|,)[^,]*/.exec("a,b")
const m = $CASE;
return show(m && { ...m, index: m.index, groups: m.groups && { ...m.groups } })

// --- match all
// with "a1b22c333".matchAll(/[a-z](\d+)/g)
// with "aaa".matchAll(/a*?/g)
// with "😀😀".matchAll(/(?:)/gu)
// with "k1=v1;k2=v2".matchAll(/(?<key>\w+)=(?<value>\w+)/g)
// with "abc".matchAll("b")
// with "a.b".matchAll(".")
// with "x".matchAll(/x/)
// with "The Cat".matchAll(/[A-Z]/g)
// with "aXbX".matchAll(/(?<=([a-z]))X/g)
// with "null".matchAll(null)
return show([...$CASE].map((m) => [...m, m.index, { ...m.groups }]))

// --- match
// with "aBc".match(/[a-z]/g)
// with "abc".match(/z/g)
// with "abc".match(/z/)
// with "abc".match("b").index
// with "abc".match().length
// with "1,2;3".match(/\d/g).map(Number)
// with "a\nb\r\nc".match(/^.*$/gm)
// with "x😀y".match(/./gu)
// with "aaa".match(/a/y)
// with "baa".match(/a/y)
// with "aab".match(/a/gy)
return show($CASE)

// --- flags and source
// with /a/dgimsuy
// with /[/]\//
// with new RegExp("/")
// with new RegExp("")
// with new RegExp("\n")
// with new RegExp(/a/g, "i")
// with RegExp(/x/g)
// with new RegExp("a", "gg")
// with new RegExp("a", "uv")
// with new RegExp("(")
// with new RegExp("a**")
// with new RegExp("\\u{110000}", "u")
// with new RegExp("{1}")
// with new RegExp("a{2,1}")
// with new RegExp("[b-a]")
// with new RegExp("(?<a>x)(?<a>y)")
// with new RegExp("\\k<z>", "u")
// with new RegExp("(?<1a>x)")
// with new RegExp("\\p{Nope}", "u")
// with new RegExp("\\-", "u")
// with new RegExp("]", "u")
// with new RegExp("(?<=a)+")
// with new RegExp("[a&&&b]", "v")
// with new RegExp(undefined)
// with new RegExp(null, "g")
return show([$CASE].map((r) => [String(r), r.source, r.flags, r.global, r.lastIndex, r.unicodeSets, r.hasIndices]))

// --- lastIndex
const g = /a/g, y = /a/y, log = [];
for (let i = 0; i < 4; i++) log.push([g.test("abab"), g.lastIndex, y.test("aab"), y.lastIndex]);
return log

// --- lastIndex set by hand
const r = /b/g; r.lastIndex = 2;
return [r.exec("bab").index, r.lastIndex, (r.lastIndex = 10, r.test("b")), r.lastIndex]

// --- indices
const m = /(?<a>\d)(x)?(?<b>\d)/d.exec("--12");
return show([m.indices.slice(), { ...m.indices.groups }])

// --- sticky tokens
const lex = (s) => { const re = /\s*(?:(\d+)|(\w+)|(.))/y, out = []; for (let m; re.lastIndex < s.length && (m = re.exec(s));) out.push(m[1] ? +m[1] : m[2] ?? m[3]); return out };
return lex("let x1 = 42+y;")

// --- escaping
// with RegExp.escape("a.b*c")
// with RegExp.escape("1+1=2")
// with RegExp.escape("foo-bar baz")
// with RegExp.escape("(x)[y]{z}^$|\\/")
// with RegExp.escape("é😀\n\t")
// with RegExp.escape("")
// with RegExp.escape(5)
return $CASE

// --- an escaped text matches itself
const s = "a.b*c?(d)[e]{1}|^$\\ -/,\n";
return [new RegExp(`^${RegExp.escape(s)}$`).test(s), new RegExp(`^${RegExp.escape(s)}$`, "u").test(s), new RegExp(`^[${RegExp.escape("]-^")}]+$`, "v").test("^-]")]

// --- validating
// with /^[\w.+-]+@[\w-]+(\.[\w-]+)+$/
// with /^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/
// with /^#(?:[\da-f]{3}){1,2}$/i
// with /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/
// with /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,}$/
// with /^[a-z0-9]+(?:-[a-z0-9]+)*$/
// with /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
// with /^(?:[01]\d|2[0-3]):[0-5]\d$/
// with /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
// with /^(?:https?):\/\/[^\s/?#]+(?:[/?#]\S*)?$/
return ["me@x.org", "a.b+c@d-e.co.uk", "bad@", "192.168.1.255", "256.1.1.1", "#fff", "#12345G", "2024-02-30", "2024-13-01", "Passw0rdX", "password", "some-slug-1", "-1.5e10", "01", "23:59", "24:00", "123e4567-e89b-12d3-a456-426614174000", "https://x.org/p?q#h", "ftp://x"].filter((s) => $CASE.test(s))

// --- replacing with functions and groups
const out = "2024-01-15 and 2023-12-31".replace(/(?<y>\d{4})-(?<m>\d\d)-(?<d>\d\d)/g, (...a) => { const { y, m, d } = a.at(-1); return `${+d}.${+m}.${y} (${a.at(-3)})` });
return out

// --- a template engine
const render = (t, o) => t.replace(/\{\{\s*([\w.]+)\s*(?:\|\s*(\w+)\s*)?\}\}/g, (all, path, filter) => { const v = path.split(".").reduce((x, k) => x?.[k], o) ?? ""; return filter === "upper" ? v.toUpperCase() : v });
return render("Hi {{ user.name | upper }}, you have {{count}} new {{missing}}.", { user: { name: "ann" }, count: 3 })

// --- csv
const csv = (t) => t.trim().split("\n").map((l) => [...l.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, q, p]) => q?.replaceAll('""', '"') ?? p));
return csv('a,b,c\n1,"x, y","say ""hi"""\n,,end')

// --- a query string
return Object.fromEntries([..."?a=1&b=two%20words&c=&d".matchAll(/[?&]([^=&]+)(?:=([^&]*))?/g)].map(([, k, v = null]) => [k, v && decodeURIComponent(v)]))

// --- a url taken apart
return { .../^(?<scheme>\w+):\/\/(?:(?<user>[^@]+)@)?(?<host>[^:/?#]+)(?::(?<port>\d+))?(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?(?:#(?<hash>.*))?$/.exec("https://me@example.org:8080/a/b?x=1#top").groups }

// --- a log line
const re = /^(?<ip>[\d.]+) \S+ \S+ \[(?<time>[^\]]+)\] "(?<method>[A-Z]+) (?<path>\S+) [^"]*" (?<status>\d{3}) (?<size>\d+|-)/;
return { ...re.exec('127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326').groups }

// --- markdown
const md = (s) => s.replace(/^(#{1,6}) (.+)$/gm, (_, h, t) => `<h${h.length}>${t}</h${h.length}>`).replace(/\*\*(.+?)\*\*/g, "<b>$1</b>").replace(/\*(.+?)\*/g, "<i>$1</i>").replace(/\[(.+?)\]\((.+?)\)/g, '<a href="$2">$1</a>').replace(/`(.+?)`/g, "<code>$1</code>");
return md("# Title\nSome **bold**, *it*, `x*y` and [link](http://a.b)\n### Sub")

// --- escaping html
return `<a href="x">'&'</a>`.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c])

// --- words in camel case
return "parseHTTPResponse2Json fooBar".split(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|\s/)

// --- an ini file
const ini = (t) => { let s = {}; const r = s; for (const l of t.split(/\r?\n/)) { const m = /^\s*(?:\[(?<sec>[^\]]+)\]|(?<k>[^=;#\s]+)\s*=\s*(?<v>.*?)\s*(?:[;#].*)?)$/.exec(l)?.groups; if (m?.sec) s = r[m.sec] = {}; else if (m?.k) s[m.k] = m.v } return r };
return ini("a = 1\n[db]\nhost = x ; note\n# c\nport=5\r\n[z]")

// --- symbols of regular expressions
return show([/b/[Symbol.replace]("abc", "x"), /,/[Symbol.split]("a,b"), /b/[Symbol.search]("abc"), /b/g[Symbol.match]("abcb"), [..././g[Symbol.matchAll]("ab")].length])

// --- a match has the input
const m = "abc".match(/b/);
return [m.input, m.index, Array.isArray(m), Object.keys(m), JSON.stringify(m)]

// --- groups have no prototype
const m = /(?<toString>a)/.exec("a");
return [Object.getPrototypeOf(m.groups), m.groups.toString, /a/.exec("a").groups === undefined]

// --- many alternatives
const words = Array.from({ length: 300 }, (_, i) => "w" + i);
const re = new RegExp(`\\b(?:${words.join("|")})\\b`, "g");
return "w1 w299 w300 xw5 w42".match(re)

// --- a long subject
const s = "ab".repeat(20000) + "c";
return [/(?:ab)*c$/.test(s), s.match(/a/g).length, s.replace(/b/g, "").length, /^(?:a|b)*d/.test(s.slice(0, 50))]

// --- greedy and lazy
return ["<a><b>".match(/<.+>/)[0], "<a><b>".match(/<.+?>/)[0], "aaa".match(/a{2}?/)[0], "xay".replace(/a??/, "-")]

// --- nested quantifiers with captures
return show([/(?:(\d+),?)+/.exec("1,22,333").slice(), /(?:(a)|(b)|(c))+/.exec("abc").slice(), /(a?)*?$/.exec("aa").slice()])

// --- case folding of ranges
return ["K".match(/[a-z]/i)[0], "\u212a".match(/[a-z]/i), "\u212a".match(/[a-z]/iu)?.[0], "É".match(/[à-ÿ]/i)?.[0], /[^\W]/iu.test("ſ"), /\W/iu.test("ſ")]

// --- named groups in replace without names
return ["aa".replace(/(a)/, "$<x>"), "aa".replace(/(?<x>a)/, "[$<x>][$<y>][$<x"), "ab".replace(/(?<x>a)|b/g, "<$<x>>")]

// --- unicode properties
// with \p{Lu}
// with \p{Ll}
// with \p{Nd}
// with \p{Sc}
// with \p{Punctuation}
// with \p{White_Space}
// with \p{Script=Cyrillic}
// with \p{scx=Hira}
// with \p{ASCII}
// with \p{Alphabetic}
// with \p{Emoji}
// with \p{ID_Start}
// with \p{Uppercase}
// with \p{Any}
// with \p{Mn}
// with \p{General_Category=Other_Symbol}
// with \p{Script=Han}
// with \p{Changes_When_Lowercased}
return "Aaé1٣€$!« \u00a0ЖあーA\u0301漢😀©Ⅷ_\ud83d".match(/$CASE/gu)?.map((c) => c.codePointAt(0).toString(16))
