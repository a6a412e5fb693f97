// json.js - reading and writing JSON.

// --- written
// with JSON.stringify({ a: [1, { b: null }], c: "x" })
// with JSON.stringify([undefined, () => 1, Symbol("s"), NaN, -0, Infinity])
// with JSON.stringify({ u: undefined, f() {}, s: Symbol("s"), n: NaN })
// with JSON.stringify(undefined)
// with JSON.stringify(() => 1)
// with JSON.stringify(null)
// with JSON.stringify("a\"b\\c\n\t\b\f\r\u0001\u2028é😀")
// with JSON.stringify("\ud800")
// with JSON.stringify({ [Symbol("k")]: 1, a: 2 })
// with JSON.stringify(new Map([[1, 2]]))
// with JSON.stringify([new Number(1), new String("s"), new Boolean(false), Object(1n) instanceof BigInt])
// with JSON.stringify(1n)
// with JSON.stringify([1, [2, [3]]], null, 2)
// with JSON.stringify({ a: 1, b: { c: [] , d: {} } }, null, "--")
// with JSON.stringify({ a: 1 }, null, 20)
// with JSON.stringify({ a: 1 }, null, "12345678901234")
// with JSON.stringify({ a: 1 }, null, 0)
// with JSON.stringify({ a: 1, b: 2, c: { a: 3, d: 4 } }, ["a", "c"])
// with JSON.stringify({ 1: "x", 2: "y" }, [1])
// with JSON.stringify({ b: 1, a: 2 }, ["a", "b", "a"])
// with JSON.stringify({ a: 1, b: "x" }, (k, v) => typeof v === "number" ? v * 2 : v)
// with JSON.stringify({ a: 1, b: 2 }, (k, v) => k === "a" ? undefined : v)
// with JSON.stringify([1, 2], (k, v) => k === "0" ? undefined : v)
// with JSON.stringify({ toJSON() { return { replaced: true } } })
// with JSON.stringify({ a: { toJSON(key) { return "key " + key } } })
// with JSON.stringify([{ toJSON(key) { return typeof key + key } }])
// with JSON.stringify(new Date(0))
// with JSON.stringify({ d: new Date(NaN) })
// with JSON.stringify(Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true }, hidden: { value: 3 } }))
// with JSON.stringify([, 1])
// with JSON.stringify(/x/)
// with JSON.stringify(new Error("e"))
// with JSON.stringify({ get g() { return 1 } })
// with JSON.stringify([1e21, 1e-7, 0.1, 123456789012345680000])
// with JSON.stringify("</script>")
// with JSON.stringify({ "": 1, " ": 2, "\n": 3 })
// with JSON.stringify(Object.assign([1], { x: 2 }))
// with JSON.stringify({ a: 1 }, null, "\t")
// with JSON.stringify([[], {}], null, 1)
// with JSON.stringify(new Proxy({ a: 1 }, {}))
// with JSON.stringify(new Proxy([1, 2], {}))
// with JSON.stringify({ n: JSON.rawJSON("12345678901234567890") })
// with JSON.rawJSON("{}")
// with JSON.isRawJSON(JSON.rawJSON("1"))
// with JSON[Symbol.toStringTag]
return show($CASE)

// --- read
// with '{"a":[1,2,{"b":null}],"c":true}'
// with ' \t\n\r[1]\n'
// with '"\\u0041\\n\\/\\ud83d\\ude00"'
// with '-0'
// with '1e400'
// with '1E-5'
// with '12345678901234567890'
// with '{"a":1,"a":2}'
// with '{"__proto__":1}'
// with '{"2":1,"1":2,"b":3}'
// with 'null'
// with ''
// with '{a:1}'
// with "{'a':1}"
// with '[1,]'
// with '{"a":1,}'
// with '01'
// with '+1'
// with '.5'
// with '1.'
// with '0x1'
// with 'NaN'
// with 'undefined'
// with '"\t"'
// with '"\\x41"'
// with '"\\u12"'
// with '[1 2]'
// with '[1] x'
// with '// c\n1'
// with '\u00a0 1'
// with '\ufeff1'
// with '"\u2028"'
// with '{"a"}'
// with '['
// with 'tru'
// with '"abc'
// with '{"a":{"b":{"c":[]}}}'
// with '1e5'
// with '-'
// with '[-1.5e+3, 0.0]'
return show(JSON.parse($CASE))

// --- a reviver
const log = [];
const v = JSON.parse('{"a":[1,2],"b":{"c":3}}', function (k, v) { log.push([k, Array.isArray(this)]); return typeof v === "number" ? v + 1 : v });
return [v, log]

// --- a reviver that removes
return show([JSON.parse('{"a":1,"b":2}', (k, v) => k === "a" ? undefined : v), JSON.parse("[1,2,3]", (k, v) => k === "1" ? undefined : v)])

// --- a reviver that sees the source
return JSON.parse('{"big":12345678901234567890,"s":"x","l":[1.0]}', (k, v, { source }) => typeof v === "number" ? source : v)

// --- dates and maps revived
const text = JSON.stringify({ d: new Date(0), m: new Map([["a", 1]]), s: new Set([1]) }, function (k, v) { const o = this[k]; return o instanceof Date ? { $date: +o } : o instanceof Map ? { $map: [...o] } : o instanceof Set ? { $set: [...o] } : v });
return show([text, JSON.parse(text, (k, v) => v?.$date !== undefined ? new Date(v.$date) : v?.$map ? new Map(v.$map) : v?.$set ? new Set(v.$set) : v)])

