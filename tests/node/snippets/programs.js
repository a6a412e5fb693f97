// programs.js - small programs like those in capabilities.

// --- orders by customer
const orders = [{ id: 1, who: "ann", items: [{ p: 5, q: 2 }, { p: 1.5, q: 4 }] }, { id: 2, who: "bob", items: [] }, { id: 3, who: "ann", items: [{ p: 10, q: 1 }] }];
const totals = Object.entries(Object.groupBy(orders, ({ who }) => who)).map(([who, os]) => ({ who, orders: os.length, total: os.flatMap((o) => o.items).reduce((t, { p, q }) => t + p * q, 0) }));
return totals.toSorted((a, b) => b.total - a.total)

// --- joining two tables
const users = [{ id: 1, n: "ann" }, { id: 2, n: "bob" }], posts = [{ u: 1, t: "x" }, { u: 1, t: "y" }, { u: 3, t: "z" }];
const byId = new Map(users.map((u) => [u.id, u]));
return posts.map(({ u, ...p }) => ({ ...p, author: byId.get(u)?.n ?? "unknown" }))

// --- a pivot table
const rows = [["N", "Q1", 5], ["N", "Q2", 7], ["S", "Q1", 3], ["N", "Q1", 1]], t = {};
for (const [r, c, v] of rows) (t[r] ??= {})[c] = (t[r][c] ?? 0) + v;
return t

// --- pages from a server
const server = async (cursor = 0) => { await null; const all = Array.from({ length: 7 }, (_, i) => `item${i}`); return { items: all.slice(cursor, cursor + 3), next: cursor + 3 < all.length ? cursor + 3 : null } };
async function* every() { let c = 0; do { const { items, next } = await server(c); yield* items; c = next } while (c !== null) }
const out = []; for await (const i of every()) out.push(i);
return out

// --- a rate limiter
class Bucket { constructor(size, perMs) { Object.assign(this, { size, perMs, tokens: size, at: 0 }) } take(now, n = 1) { this.tokens = Math.min(this.size, this.tokens + (now - this.at) * this.perMs); this.at = now; return this.tokens >= n && (this.tokens -= n, true) } }
const b = new Bucket(2, 0.01);
return [0, 1, 2, 100, 150, 210].map((t) => b.take(t))

// --- a router
const routes = [["/users/:id", "user"], ["/users/:id/posts/:post", "post"], ["/static/*", "file"]].map(([p, name]) => [new RegExp("^" + p.replace(/:(\w+)/g, "(?<$1>[^/]+)").replace("*", "(?<rest>.*)") + "$"), name]);
const match = (url) => { for (const [re, name] of routes) { const m = re.exec(url); if (m) return { name, ...m.groups } } return null };
return ["/users/5", "/users/5/posts/9", "/static/a/b.css", "/none"].map(match)

// --- an expression evaluator
const evaluate = (s, env = {}) => { const ts = s.match(/\d+(?:\.\d+)?|[a-z]\w*|[-+*/^(),]/gi); let i = 0; const power = { "+": 1, "-": 1, "*": 2, "/": 2, "^": 3 };
    const prefix = () => { const t = ts[i++]; if (t === "(") { const v = expr(0); i++; return v } if (t === "-") return -expr(2.5); if (/\d/.test(t)) return +t; if (ts[i] === "(") { i++; const a = []; while (ts[i] !== ")") { a.push(expr(0)); if (ts[i] === ",") i++ } i++; return Math[t](...a) } if (!(t in env)) throw new ReferenceError(t); return env[t] };
    const expr = (min) => { let l = prefix(); while (power[ts[i]] > min) { const op = ts[i++], r = expr(op === "^" ? power[op] - 1 : power[op]); l = { "+": l + r, "-": l - r, "*": l * r, "/": l / r, "^": l ** r }[op] } return l };
    return expr(0) };
return [evaluate("1 + 2 * 3"), evaluate("2 ^ 3 ^ 2"), evaluate("-(4 - 6) * max(2, x, 3)", { x: 7 }), evaluate("10 / 4 - 1"), attempt(() => evaluate("y + 1"))]

