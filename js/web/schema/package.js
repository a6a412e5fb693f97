// package.js - what the package's keywords import from other files of the package. js/bundle.js uses this
// file instead of everything that they import, except schema/instance.js.
export { default as Validation } from "hyperjump/lib/keywords/validation.js";

// schema/compile.js stores the handler itself where the package stores its id.
export const getKeyword = (handler) => handler;

// Used only by the code of keywords that loads schemas, which schema/compile.js replaces.
export const append = undefined, asyncCollectArray = undefined, asyncCollectObject = undefined, asyncMap = undefined,
    canonicalUri = undefined, concat = undefined, empty = undefined, entries = undefined, getKeywordByName = undefined,
    getKeywordName = undefined, join = undefined, map = undefined, nil = undefined, parseAbsoluteIri = undefined,
    parseIriReference = undefined, pipe = undefined, publishAsync = undefined, Reference = undefined, value = undefined;
