// keywords.js - the keywords of each dialect: the kind of their value, and the handler that evaluates it.
//
// A kind is a function of (value, at, make, schema): the value, its position, the methods of
// schema/compile.js, and the schema that contains it. It reports errors to |make|, and returns the value
// in the form that the package's handler takes. `format` is an annotation, the default of 2020-12;
// keywords that are not listed do not restrict args.
import additionalItems from "hyperjump/draft-04/additionalItems.js";
import additionalProperties from "hyperjump/lib/keywords/additionalProperties.js";
import allOf from "hyperjump/lib/keywords/allOf.js";
import anyOf from "hyperjump/lib/keywords/anyOf.js";
import const_ from "hyperjump/lib/keywords/const.js";
import contains from "hyperjump/lib/keywords/contains.js";
import dependencies from "hyperjump/draft-04/dependencies.js";
import dependentRequired from "hyperjump/lib/keywords/dependentRequired.js";
import dependentSchemas from "hyperjump/lib/keywords/dependentSchemas.js";
import dynamicRef from "hyperjump/draft-2020-12/dynamicRef.js";
import else_ from "hyperjump/lib/keywords/else.js";
import enum_ from "hyperjump/lib/keywords/enum.js";
import exclusiveMaximum from "hyperjump/lib/keywords/exclusiveMaximum.js";
import exclusiveMinimum from "hyperjump/lib/keywords/exclusiveMinimum.js";
import if_ from "hyperjump/lib/keywords/if.js";
import items from "hyperjump/lib/keywords/items.js";
import maxItems from "hyperjump/lib/keywords/maxItems.js";
import maxLength from "hyperjump/lib/keywords/maxLength.js";
import maxProperties from "hyperjump/lib/keywords/maxProperties.js";
import maximum from "hyperjump/lib/keywords/maximum.js";
import minItems from "hyperjump/lib/keywords/minItems.js";
import minLength from "hyperjump/lib/keywords/minLength.js";
import minProperties from "hyperjump/lib/keywords/minProperties.js";
import minimum from "hyperjump/lib/keywords/minimum.js";
import multipleOf from "hyperjump/lib/keywords/multipleOf.js";
import not from "hyperjump/lib/keywords/not.js";
import oldContains from "hyperjump/draft-06/contains.js";
import oldItems from "hyperjump/draft-04/items.js";
import oneOf from "hyperjump/lib/keywords/oneOf.js";
import pattern from "hyperjump/lib/keywords/pattern.js";
import patternProperties from "hyperjump/lib/keywords/patternProperties.js";
import prefixItems from "hyperjump/lib/keywords/prefixItems.js";
import properties from "hyperjump/lib/keywords/properties.js";
import propertyNames from "hyperjump/lib/keywords/propertyNames.js";
import ref from "hyperjump/lib/keywords/ref.js";
import required from "hyperjump/lib/keywords/required.js";
import then from "hyperjump/lib/keywords/then.js";
import type from "hyperjump/lib/keywords/type.js";
import unevaluatedItems from "hyperjump/lib/keywords/unevaluatedItems.js";
import unevaluatedProperties from "hyperjump/lib/keywords/unevaluatedProperties.js";
import uniqueItems from "hyperjump/lib/keywords/uniqueItems.js";
import { deterministicStringify } from "hyperjump/lib/common.js";
import { escapeKey } from "./instance.js";

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isNames = (value) => Array.isArray(value) && value.every((name) => typeof name === "string");
const isNumber = (value) => typeof value === "number";

// --- kinds that only check the value ----------------------------------------------------------

const plain = (isRight, words) => (value, at, make) => {
    if (!isRight(value)) make.expected(at, words, value);
    return value;
};
const number = plain(isNumber, "number");
const divisor = plain((value) => isNumber(value) && value > 0, "a number over 0");
const count = plain((value) => Number.isInteger(value) && value >= 0, "an integer that is not negative");
const flag = plain((value) => typeof value === "boolean", "boolean");
const text = plain((value) => typeof value === "string", "string");
const names = plain(isNames, "a list of strings");

const typeNames = ["null", "boolean", "object", "array", "number", "string", "integer"];
const listed = typeNames.map((name) => `"${name}"`).join(", ");
const types = (value, at, make) => {
    const isList = Array.isArray(value);
    if (isList && value.length === 0) make.expected(at, "at least one type", value);
    for (const [i, name] of (isList ? value : [value]).entries())
        if (!typeNames.includes(name)) make.expected(isList ? `${at}/${i}` : at, `one of ${listed}`, name);
    return value;
};

// --- kinds that contain values or schemas -----------------------------------------------------

const same = (value) => deterministicStringify(value);
const values = (value, at, make) => {
    if (Array.isArray(value)) return value.map(same);
    return make.expected(at, "array", value);
};

const schema = (value, at, make) => make.schema(value, at);

