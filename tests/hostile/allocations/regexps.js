// expect: SUCCESS ["2024,02",["a","b"],true,"x-y",[1,3],"ß|SS",300]
const date = /(?<year>\d{4})-(?<month>\d\d)(?=-)(?<!x)/du.exec("on 2024-02-29");
const text = "foo=1; bar=22; ".repeat(150);
const pairs = [...text.matchAll(/(\w+)=(\d+)/g)].map(([, k, v]) => [k, v]);
const sets = /[\p{L}--[a-c]]+|\p{Emoji_Keycap_Sequence}/v.test("xyz") && /^(?:(a+)(?:b|c)*?)+\1$/i.test("aaabaa") && !/^(?!.*(.)\1).*$/s.test("hello");
const bad = ["(", "[z-a]", "(?<n>a)(?<n>b)", "\\k<x>(?<y>)", "a{2,1}"].map((s) => { try { return new RegExp(s, "u") && 0; } catch (e) { return e.name; } });
const sticky = /\d/y; sticky.lastIndex = 1;
return [[date.groups.year, date.groups.month].join(), "a,b".split(/,/), sets && bad.every((b) => b === "SyntaxError"), "y-x".replace(/(?<l>\w)-(?<r>\w)/, "$<r>-$<l>"),
        [sticky.exec("a1") ? 1 : 0, "aXbXc".search(/c/) - 1], /^ß$/iu.test("ß") ? "ß|SS" : "", pairs.length];
