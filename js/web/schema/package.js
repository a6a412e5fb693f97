// package.js - what the package's keywords take from the rest of it. js/bundle.js puts this file in the
// place of everything that they import but schema/instance.js.
export { default as Validation } from "hyperjump/lib/keywords/validation.js";

// schema/compile.js puts the handler itself where the package has its id.
export const getKeyword = (handler) => handler;

// These are named where a keyword loads its schemas, which schema/compile.js does instead.
export const append = undefined, asyncCollectArray = undefined, asyncCollectObject = undefined, asyncMap = undefined,
    canonicalUri = undefined, concat = undefined, empty = undefined, entries = undefined, getKeywordByName = undefined,
    getKeywordName = undefined, join = undefined, map = undefined, nil = undefined, parseAbsoluteIri = undefined,
    parseIriReference = undefined, pipe = undefined, publishAsync = undefined, Reference = undefined, value = undefined;