// --- lisp
const parse = (s) => { const ts = s.replace(/[()]/g, " $& ").trim().split(/\s+/), read = () => { const t = ts.shift(); if (t === "(") { const l = []; while (ts[0] !== ")") l.push(read()); ts.shift(); return l } return isNaN(t) ? t : +t }; return read() };
const env = { "+": (...a) => a.reduce((x, y) => x + y), "*": (...a) => a.reduce((x, y) => x * y), "-": (a, b) => a - b, "<": (a, b) => a < b };
const run = (x, e) => typeof x === "string" ? e[x] : typeof x === "number" ? x : x[0] === "if" ? run(run(x[1], e) ? x[2] : x[3], e) : x[0] === "define" ? e[x[1]] = run(x[2], e) : x[0] === "lambda" ? (...a) => run(x[2], Object.assign(Object.create(e), Object.fromEntries(x[1].map((p, i) => [p, a[i]])))) : run(x[0], e)(...x.slice(1).map((y) => run(y, e)));
run(parse("(define fact (lambda (n) (if (< n 2) 1 (* n (fact (- n 1))))))"), env);
return run(parse("(+ (fact 5) (fact 3) ((lambda (x) (* x x)) 7))"), env)

// --- a brainf interpreter
const bf = (p, input = "") => { const t = new Uint8Array(300), jump = {}, st = []; [...p].forEach((c, i) => { if (c === "[") st.push(i); if (c === "]") { const j = st.pop(); jump[i] = j; jump[j] = i } }); let o = "", d = 0, k = 0; for (let i = 0; i < p.length; i++) switch (p[i]) { case ">": d++; break; case "<": d--; break; case "+": t[d]++; break; case "-": t[d]--; break; case ".": o += String.fromCharCode(t[d]); break; case ",": t[d] = input.charCodeAt(k++); break; case "[": if (!t[d]) i = jump[i]; break; case "]": if (t[d]) i = jump[i] } return o };
return [bf("++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------.--------.>>+."), bf(",+.,+.", "HI")]

// --- dijkstra
const g = { a: { b: 7, c: 9, f: 14 }, b: { c: 10, d: 15 }, c: { d: 11, f: 2 }, d: { e: 6 }, f: { e: 9 }, e: {} };
const shortest = (from) => { const dist = { [from]: 0 }, prev = {}, todo = new Set(Object.keys(g)); while (todo.size) { const u = [...todo].reduce((m, v) => (dist[v] ?? Infinity) < (dist[m] ?? Infinity) ? v : m); todo.delete(u); for (const [v, w] of Object.entries(g[u])) if (dist[u] + w < (dist[v] ?? Infinity)) { dist[v] = dist[u] + w; prev[v] = u } } return { dist, prev } };
const { dist, prev } = shortest("a"), path = ["e"]; while (prev[path[0]]) path.unshift(prev[path[0]]);
return [dist, path]

// --- game of life
const step = (live) => { const n = new Map(); for (const c of live) { const [x, y] = c.split(",").map(Number); for (const dx of [-1, 0, 1]) for (const dy of [-1, 0, 1]) if (dx || dy) { const k = `${x + dx},${y + dy}`; n.set(k, (n.get(k) ?? 0) + 1) } } return new Set([...n].filter(([k, c]) => c === 3 || c === 2 && live.has(k)).map(([k]) => k)) };
let s = new Set(["1,0", "2,1", "0,2", "1,2", "2,2"]); for (let i = 0; i < 8; i++) s = step(s);
return [...s].sort()

// --- eight queens
const solve = (n, row = 0, cols = []) => row === n ? 1 : Array.from({ length: n }, (_, c) => cols.every((x, r) => x !== c && Math.abs(x - c) !== row - r) ? solve(n, row + 1, [...cols, c]) : 0).reduce((a, b) => a + b);
return [4, 5, 6].map((n) => solve(n))

// --- sudoku
const p = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79", b = [...p];
const ok = (i, d) => { const r = Math.floor(i / 9), c = i % 9; for (let k = 0; k < 9; k++) if (b[r * 9 + k] === d || b[k * 9 + c] === d || b[(r - r % 3 + Math.floor(k / 3)) * 9 + c - c % 3 + k % 3] === d) return false; return true };
const solve = () => { const i = b.indexOf("."); if (i < 0) return true; for (const d of "123456789") if (ok(i, d)) { b[i] = d; if (solve()) return true; b[i] = "." } return false };
return [solve(), b.join("")]

