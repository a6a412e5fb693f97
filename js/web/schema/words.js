// words.js - the error messages for args that do not fit the schema.
//
// A plugin of the package is called for each keyword that failed. It keeps a list of problems per schema,
// each a position and a message; a keyword that only applies its schemas passes on their lists. So the
// messages name the causes, and not that "a subschema" failed.
import { deterministicStringify } from "hyperjump/lib/common.js";
import { pointer } from "./instance.js";

const most = 50; // lines
const kept = 2 * most; // problems of one schema
const longest = 60; // characters of a value that is shown
const longestLine = 300;

const cut = (text, length = longest) =>
    (text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`);

// Escapes line breaks and control characters, which a name may contain.
const escapes = /[\0-\x1f\x7f-\x9f\u2028\u2029]/g;
const oneLine = (text) => text.replace(escapes, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

export const sort = (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

const inQuotes = (text) => oneLine(JSON.stringify(cut(text)));

// A short form of a value; for an object or array, only its type.
export const quote = (value) => {
    const type = sort(value);
    return type === "string" ? inQuotes(value) : type === "object" || type === "array" ? type : `${value}`;
};

// A value from the schema, in full: an object as JSON.
const given = (value) => (typeof value === "object" ? cut(oneLine(JSON.stringify(value))) : quote(value));

const listOf = (words, last) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`);
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

// Lines of [place, words], without duplicates; |count| includes problems that were not kept.
export const join = (problems, count) => {
    const lines = [...new Set(problems.map(([at, words]) => cut(oneLine(`${at}: ${words}`), longestLine)))];
    const more = Math.max(count - problems.length, 0) + Math.max(lines.length - most, 0);
    if (more) lines.splice(most, Infinity, `and ${more} more`);
    return lines.join("\n");
};

// --- "did you mean" ---------------------------------------------------------------------------

const distance = (a, b) => {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
        const next = [i];
        for (let j = 1; j <= b.length; j++)
            next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
        row = next;
    }
    return row[b.length];
};

const meant = (name, schema) => {
    if (name.length > longest || sort(schema.properties) !== "object") return "";
    const near = Object.keys(schema.properties).slice(0, 200).filter((other) => Math.abs(other.length - name.length) <= 2)
        .map((other) => [distance(name.toLowerCase(), other.toLowerCase()), other])
        .filter(([steps]) => steps <= Math.min(2, name.length / 3)).sort(([a], [b]) => a - b);
    return near.length ? `; did you mean ${inQuotes(near[0][1])}?` : "";
};

// --- the message of each keyword that fails ---------------------------------------------------

const typed = ({ value, type }) => (["string", "number", "boolean"].includes(type) ? `${type} ${quote(value)}` : type);
const got = (words) => (value, node) => [`expected ${words(value)}, got ${quote(node.value)}`];
const sized = (words, size) => (value, node) => [`expected ${words(value)}, got ${size(node.value)}`];
const items = (count) => plural(count, "item", "items");
const characters = (count) => plural(count, "character", "characters");
const properties = (count) => plural(count, "property", "properties");
const countKeys = (value) => Object.keys(value).length;
const missing = (names, node) => names.filter((name) => !Object.hasOwn(node.value, name));
const missingBeside = (lists, node) => Object.keys(lists)
    .filter((key) => Array.isArray(lists[key]) && Object.hasOwn(node.value, key))
    .flatMap((key) => missing(lists[key], node).map((name) => `${inQuotes(name)} is missing, and ${inQuotes(key)} needs it`));

const equalOnes = (list) => {
    const seen = new Map();
    for (const [i, item] of list.entries()) {
        const text = deterministicStringify(item);
        if (seen.has(text)) return `/${seen.get(text)} and /${i}`;
        seen.set(text, i);
    }
};