// --- cycles
const o = { a: {} }; o.a.o = o;
return [attempt(() => JSON.stringify(o)), attempt(() => { const l = []; l.push(l); JSON.stringify(l) })]

// --- cycles cut out
const o = { n: 1, kids: [{}] }; o.kids[0].up = o; o.self = o;
const safe = (v) => { const above = []; return JSON.stringify(v, function (k, x) { if (typeof x !== "object" || !x) return x; while (above.length && above.at(-1) !== this) above.pop(); if (above.includes(x)) return "[Circular]"; above.push(x); return x }) };
return safe(o)

// --- the same object twice is no cycle
const s = { x: 1 };
return JSON.stringify([s, s, { s }])

// --- canonical form
const canon = (v) => Array.isArray(v) ? `[${v.map(canon)}]` : v && typeof v === "object" ? `{${Object.keys(v).sort().map((k) => JSON.stringify(k) + ":" + canon(v[k]))}}` : JSON.stringify(v);
return canon({ b: [3, { z: 1, a: null }], a: "x" })

// --- copying deeply
const o = { a: [1, { b: 2 }], d: new Date(0), u: undefined, n: NaN };
return show(JSON.parse(JSON.stringify(o)))

// --- a getter that throws
JSON.stringify({ get a() { throw new RangeError("g") } })

// --- a replacer's order of calls
const log = [];
JSON.stringify({ b: [1], a: { toJSON: () => "J" } }, (k, v) => { log.push([k, typeof v]); return v });
return log

// --- deep nesting
let s = "[".repeat(500) + "]".repeat(500);
return [JSON.stringify(JSON.parse(s)) === s, JSON.parse(s).flat(Infinity).length]

// --- a parser by hand
const parse = (s) => { let i = 0; const ws = () => { while (/\s/.test(s[i] ?? "")) i++ }, fail = () => { throw new SyntaxError(`at ${i}`) };
    const value = () => { ws(); const c = s[i]; let m; if (c === "[") { i++; const a = []; for (ws(); s[i] !== "]";) { a.push(value()); ws(); if (s[i] === ",") i++; else if (s[i] !== "]") fail() } i++; return a }
        if (c === "{") { i++; const o = {}; for (ws(); s[i] !== "}";) { ws(); const k = value(); ws(); if (s[i++] !== ":") fail(); o[k] = value(); ws(); if (s[i] === ",") i++; else if (s[i] !== "}") fail() } i++; return o }
        if ((m = /^(?:"((?:[^"\\]|\\.)*)"|-?\d+(?:\.\d+)?|true|false|null)/.exec(s.slice(i)))) { i += m[0].length; return m[1] ?? { true: true, false: false, null: null }[m[0]] ?? (m[0] === "null" ? null : +m[0]) } fail() };
    const v = value(); ws(); if (i < s.length) fail(); return v };
return [parse('{"a": [1, -2.5, "x", true, null], "b": {"c": {}}}'), attempt(() => parse("[1 2]")), attempt(() => parse("{} x"))]

// --- pointers
const at = (o, p) => p.split("/").slice(1).reduce((v, k) => v?.[k.replaceAll("~1", "/").replaceAll("~0", "~")], o);
const o = { "a/b": 1, "m~n": [10, { x: "deep" }], "": 0 };
return show(["/a~1b", "/m~0n/1/x", "/", "", "/none/x"].map((p) => at(o, p)))

// --- a merge patch
const patch = (t, p) => { if (typeof p !== "object" || !p || Array.isArray(p)) return p; const r = typeof t === "object" && t && !Array.isArray(t) ? { ...t } : {}; for (const [k, v] of Object.entries(p)) if (v === null) delete r[k]; else r[k] = patch(r[k], v); return r };
return patch({ a: "b", c: { d: "e", f: "g" } }, { a: "z", c: { f: null, n: [1] } })

// --- differences
const diff = (a, b, at = "") => [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((k) => { const p = `${at}/${k}`; if (!(k in b)) return [["remove", p]]; if (!(k in a)) return [["add", p, b[k]]]; return typeof a[k] === "object" && typeof b[k] === "object" ? diff(a[k], b[k], p) : a[k] === b[k] ? [] : [["replace", p, b[k]]] });
return diff({ a: 1, b: { c: 2, d: 3 }, e: [1, 2] }, { a: 1, b: { c: 5 }, e: [1, 9, 3], f: true })

// --- lines of JSON
return '{"a":1}\n{"a":2}\n\n{"a":3}'.split("\n").filter(Boolean).map((l) => JSON.parse(l).a)

// --- a small schema
const check = (s, v, at = "$") => s.type && (Array.isArray(v) ? "array" : v === null ? "null" : typeof v) !== s.type ? [`${at}: not ${s.type}`] : [...(s.required ?? []).filter((k) => !(k in v)).map((k) => `${at}.${k}: missing`), ...Object.entries(s.properties ?? {}).flatMap(([k, x]) => k in v ? check(x, v[k], `${at}.${k}`) : []), ...(s.items ? v.flatMap((x, i) => check(s.items, x, `${at}[${i}]`)) : [])];
return check({ type: "object", required: ["id", "tags"], properties: { id: { type: "number" }, tags: { type: "array", items: { type: "string" } } } }, { id: "5", tags: ["a", 1] })