// --- longest common subsequence
const lcs = (a, b) => { const t = Array.from({ length: a.length + 1 }, () => Array(b.length + 1).fill("")); for (let i = 1; i <= a.length; i++) for (let j = 1; j <= b.length; j++) t[i][j] = a[i - 1] === b[j - 1] ? t[i - 1][j - 1] + a[i - 1] : t[i - 1][j].length >= t[i][j - 1].length ? t[i - 1][j] : t[i][j - 1]; return t[a.length][b.length] };
return [lcs("AGGTAB", "GXTXAYB"), lcs("abc", "xyz")]

// --- knapsack and coins
const knap = (cap, items) => { const best = Array(cap + 1).fill(0); for (const [w, v] of items) for (let c = cap; c >= w; c--) best[c] = Math.max(best[c], best[c - w] + v); return best[cap] };
const ways = (n, coins) => coins.reduce((w, c) => { for (let i = c; i <= n; i++) w[i] += w[i - c]; return w }, [1, ...Array(n).fill(0)])[n];
return [knap(10, [[5, 10], [4, 40], [6, 30], [3, 50]]), ways(100, [1, 5, 10, 25, 50])]

// --- quicksort, mergesort and heapsort agree
const quick = ([p, ...r]) => p === undefined ? [] : [...quick(r.filter((x) => x < p)), p, ...quick(r.filter((x) => x >= p))];
const merge = (a) => { if (a.length < 2) return a; const m = a.length >> 1, l = merge(a.slice(0, m)), r = merge(a.slice(m)), o = []; while (l.length && r.length) o.push(l[0] <= r[0] ? l.shift() : r.shift()); return [...o, ...l, ...r] };
const xs = Array.from({ length: 60 }, (_, i) => (i * 37 + 11) % 101);
return [quick(xs).join() === merge(xs).join(), merge(xs).join() === xs.toSorted((a, b) => a - b).join(), merge(xs).slice(0, 5)]

// --- huffman codes
const text = "abracadabra", count = Map.groupBy(text, (c) => c);
let q = [...count].map(([c, l]) => ({ c, n: l.length }));
while (q.length > 1) { q.sort((a, b) => a.n - b.n || (a.c ?? "~").localeCompare(b.c ?? "~")); const [a, b, ...rest] = q; q = [...rest, { n: a.n + b.n, kids: [a, b] }] }
const codes = {}, walk = (n, at = "") => n.kids ? n.kids.forEach((k, i) => walk(k, at + i)) : codes[n.c] = at; walk(q[0]);
return [Object.keys(codes).length, [...text].map((c) => codes[c]).join("").length, codes.a.length]

// --- lzw
const pack = (s) => { const d = new Map(Array.from({ length: 256 }, (_, i) => [String.fromCharCode(i), i])), o = []; let w = ""; for (const c of s) if (d.has(w + c)) w += c; else { o.push(d.get(w)); d.set(w + c, d.size); w = c } return w ? [...o, d.get(w)] : o };
return pack("TOBEORNOTTOBEORTOBEORNOT")

// --- base64 by hand
const A = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const enc = (s) => s.replace(/[^]{1,3}/g, (c) => { const n = [0, 1, 2].reduce((v, i) => v << 8 | (c.charCodeAt(i) || 0), 0); return [18, 12, 6, 0].map((b, i) => i > c.length ? "=" : A[n >> b & 63]).join("") });
return ["", "f", "fo", "foo", "foobar"].map((s) => [enc(s), enc(s) === btoa(s)])

// --- markdown table
const rows = [{ name: "ann", n: 5 }, { name: "roberta", n: 12345 }], cols = Object.keys(rows[0]), w = cols.map((c) => Math.max(c.length, ...rows.map((r) => String(r[c]).length)));
const line = (f) => `| ${cols.map((c, i) => f(c, i)).join(" | ")} |`;
return [line((c, i) => c.padEnd(w[i])), line((c, i) => "-".repeat(w[i])), ...rows.map((r) => line((c, i) => typeof r[c] === "number" ? String(r[c]).padStart(w[i]) : r[c].padEnd(w[i])))].join("\n")

