// utf8.js - stands in for the UTF-8 of @exodus/bytes: it is runtime/web.c's.
export const utf8fromStringLoose = (text) => native.utf8Encode(text);
export const utf8toStringLoose = (bytes) => native.utf8Decode(bytes, false);
export const utf8toString = (bytes) => {
    const text = native.utf8Decode(bytes, true);
    if (text === undefined) throw new TypeError("not valid UTF-8");
    return text;
};
