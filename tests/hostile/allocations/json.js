// expect: SUCCESS [true,200,"{\n  \"a\": [\n    1,\n    {\n      \"b\": \"\\u0001é€😀\"\n    }\n  ]\n}","SyntaxError","revived","1e+400 raw"]
const value = {list: Array.from({length: 200}, (_, i) => ({["key" + i]: i, text: "é\n\u2028".repeat(i % 20), nested: [[], {}, [null, true, 1.5e-7]]}))};
const text = JSON.stringify(value), again = JSON.parse(text);
let failure; try { JSON.parse(text.slice(0, -1)); } catch (e) { failure = e.name; }
const revived = JSON.parse('{"a":{"b":[1,2]}}', function (key, v) { return key === "b" ? "revived" : v; });
const replaced = JSON.stringify(value, (key, v) => (typeof v === "string" ? v.length : v), "\t").length + JSON.stringify(value, ["list", "text"]).length;
return [JSON.stringify(again) === text && replaced > 1000, again.list.length, JSON.stringify({a: [1, {b: "\u0001é€😀"}]}, null, 2), failure, revived.a.b, JSON.stringify({r: {toJSON: () => "1e+400 raw"}}).slice(6, -2)];