// --- xml made
const xml = (t, a = {}, ...k) => { const at = Object.entries(a).map(([n, v]) => ` ${n}="${String(v).replaceAll('"', "&quot;")}"`).join(""); return k.length ? `<${t}${at}>${k.flat().join("")}</${t}>` : `<${t}${at}/>` };
return xml("feed", { v: 1 }, [1, 2].map((i) => xml("item", { id: i, q: 'a"b' }, `text ${i}`)), xml("end"))

// --- yaml, a little of it
const yaml = (v, pad = "") => Array.isArray(v) ? v.map((x) => `${pad}- ${typeof x === "object" ? yaml(x, pad + "  ").trimStart() : x}`).join("\n") : Object.entries(v).map(([k, x]) => `${pad}${k}:${x && typeof x === "object" ? "\n" + yaml(x, pad + "  ") : " " + x}`).join("\n");
return yaml({ a: 1, b: { c: [1, 2, { d: "x", e: null }] }, f: true })

// --- parsing command lines
const parse = (argv) => { const o = { _: [] }; for (let i = 0; i < argv.length; i++) { const m = /^--(no-)?([\w-]+)(?:=(.*))?$/.exec(argv[i]); if (argv[i] === "--") { o._.push(...argv.slice(i + 1)); break } if (!m) o._.push(argv[i]); else o[m[2].replace(/-(\w)/g, (_, c) => c.toUpperCase())] = m[1] ? false : m[3] ?? (argv[i + 1]?.startsWith("-") ?? true ? true : argv[++i]) } return o };
return parse(["run", "--dry-run", "--name=x y", "--level", "5", "--no-color", "--", "--raw"])

// --- versions compared
const cmp = (a, b) => { const [x, y] = [a, b].map((v) => v.split(/[-.]/)); for (let i = 0; i < Math.max(x.length, y.length); i++) { if (x[i] === y[i]) continue; if (x[i] === undefined) return isNaN(y[i]) ? 1 : -1; if (y[i] === undefined) return isNaN(x[i]) ? -1 : 1; return isNaN(x[i]) || isNaN(y[i]) ? x[i] < y[i] ? -1 : 1 : x[i] - y[i] } return 0 };
return ["1.10.0", "1.2.0", "1.2.0-beta", "1.2", "2.0.0-alpha", "2.0.0"].sort(cmp)

// --- natural order
const key = (s) => s.split(/(\d+)/).map((p) => /^\d/.test(p) ? p.padStart(10, "0") : p.toLowerCase()).join("");
return ["img12", "img2", "IMG1", "img10b", "img10a"].sort((a, b) => key(a) < key(b) ? -1 : 1)

// --- glob patterns
const glob = (g) => new RegExp("^" + g.replace(/[.+^${}()|\\]/g, "\\$&").replace(/\*\*\/|\*\*|\*|\?/g, (m) => ({ "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]" })[m]) + "$");
const files = ["a.js", "src/a.js", "src/x/b.js", "src/c.ts"];
return ["*.js", "src/*", "src/**/*.js", "**/?.ts", "**"].map((g) => files.filter((f) => glob(g).test(f)))

// --- paths made normal
const normal = (p) => { const out = []; for (const s of p.split("/")) if (s === "..") out.length && out.at(-1) !== ".." ? out.pop() : p.startsWith("/") || out.push(".."); else if (s && s !== ".") out.push(s); return (p.startsWith("/") ? "/" : "") + out.join("/") || "." };
return ["/a/b/../c/./d", "a/../../b", "/../x", "./", "a//b/"].map(normal)

// --- a text index
const docs = ["the quick brown fox", "the lazy dog", "quick dogs run"], index = new Map();
docs.forEach((d, i) => d.split(" ").forEach((w) => index.getOrInsertComputed(w, () => new Set()).add(i)));
const find = (q) => [...q.split(" ").map((w) => index.get(w) ?? new Set()).reduce((a, b) => a.intersection(b))];
return [find("quick"), find("the quick"), find("none"), index.size]