const words = {
    __proto__: null,
    const: got(given),
    contains: (value, node, { matched = 0 }, { minContains: least = 1, maxContains: greatest }) =>
        [matched < least ? `expected at least ${items(least)} as "contains" says, got ${matched}`
            : `expected at most ${items(greatest)} as "contains" says, got ${matched}`],
    dependencies: missingBeside,
    dependentRequired: missingBeside,
    enum: got((values) => (values.length === 1 ? given(values[0])
        : `one of ${cut(values.slice(0, 20).map(given).join(", "), 3 * longest)}`)),
    exclusiveMaximum: got((value) => `less than ${value}`),
    exclusiveMinimum: got((value) => `more than ${value}`),
    maxItems: sized((value) => `at most ${items(value)}`, (value) => value.length),
    maxLength: got((value) => `at most ${characters(value)}`),
    maxProperties: sized((value) => `at most ${properties(value)}`, countKeys),
    maximum: got((value) => `at most ${value}`),
    minItems: sized((value) => `at least ${items(value)}`, (value) => value.length),
    minLength: got((value) => `at least ${characters(value)}`),
    minProperties: sized((value) => `at least ${properties(value)}`, countKeys),
    minimum: got((value) => `at least ${value}`),
    multipleOf: got((value) => `a multiple of ${value}`),
    not: () => [`is what "not" excludes`],
    pattern: got((value) => `what matches ${inQuotes(value)}`),
    required: (names, node) => missing(names, node).map((name) => `${inQuotes(name)} is missing`),
    type: (value, node) => [`expected ${listOf([value].flat(), "or")}, got ${typed(node)}`],
    uniqueItems: (value, node) => [`expected items that differ, and ${equalOnes(node.value)} are equal`],
};

// Was the alternative not meant? It was not if it is for another type or another kind of object.
const isOther = (at) => ({ name, place, node }) => (name === "type" && place === at) ||
    ((name === "const" || name === "enum") && typeof node.value === "string" && pointer(node.parent ?? node) === at);

const alternatives = (node, { lists = [], matched = 0 }, value) => {
    const at = pointer(node);
    if (matched) return [{ place: at, words: `fits ${matched} of ${value.length} alternatives, and may fit only one` }];
    const meantOnes = lists.filter((list) => !list.some(isOther(at)));
    if (meantOnes.length === 1) return meantOnes[0];
    if (lists.every((list) => list.length === 1 && list[0].name === "type" && list[0].place === at)) {
        const types = new Set(lists.flatMap(([{ value: type }]) => type));
        return [{ place: at, name: "type", value: [...types], words: words.type([...types], node)[0] }];
    }
    const causes = lists.slice(0, 3).map(([first]) =>
        (first.place === at ? first.words : `${first.place.slice(at.length)}: ${first.words}`));
    return [{ place: at, words: `fits none of ${value.length} alternatives: ${causes.join("; or ")}` }];
};

// How a keyword changes the problems of its schemas; by default they are passed on unchanged.
const unknown = (list, node, schema) => list.map((problem) => {
    if (!problem.isNever || problem.parent !== node) return problem;
    return { place: pointer(node), words: `${inQuotes(problem.key)} is not a known property${meant(problem.key, schema)}` };
});
const none = () => [];
const passed = {
    __proto__: null,
    additionalProperties: unknown,
    contains: none,
    not: none,
    propertyNames: (list) => list.map((problem) => ({ ...problem, words: `the name ${list.of}: ${problem.words}` })),
    unevaluatedProperties: unknown,
};

// A list of problems; |dropped|: how many further problems were not kept.
const newList = () => Object.assign([], { dropped: 0, of: undefined });

export class Problems {
    id = "caprun:problems";
    #last;

    #add(context, problems, dropped = 0) {
        context.problems ??= newList();
        const room = Math.max(kept - context.problems.length, 0);
        context.problems.push(...problems.slice(0, room));
        context.problems.dropped += Math.max(problems.length - room, 0) + dropped;
    }

    afterKeyword([, { name, value, schema }], node, context, isValid, outer) {
        if (isValid) return;
        const place = pointer(node);
        if (name === "anyOf" || name === "oneOf") {
            this.#add(outer, alternatives(node, context, value));
            return;
        }
        for (const text of words[name]?.(value, node, context, schema) ?? [])
            this.#add(outer, [{ place, name, value, node, words: text }]);
        for (const list of context.lists ?? [])
            this.#add(outer, passed[name] ? passed[name](list, node, schema) : list, list.dropped);
        if (context.unlisted) this.#add(outer, [], context.unlisted);
    }

    afterSchema(url, node, context, isValid) {
        const list = context.problems ?? newList();
        context.problems = undefined;
        if (isValid) {
            context.matched = (context.matched ?? 0) + 1;
            return;
        }
        if (context.ast[url] === false)
            list.push({ place: pointer(node), words: "nothing is allowed here", isNever: true, parent: node.parent, key: node.key });
        list.of = quote(node.value);
        context.lists ??= [];
        if (context.lists.length < kept) context.lists.push(list);
        else context.unlisted = (context.unlisted ?? 0) + list.length + list.dropped;
        this.#last = list;
    }

    text() {
        const problems = this.#last.map(({ place, words: text }) => [place || "/", text]);
        return join(problems, problems.length + this.#last.dropped);
    }
}