const schemas = (value, at, make) => {
    if (Array.isArray(value) && value.length) return value.map((each, i) => make.schema(each, `${at}/${i}`));
    return make.expected(at, "a list of schemas", value);
};

// Makes a kind that returns [name, result of |each|] for each property of an object.
const pairs = (each) => (value, at, make) => {
    if (isObject(value)) return Object.keys(value).map((key) => [key, each(value[key], `${at}/${escapeKey(key)}`, make)]);
    make.expected(at, "object", value);
    return [];
};
const schemaPairs = pairs(schema);
const schemasByName = (...given) => {
    const made = { __proto__: null };
    for (const [key, url] of schemaPairs(...given)) made[key] = url;
    return made;
};
const schemasByPattern = (value, at, make) =>
    schemaPairs(value, at, make).map(([key, url]) => [make.pattern(key, `${at}/${escapeKey(key)}`), url]);
const namesOrSchema = (value, ...rest) => (Array.isArray(value) ? names : schema)(value, ...rest);

// Kinds that depend on other keywords of the same schema.
const rest = (value, at, make, { properties: known, patternProperties: patterns }) => {
    const tests = isObject(patterns) ? Object.keys(patterns).map((key) => make.pattern(key)) : [];
    const test = (name) => (isObject(known) && Object.hasOwn(known, name)) || tests.some((each) => each?.test(name));
    return [{ test }, make.schema(value, at)];
};
const branch = (value, at, make, { if: condition }) => {
    const url = make.schema(value, at);
    return condition === undefined ? [] : [make.schema(condition, at.replace(/[^/]*$/, "if")), url];
};
const some = (value, at, make, { minContains = 1, maxContains = Infinity }) =>
    ({ contains: make.schema(value, at), minContains, maxContains });
const itemsAfter = (value, at, make, { prefixItems: before }) =>
    [Array.isArray(before) ? before.length : 0, make.schema(value, at)];
const itemsAfterOld = (value, at, make, { items: before }) =>
    [Array.isArray(before) ? before.length : Infinity, make.schema(value, at)];
const schemaOrSchemas = (value, ...given) => (Array.isArray(value) ? schemas : schema)(value, ...given);

// --- dialects ---------------------------------------------------------------------------------

const common = {
    __proto__: null,
    $ref: [(value, at, make) => make.reference(value, at), ref],
    $comment: [text],
    additionalProperties: [rest, additionalProperties],
    allOf: [schemas, allOf],
    anyOf: [schemas, anyOf],
    const: [same, const_],
    definitions: [schemasByName],
    dependencies: [pairs(namesOrSchema), dependencies],
    else: [branch, else_],
    enum: [values, enum_],
    exclusiveMaximum: [number, exclusiveMaximum],
    exclusiveMinimum: [number, exclusiveMinimum],
    if: [schema, if_],
    maxItems: [count, maxItems],
    maxLength: [count, maxLength],
    maxProperties: [count, maxProperties],
    maximum: [number, maximum],
    minItems: [count, minItems],
    minLength: [count, minLength],
    minProperties: [count, minProperties],
    minimum: [number, minimum],
    multipleOf: [divisor, multipleOf],
    not: [schema, not],
    oneOf: [schemas, oneOf],
    pattern: [(value, at, make) => make.pattern(text(value, at, make), at), pattern],
    patternProperties: [schemasByPattern, patternProperties],
    properties: [schemasByName, properties],
    propertyNames: [schema, propertyNames],
    required: [names, required],
    then: [branch, then],
    type: [types, type],
    uniqueItems: [flag, uniqueItems],
};

const draft07 = {
    __proto__: common,
    additionalItems: [itemsAfterOld, additionalItems],
    contains: [schema, oldContains],
    items: [schemaOrSchemas, oldItems],
};

const newer = {
    __proto__: common,
    $defs: [schemasByName],
    contains: [some, contains],
    dependentRequired: [pairs(names), dependentRequired],
    dependentSchemas: [schemaPairs, dependentSchemas],
    maxContains: [count],
    minContains: [count],
    unevaluatedItems: [schema, unevaluatedItems],
    unevaluatedProperties: [schema, unevaluatedProperties],
};

const draft2019 = {
    __proto__: newer,
    $recursiveAnchor: [flag],
    $recursiveRef: [(value, at, make) => make.dynamicReference(value, at), dynamicRef],
    additionalItems: draft07.additionalItems,
    items: draft07.items,
};

const draft2020 = {
    __proto__: newer,
    $dynamicRef: [(value, at, make) => make.dynamicReference(value, at), dynamicRef],
    items: [itemsAfter, items],
    prefixItems: [schemas, prefixItems],
};

// In draft-07 a $ref disables all other keywords, and an $id that begins with # is an anchor.
export const dialects = {
    __proto__: null,
    "draft/2020-12": { keywords: draft2020, isOld: false },
    "draft/2019-09": { keywords: draft2019, isOld: false },
    "draft-07": { keywords: draft07, isOld: true },
};