// --- ranking by tf-idf
const docs = [["a", "b", "a"], ["b", "c"], ["c", "c", "d"]], df = new Map(); for (const d of docs) for (const w of new Set(d)) df.set(w, (df.get(w) ?? 0) + 1);
const score = (d, w) => d.filter((x) => x === w).length / d.length * Math.log(docs.length / df.get(w));
return docs.map((d) => ["a", "b", "c", "d"].map((w) => score(d, w).toFixed(4)))

// --- fuzzy search
const fuzzy = (q, s) => { let at = -1, gaps = 0; for (const c of q) { const n = s.indexOf(c, at + 1); if (n < 0) return null; gaps += n - at - 1; at = n } return gaps };
return ["fuzzy search", "fzs", "puzzle fuss", "zoo"].map((s) => [s, fuzzy("fzs", s)]).filter(([, n]) => n !== null).sort((a, b) => a[1] - b[1])

// --- moving averages
const avg = (xs, n) => xs.map((_, i) => i + 1 < n ? null : +(xs.slice(i + 1 - n, i + 1).reduce((a, b) => a + b) / n).toFixed(3));
return avg([1, 2, 4, 8, 16, 15, 10], 3)

// --- a line through points
const pts = [[1, 2.1], [2, 3.9], [3, 6.2], [4, 7.8]], n = pts.length, [sx, sy, sxy, sxx] = pts.reduce(([a, b, c, d], [x, y]) => [a + x, b + y, c + x * y, d + x * x], [0, 0, 0, 0]), m = (n * sxy - sx * sy) / (n * sxx - sx * sx);
return [m.toFixed(6), ((sy - m * sx) / n).toFixed(6)]

// --- intervals merged
const merge = (xs) => xs.toSorted(([a], [b]) => a - b).reduce((out, [s, e]) => { const l = out.at(-1); if (l && s <= l[1]) l[1] = Math.max(l[1], e); else out.push([s, e]); return out }, []);
return merge([[8, 10], [1, 3], [2, 6], [15, 18], [17, 20], [6, 7]])

// --- a schedule with dependencies
const tasks = { build: { ms: 3, after: ["fetch"] }, fetch: { ms: 2, after: [] }, test: { ms: 4, after: ["build"] }, lint: { ms: 1, after: ["fetch"] }, ship: { ms: 1, after: ["test", "lint"] } };
const end = (n) => tasks[n].end ??= Math.max(0, ...tasks[n].after.map(end)) + tasks[n].ms;
return Object.keys(tasks).map((n) => [n, end(n)]).sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1))

// --- undo and redo
class History { #done = []; #undone = []; constructor(s) { this.s = s } do(f) { this.#done.push(this.s); this.#undone = []; this.s = f(this.s); return this } undo() { if (this.#done.length) { this.#undone.push(this.s); this.s = this.#done.pop() } return this } redo() { if (this.#undone.length) { this.#done.push(this.s); this.s = this.#undone.pop() } return this } }
const h = new History(1).do((x) => x + 1).do((x) => x * 10);
return [h.s, h.undo().s, h.undo().undo().s, h.redo().redo().redo().s, h.undo().do(() => 7).redo().s]

// --- a small virtual machine
const run = (code, stack = []) => { for (let pc = 0, n = 0; pc < code.length && n < 1000; n++) { const [op, a] = code[pc++]; ({ push: () => stack.push(a), add: () => stack.push(stack.pop() + stack.pop()), mul: () => stack.push(stack.pop() * stack.pop()), dup: () => stack.push(stack.at(-1 - (a ?? 0))), swap: () => stack.push(...stack.splice(-2).reverse()), jnz: () => { if (stack.at(-1)) pc = a }, drop: () => stack.pop() })[op]() } return stack };
return run([["push", 1], ["push", 5], ["dup"], ["swap"], ["drop"], ["swap"], ["dup", 1], ["mul"], ["swap"], ["push", -1], ["add"], ["jnz", 5], ["drop"]])

// --- bits as flags
const F = Object.freeze({ READ: 1, WRITE: 2, RUN: 4 }), names = (m) => Object.entries(F).filter(([, b]) => m & b).map(([n]) => n);
let m = F.READ | F.RUN; m |= F.WRITE; m &= ~F.READ; m ^= F.RUN;
return [names(m), names(7), names(0)]

// --- money without fractions
const split = (cents, n) => Array.from({ length: n }, (_, i) => Math.floor(cents / n) + (i < cents % n ? 1 : 0)), show2 = (c) => `${Math.trunc(c / 100)}.${String(Math.abs(c) % 100).padStart(2, "0")}`;
return [split(1000, 3).map(show2), split(100, 3).reduce((a, b) => a + b), show2(-505)]

// --- luhn
const luhn = (s) => [...s.replace(/\D/g, "")].reverse().reduce((t, d, i) => t + (i % 2 ? (d * 2 > 9 ? d * 2 - 9 : d * 2) : +d), 0) % 10 === 0;
return ["4539 1488 0343 6467", "8273 1232 7352 0569", "79927398713"].map(luhn)

// --- colours
const rgb = (h) => h.match(/\w\w/g).map((x) => parseInt(x, 16)), hsl = ([r, g, b]) => { [r, g, b] = [r, g, b].map((x) => x / 255); const M = Math.max(r, g, b), m = Math.min(r, g, b), d = M - m, l = (M + m) / 2, h = !d ? 0 : M === r ? (g - b) / d % 6 : M === g ? (b - r) / d + 2 : (r - g) / d + 4; return [Math.round(h * 60 + 360) % 360, Math.round(d ? d / (1 - Math.abs(2 * l - 1)) * 100 : 0), Math.round(l * 100)] };
return ["#ff0000", "#00ff80", "#336699", "#777777"].map((c) => hsl(rgb(c)))

// --- points in a polygon
const inside = ([x, y], p) => p.reduce((r, [xi, yi], i) => { const [xj, yj] = p.at(i - 1); return yi > y !== yj > y && x < (xj - xi) * (y - yi) / (yj - yi) + xi ? !r : r }, false);
return [[2, 2], [5, 5], [0.5, 3.5], [3, 1]].map((p) => inside(p, [[0, 0], [4, 0], [4, 4], [0, 4]]))

// --- a maze walked
const maze = ["S.#.....", ".##.###.", "....#...", ".##...#E"], find = (c) => { const r = maze.findIndex((l) => l.includes(c)); return [r, maze[r].indexOf(c)] };
const [er, ec] = find("E"), seen = new Set(), q = [[...find("S"), 0]];
for (const [r, c, d] of q) { if (r === er && c === ec) return [d, seen.size]; for (const [dr, dc] of [[0, 1], [1, 0], [0, -1], [-1, 0]]) { const k = `${r + dr},${c + dc}`; if ((maze[r + dr]?.[c + dc] ?? "#") !== "#" && !seen.has(k)) { seen.add(k); q.push([r + dr, c + dc, d + 1]) } } }
return "no way"

// --- numbers in words
const ones = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(" "), tens = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const words = (n) => n < 20 ? ones[n] : n < 100 ? tens[Math.floor(n / 10) - 2] + (n % 10 ? "-" + ones[n % 10] : "") : n < 1000 ? ones[Math.floor(n / 100)] + " hundred" + (n % 100 ? " and " + words(n % 100) : "") : words(Math.floor(n / 1000)) + " thousand" + (n % 1000 ? " " + words(n % 1000) : "");
return [0, 13, 42, 100, 999, 12345].map(words)

// --- pascal's triangle
return Array.from({ length: 6 }).reduce((t) => [...t, t.at(-1).map((x, i, r) => x + (r[i - 1] ?? 0)).concat(1)], [[1]])

// --- look and say
let s = "1"; const out = [s]; for (let i = 0; i < 6; i++) out.push(s = s.replace(/(\d)\1*/g, (r, d) => r.length + d));
return out

// --- anagrams
const key = (w) => [...w].sort().join("");
return [...Map.groupBy(["listen", "silent", "enlist", "google", "elgoog", "abc"], key).values()].filter((g) => g.length > 1)

// --- brackets
const ok = (s) => { const st = []; for (const c of s) if ("([{".includes(c)) st.push(c); else if (")]}".includes(c) && st.pop() !== { ")": "(", "]": "[", "}": "{" }[c]) return false; return !st.length };
return ["([]{})", "([)]", "((", "", "a(b)c]"].map(ok)
